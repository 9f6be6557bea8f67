import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { firstIncluded } from '../../api/documents.ts';
import type { Workspace } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { updateWorkspace, type WorkspaceDocument, workspacePaths } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { ChangedMeanwhile, useRevision } from '../../components/changed-meanwhile.tsx';
import { Curl } from '../../components/curl.tsx';
import { CheckboxField, Form, FormErrors, SelectField, TextField } from '../../components/form.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { formatValue } from '../../lib/compare.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { DeleteSection } from './delete-section.tsx';
import './settings-page.css';
import { useWorkspace } from './use-workspace.ts';

/** Shows and changes the settings of a workspace, and where inherited values come from. */
export const SettingsPage = () => {
  const { workspace } = useWorkspace();
  // Another workspace gets forms of its own.
  return (
    <div className="stack settings" key={workspace.id}>
      <SettingsForm />
      <AllSettings />
      <DeleteSection />
    </div>
  );
};

/** Names the source of an inherited value: the project if it has its own, else the organization. */
const inheritedFrom = (
  document: WorkspaceDocument,
  setting: 'default-execution-mode' | 'default-deletion-protection',
): string => {
  const project = firstIncluded(document, 'projects');
  const isOfProject = project?.attributes['setting-overwrites'][setting] === true;
  return isOfProject ? `the project ${project.attributes.name}` : 'the organization';
};

/** Values of the form. Unchanged ones are not sent, so that nobody else's change is undone. */
interface Values {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly directory: string;
  readonly mode: 'inherit' | 'remote' | 'local' | 'agent';
  readonly pool: string;
  readonly protection: 'inherit' | 'true' | 'false';
  readonly isAutoApplied: boolean;
  readonly isSpeculative: boolean;
  readonly isDestroyAllowed: boolean;
}

const toValues = ({ attributes }: Workspace): Values => ({
  name: attributes.name,
  description: attributes.description ?? '',
  version: attributes['infra-version'],
  directory: attributes['working-directory'] ?? '',
  mode: attributes['setting-overwrites']['execution-mode'] ? attributes['execution-mode'] : 'inherit',
  pool: attributes['agent-pool-id'] ?? '',
  protection: attributes['setting-overwrites']['deletion-protection']
    ? attributes['deletion-protection']
      ? 'true'
      : 'false'
    : 'inherit',
  isAutoApplied: attributes['auto-apply'],
  isSpeculative: attributes['speculative-enabled'],
  isDestroyAllowed: attributes['allow-destroy-plan'],
});

const orNull = (text: string): string | null => (text === '' ? null : text);

/** Builds the attributes of an update from the values that differ from the stored ones. */
const changedAttributes = (before: Values, after: Values) => {
  const isChanged = (name: keyof Values) => before[name] !== after[name];
  const isModeChanged = isChanged('mode') || (after.mode === 'agent' && isChanged('pool'));
  const inherits = {
    ...(isModeChanged && after.mode === 'inherit' && { 'execution-mode': false, 'agent-pool': false }),
    ...(isChanged('protection') && after.protection === 'inherit' && { 'deletion-protection': false }),
  };
  return {
    ...(isChanged('name') && { name: after.name }),
    ...(isChanged('description') && { description: orNull(after.description) }),
    ...(isChanged('version') && { 'infra-version': after.version }),
    ...(isChanged('directory') && { 'working-directory': orNull(after.directory) }),
    ...(isModeChanged && after.mode !== 'inherit' && { 'execution-mode': after.mode }),
    ...(isModeChanged && after.mode === 'agent' && { 'agent-pool-id': orNull(after.pool) }),
    ...(isChanged('protection') &&
      after.protection !== 'inherit' && { 'deletion-protection': after.protection === 'true' }),
    ...(isChanged('isAutoApplied') && { 'auto-apply': after.isAutoApplied }),
    ...(isChanged('isSpeculative') && { 'speculative-enabled': after.isSpeculative }),
    ...(isChanged('isDestroyAllowed') && { 'allow-destroy-plan': after.isDestroyAllowed }),
    ...(Object.keys(inherits).length > 0 && { 'setting-overwrites': inherits }),
  };
};

const fields = [
  ...['name', 'description', 'infra-version', 'working-directory', 'execution-mode', 'agent-pool-id'],
  ...['deletion-protection', 'auto-apply', 'speculative-enabled', 'allow-destroy-plan'],
];

const SettingsForm = () => {
  const { organization, reply, query, workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(reply);
  const [values, setValues] = useState(() => toValues(workspace));
  const set = (changes: Partial<Values>) => setValues((former) => ({ ...former, ...changes }));

  const action = useAction<{ readonly data: Workspace }>({
    invalidates: workspacePaths(organization, workspace),
    onDone: ({ document, etag }) => {
      toast('Saved.');
      setOpened({ document, etag });
      setValues(toValues(document.data));
      const { name } = document.data.attributes;
      if (name !== workspace.attributes.name) {
        navigate({ to: '/$organization/workspaces/$workspace/settings', params: { organization, workspace: name } });
      }
    },
  });
  const reload = useCallback(() => queryClient.fetchQuery({ ...query, staleTime: 0 }), [queryClient, query]);
  const { base, changes } = useRevision<{ readonly data: Workspace }>(opened, action.error, reload);

  const attributes = changedAttributes(toValues(opened.document.data), values);
  const request = updateWorkspace(workspace.id, { attributes }, (base ?? opened).etag);
  const missing = missingPermission(workspace.attributes.permissions, 'can-update');
  const reason = missing ?? (Object.keys(attributes).length === 0 ? 'Nothing has been changed yet.' : undefined);
  const { document } = useWorkspace();
  return (
    <Section title="General">
      <Form error={action.error} onSubmit={() => reason === undefined && action.run(request)}>
        <div className="settings-form">
          <FormErrors names={fields} isRevised={changes !== undefined} />
          <ChangedMeanwhile changes={changes} />
          <TextField
            name="name"
            label="Name"
            hint="Renaming ends all links with the old name."
            value={values.name}
            onChange={(name) => set({ name })}
            isCode
          />
          <TextField
            name="description"
            label="Description"
            isOptional
            value={values.description}
            onChange={(description) => set({ description })}
          />
          <TextField
            name="infra-version"
            label="Version of the infrastructure tool"
            hint="An exact version, a constraint such as ~> 1.9.0, or latest."
            value={values.version}
            onChange={(version) => set({ version })}
            isCode
          />
          <TextField
            name="working-directory"
            label="Working directory"
            isOptional
            value={values.directory}
            onChange={(directory) => set({ directory })}
            isCode
          />
          <SelectField
            name="execution-mode"
            label="Execution mode"
            value={values.mode}
            options={[
              { value: 'inherit', label: `Inherited from ${inheritedFrom(document, 'default-execution-mode')}` },
              { value: 'remote', label: 'remote' },
              { value: 'local', label: 'local: only stores state' },
              { value: 'agent', label: 'agent' },
            ]}
            onChange={(mode) => set({ mode })}
          />
          {values.mode === 'agent' && (
            <TextField
              name="agent-pool-id"
              label="Id of the agent pool"
              value={values.pool}
              onChange={(pool) => set({ pool })}
              isCode
            />
          )}
          <SelectField
            name="deletion-protection"
            label="Protection against deletion"
            value={values.protection}
            options={[
              { value: 'inherit', label: `Inherited from ${inheritedFrom(document, 'default-deletion-protection')}` },
              { value: 'true', label: 'Protected' },
              { value: 'false', label: 'Not protected' },
            ]}
            onChange={(protection) => set({ protection })}
          />
          <CheckboxField
            name="auto-apply"
            label="Apply successful plans without confirmation"
            isChecked={values.isAutoApplied}
            onChange={(isAutoApplied) => set({ isAutoApplied })}
          />
          <CheckboxField
            name="speculative-enabled"
            label="Plan pull requests"
            isChecked={values.isSpeculative}
            onChange={(isSpeculative) => set({ isSpeculative })}
          />
          <CheckboxField
            name="allow-destroy-plan"
            label="Allow destroy plans"
            isChecked={values.isDestroyAllowed}
            onChange={(isDestroyAllowed) => set({ isDestroyAllowed })}
          />
          <div className="cluster">
            <Button type="submit" look="primary" isPending={action.isPending} disabledReason={reason}>
              Save
            </Button>
            <Curl requests={[request]} />
          </div>
        </div>
      </Form>
    </Section>
  );
};

const shownElsewhere = [
  'actions',
  'permissions',
  'setting-overwrites',
  'tag-names',
  'locked',
  'locked-at',
  'locked-reason',
];

const AllSettings = () => {
  const { document, workspace } = useWorkspace();
  const { attributes } = workspace;
  const overwrites = attributes['setting-overwrites'];
  const origins: Readonly<Record<string, string>> = {
    ...(!overwrites['execution-mode'] && { 'execution-mode': inheritedFrom(document, 'default-execution-mode') }),
    ...(!overwrites['agent-pool'] && { 'agent-pool-id': inheritedFrom(document, 'default-execution-mode') }),
    ...(!overwrites['deletion-protection'] && {
      'deletion-protection': inheritedFrom(document, 'default-deletion-protection'),
    }),
    ...(attributes['inherits-project-auto-destroy'] && { 'auto-destroy-activity-duration': 'the project' }),
  };
  const shown = Object.entries(attributes).filter(([name]) => !shownElsewhere.includes(name));
  return (
    <Section title="All attributes" description="As the API returns them.">
      <Facts
        facts={shown.map(([name, value]) => [
          name,
          <span key={name}>
            {/-at$/.test(name) && typeof value === 'string' ? <Time value={value} isFull /> : formatValue(value)}
            {origins[name] !== undefined && <span className="muted"> inherited from {origins[name]}</span>}
          </span>,
        ])}
      />
    </Section>
  );
};
