import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  createWorkloadIdentity,
  updateWorkloadIdentity,
  type WorkloadIdentity,
  type WorkloadScope,
} from '../../../../../shared/client/workload-identities.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, rebaseEntries, rebaseEntry, useRevision } from '../../components/changed-meanwhile.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { bindFields, CheckboxField, SelectField, TextField, toOptions } from '../../components/form.tsx';
import { toast } from '../../components/toast.tsx';
import {
  claimProblem,
  type EnteredConditions,
  enterConditions,
  type PlatformName,
  platformOf,
  platforms,
  readConditions,
} from '../../lib/pipeline-platforms.ts';
import { ConditionFields } from './condition-fields.tsx';
import { PipelineDialog } from './pipeline-dialog.tsx';
import { noNames, ScopeFields, unfinishedName } from './scope-field.tsx';
import { TeamField } from './team-field.tsx';
import { useOrganizationName } from './use-organization.ts';

/** Paths whose data are out of date after a change of a workload identity. */
export const workloadIdentityPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/workload-identities`,
  '/workload-identities',
];

interface WorkloadIdentityDocument {
  readonly data: WorkloadIdentity;
}

/** Values of the form that are attributes. */
interface Entries {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly 'lifetime-minutes': string;
  readonly enabled: boolean;
}

/** Returns the values of the form for a stored workload identity, or for a new one. */
const toEntries = (identity: WorkloadIdentity | undefined): Entries => ({
  name: identity?.attributes.name ?? '',
  issuer: identity?.attributes.issuer ?? platforms.github.issuer,
  audience: identity?.attributes.audience ?? window.location.origin,
  'lifetime-minutes': String(identity?.attributes['lifetime-minutes'] ?? 60),
  enabled: identity?.attributes.enabled ?? true,
});

const scopeOf = ({ projects, workspaces }: WorkloadIdentity['relationships']): WorkloadScope | undefined =>
  projects &&
  workspaces && { projects: projects.data.map(({ id }) => id), workspaces: workspaces.data.map(({ id }) => id) };

const NOTHING: WorkloadScope = { projects: [], workspaces: [] };
const LIMITED_FOR_GOOD = 'It cannot be extended to everything again. Create another workload identity for that.';

interface WorkloadIdentityDialogProps {
  readonly edited?: Edited<WorkloadIdentityDocument>;
  readonly onClose: () => void;
}

/** Creates or changes a workload identity. After a creation, it shows how to set up the pipeline. */
export const WorkloadIdentityDialog = ({ edited, onClose }: WorkloadIdentityDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const stored = opened?.document.data;
  const [platform, setPlatform] = useState<PlatformName>(
    stored === undefined ? 'github' : platformOf(stored.attributes.issuer, stored.attributes.conditions),
  );
  const [entries, setEntries] = useState(() => toEntries(stored));
  const [conditions, setConditions] = useState<EnteredConditions>(() =>
    enterConditions(platform, stored?.attributes.conditions ?? []),
  );
  const [team, setTeam] = useState('');
  const [scope, setScope] = useState<WorkloadScope | undefined>(() => stored && scopeOf(stored.relationships));
  const [names, setNames] = useState(noNames);
  const teams = useQuery(teamsQuery(organization)).data?.document.data ?? [];
  const [created, setCreated] = useState<WorkloadIdentity>();
  const { name } = entries;
  const action = useAction<WorkloadIdentityDocument>({
    invalidates: workloadIdentityPaths(organization),
    onDone: ({ document }) => {
      if (stored === undefined) return setCreated(document.data);
      toast(`Changed the workload identity ${name}.`);
      onClose();
    },
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload, ({ data: former }, { data: newest }) => {
    const conditionsOf = ({ attributes }: WorkloadIdentity) => enterConditions(platform, attributes.conditions);
    setEntries((entered) => rebaseEntries(entered, toEntries(former), toEntries(newest)));
    setConditions((entered) => rebaseEntry(entered, conditionsOf(former), conditionsOf(newest)));
    setScope((entered) => rebaseEntry(entered, scopeOf(former.relationships), scopeOf(newest.relationships)));
  });
  if (created !== undefined) return <PipelineDialog identity={created} onClose={onClose} />;

  const change = (changed: Partial<Entries>) => setEntries({ ...entries, ...changed });
  const { field, flag } = bindFields(entries, change);
  const choosePlatform = (next: PlatformName) => {
    setPlatform(next);
    change({ issuer: platforms[next].issuer });
    setConditions(enterConditions(next, []));
  };
  const read = readConditions(platform, conditions);
  const attributes = {
    ...entries,
    'lifetime-minutes': Number(entries['lifetime-minutes']),
    conditions: read.map(({ condition }) => condition),
  };
  const present = base?.document.data;
  const before = present && {
    ...toEntries(present),
    'lifetime-minutes': present.attributes['lifetime-minutes'],
    // In the form of the entries, so that only a change of the user differs.
    conditions: readConditions(platform, enterConditions(platform, present.attributes.conditions)).map(
      ({ condition }) => condition,
    ),
  };
  const storedScope = present && scopeOf(present.relationships);
  const changed = before && changedEntries(before, attributes);
  const isScopeChanged = JSON.stringify(scope) !== JSON.stringify(storedScope);
  const problem = platforms[platform].claims.flatMap(
    (claim) => claimProblem(claim, conditions.offered[claim.claim]) ?? [],
  )[0];
  const disabledReason =
    problem ?? (read.length === 0 ? 'Enter at least one condition first.' : scope && unfinishedName(names));
  return (
    <ActionDialog
      title={stored === undefined ? 'New workload identity' : `Edit “${stored.attributes.name}”`}
      description={
        stored !== undefined &&
        'A change of the issuer, the audience, the conditions or the limits ends its tokens. So does disabling it.'
      }
      submitLabel={stored === undefined ? 'Create' : 'Save'}
      size="medium"
      action={action}
      request={
        stored === undefined || changed === undefined
          ? createWorkloadIdentity(organization, attributes, team, scope)
          : updateWorkloadIdentity(stored.id, changed, isScopeChanged ? scope : undefined, base?.etag)
      }
      required={{
        Name: name,
        ...(stored === undefined && { Team: team }),
        Issuer: entries.issuer,
        Audience: entries.audience,
        'Lifetime of a token (minutes)': entries['lifetime-minutes'],
      }}
      isUnchanged={changed !== undefined && Object.keys(changed).length === 0 && !isScopeChanged}
      disabledReason={disabledReason}
      changes={changes}
      onClose={onClose}
    >
      <TextField {...field('name')} label="Name" autoFocus />
      {stored === undefined && (
        <>
          <SelectField
            name="platform"
            label="Platform of the pipeline"
            value={platform}
            options={toOptions({
              github: platforms.github.label,
              gitlab: platforms.gitlab.label,
              aws: platforms.aws.label,
              other: platforms.other.label,
            })}
            onChange={choosePlatform}
          />
          <TeamField
            name="team"
            teams={teams.filter(({ attributes: { name: teamName } }) => teamName !== 'owners')}
            value={team}
            onChange={setTeam}
          />
        </>
      )}
      <TextField {...field('issuer')} label="Issuer" hint={platforms[platform].issuerHint} isCode />
      <TextField
        {...field('audience')}
        label="Audience"
        hint="What the claim aud of the tokens must be. The pipeline requests a token for it."
        isCode
      />
      <ConditionFields platform={platform} read={read} value={conditions} onChange={setConditions} />
      <fieldset className="stack stack-tight">
        <legend>What a token reaches</legend>
        <CheckboxField
          name="scope"
          label="Only some projects and workspaces"
          hint={
            storedScope === undefined
              ? 'Otherwise, a token reaches everything that the team has access to.'
              : LIMITED_FOR_GOOD
          }
          isChecked={scope !== undefined}
          isDisabled={storedScope !== undefined}
          onChange={(isLimited) => setScope(isLimited ? NOTHING : undefined)}
        />
        {scope !== undefined && (
          <ScopeFields scope={scope} onChange={setScope} names={names} onNamesChange={setNames} />
        )}
      </fieldset>
      <TextField
        {...field('lifetime-minutes')}
        label="Lifetime of a token (minutes)"
        hint="From 5 to 720. A token has to last for plan and apply: terraform reads it once."
        type="number"
      />
      <CheckboxField
        {...flag('enabled')}
        label="Enabled"
        hint="While it is disabled, pipelines get no tokens. Disabling it ends the tokens that they have."
      />
    </ActionDialog>
  );
};
