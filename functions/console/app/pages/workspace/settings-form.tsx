import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { hasState, updateWorkspace } from '../../../../../shared/client/workspaces.ts';
import { vcsConnectionsQuery } from '../../api/integrations.ts';
import { statisticsQuery } from '../../api/organizations.ts';
import { useAction } from '../../api/use-action.ts';
import { workspacePaths } from '../../api/workspaces.ts';
import { rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import {
  type BoundFields,
  bindFields,
  CheckboxField,
  SelectField,
  TextField,
  toOptions,
} from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { SettingsForm, SettingsGroup } from '../../components/settings-form.tsx';
import { toast, toastOnNextPage } from '../../components/toast.tsx';
import { formBlocker } from '../../lib/form-blocker.ts';
import { nameProblem } from '../../lib/names.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { isExactVersion, warnOfOlder } from '../../lib/versions.ts';
import { modeLabels, toLabel } from '../../lib/words.ts';
import { useUnused } from '../workspaces/use-unused.ts';
import { inheritLabel } from './inherited-from.ts';
import {
  APP_INSTALLATION,
  changedAttributes,
  runFlagNames,
  runFlags,
  type SettingsValues,
  toSettingsValues,
} from './settings-values.ts';
import { useReload, useWorkspace } from './use-workspace.ts';

type RepositoryField =
  | 'oauth-token-id'
  | 'app-installation-id'
  | 'identifier'
  | 'branch'
  | 'ingress-submodules'
  | 'tags-regex'
  | 'file-triggers-enabled'
  | 'trigger-patterns'
  | 'trigger-prefixes';

type AutoDestroyField = 'inherits-project-auto-destroy' | 'auto-destroy-at' | 'auto-destroy-activity-duration';

/** Values outside the group "General". */
type OtherGroup = keyof typeof runFlags | RepositoryField | AutoDestroyField | 'project-remote-state';

/** Shows the form of the settings that can be changed. */
export const GeneralSettings = () => {
  const { organization, reply, workspace } = useWorkspace();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(reply);
  const [values, setValues] = useState(() => toSettingsValues(workspace));
  const [discards, setDiscards] = useState(0);
  const bound = bindFields(values, (changes) => setValues((former) => ({ ...former, ...changes })));
  const { field, flag } = bound;

  const action = useAction<{ readonly data: Workspace }>({
    invalidates: workspacePaths(organization, workspace),
    onDone: ({ document, etag }) => {
      const { name } = document.data.attributes;
      const isRenamed = name !== workspace.attributes.name;
      (isRenamed ? toastOnNextPage : toast)(`Changed the settings of the workspace ${name}.`);
      setOpened({ document, etag });
      setValues(toSettingsValues(document.data));
      if (isRenamed) {
        const to = '/$organization/workspaces/$workspace/settings';
        // The Back button must not lead to the old name, which does not exist any more.
        navigate({ to, params: { organization, workspace: name }, replace: true });
      }
    },
  });
  const { base = opened, changes } = useRevision<{ readonly data: Workspace }>(
    opened,
    action.error,
    useReload(),
    ({ data: former }, { data: newest }) =>
      setValues((entered) => rebaseEntries(entered, toSettingsValues(former), toSettingsValues(newest))),
  );

  const attributes = changedAttributes(toSettingsValues(base.document.data), values);
  const request = updateWorkspace(workspace.id, { attributes }, base.etag);
  const missing = missingPermission(workspace.attributes.permissions, 'can-update');
  const isUnchanged = Object.keys(attributes).length === 0;
  const reason = missing ?? nameProblem(values.name) ?? formBlocker({ Name: values.name }, isUnchanged);
  const { document } = useWorkspace();
  const mode = values['execution-mode'];
  const isLocal =
    mode === 'local' ||
    (mode === 'inherit' &&
      !base.document.data.attributes['setting-overwrites']['execution-mode'] &&
      base.document.data.attributes['execution-mode'] === 'local');
  const withoutEffect = isLocal ? 'Without effect in the execution mode Local.' : undefined;
  const stateVersion = firstIncluded(document, 'state-versions');
  const writer = stateVersion?.attributes['terraform-version'] ?? workspace.attributes['infra-version-resolved'];
  const version = useDebounced(values['infra-version'].trim());
  // The service accepts any exact version, also one that does not exist.
  const [unused] = useUnused(
    organization,
    isExactVersion(version) && 'infra-version' in attributes ? [{ version }] : [],
  );
  const warning = warnOfOlder(values['infra-version'], hasState(workspace) ? writer : undefined) ?? unused;
  const known = useQuery(statisticsQuery(organization)).data?.document.data.attributes['infra-versions'] ?? [];
  const general: Readonly<Record<Exclude<keyof SettingsValues, OtherGroup>, ReactNode>> = {
    name: (
      <TextField
        {...field('name')}
        label="Name"
        problem={nameProblem(values.name)}
        hint="If you rename it, links and configurations that use the old name stop working."
        isCode
      />
    ),
    description: <TextField {...field('description')} label="Description" isOptional lines={3} />,
    'infra-version': (
      <TextField
        {...field('infra-version')}
        label="Tool version"
        hint={
          <>
            An exact version, a constraint such as ~&gt; 1.9.0, or latest.
            <div role="status">
              {warning !== undefined && (
                <Notice kind="warning">
                  <p>{warning}</p>
                </Notice>
              )}
            </div>
          </>
        }
        suggestions={['latest', ...known.map((release) => release['infra-version'])]}
        isCode
      />
    ),
    'working-directory': <TextField {...field('working-directory')} label="Working directory" isOptional isCode />,
    'execution-mode': (
      <SelectField
        {...field('execution-mode')}
        label="Execution mode"
        options={toOptions({ inherit: inheritLabel(document, 'default-execution-mode'), ...modeLabels })}
      />
    ),
    'agent-pool-id': values['execution-mode'] === 'agent' && (
      <TextField {...field('agent-pool-id')} label="ID of the agent pool" isCode />
    ),
    'deletion-protection': (
      <SelectField
        {...field('deletion-protection')}
        label="Deletion protection"
        hint="While it is on, nobody can delete the workspace, not even by force."
        options={toOptions({
          inherit: inheritLabel(document, 'default-deletion-protection'),
          true: 'On',
          false: 'Off',
        })}
      />
    ),
  };
  return (
    <SettingsForm
      onDiscard={() => {
        action.reset();
        setValues(toSettingsValues(base.document.data));
        setDiscards(discards + 1);
      }}
      action={action}
      request={request}
      isUnchanged={isUnchanged}
      changes={changes}
      disabledReason={reason}
    >
      <SettingsGroup>
        {Object.entries(general).map(([name, content]) => (
          <Fragment key={name}>{content}</Fragment>
        ))}
      </SettingsGroup>
      <SettingsGroup legend="Runs" withoutEffect={withoutEffect}>
        {runFlagNames.map((name) => (
          <CheckboxField key={name} {...flag(name)} label={toLabel(name)} hint={runFlags[name]} />
        ))}
      </SettingsGroup>
      <RepositoryFields key={discards} values={values} withoutEffect={withoutEffect} {...bound} />
      <AutoDestroyFields values={values} {...bound} />
      <SettingsGroup legend="Remote state">
        <SelectField
          {...field('project-remote-state')}
          label="Workspaces whose runs may read the state"
          options={toOptions({
            consumers: 'Its remote state consumers',
            project: 'All workspaces of the project',
            organization: 'All workspaces of the organization',
          })}
        />
      </SettingsGroup>
    </SettingsForm>
  );
};

interface GroupProps<N extends keyof SettingsValues> extends BoundFields<Pick<SettingsValues, N>> {
  readonly values: Pick<SettingsValues, N>;
}

interface RepositoryProps extends GroupProps<RepositoryField> {
  readonly withoutEffect: string | undefined;
}

/** Attributes that choose the files whose changes start runs. A value of one replaces that of the other. */
const fileLists = { 'trigger-patterns': 'Patterns', 'trigger-prefixes': 'Directories' } as const;

const RepositoryFields = ({ values, withoutEffect, field, flag }: RepositoryProps) => {
  const { organization, workspace } = useWorkspace();
  const connections = useQuery(vcsConnectionsQuery(organization));
  const options = (connections.data?.document.data ?? []).flatMap(({ attributes, relationships }) =>
    (relationships['oauth-tokens'].data ?? []).map(({ id }) => ({ value: id, label: attributes.name })),
  );
  const former = toSettingsValues(workspace);
  const stored = former['oauth-token-id'];
  const [fileList, setFileList] = useState<keyof typeof fileLists>(
    former['trigger-prefixes'] === '' ? 'trigger-patterns' : 'trigger-prefixes',
  );
  const isListed = ['', APP_INSTALLATION].includes(stored) || options.some(({ value }) => value === stored);
  return (
    <SettingsGroup legend="Repository" withoutEffect={withoutEffect}>
      <SelectField
        {...field('oauth-token-id')}
        label="VCS connection"
        hint={values['oauth-token-id'] === '' ? 'Without a connection, the workspace has no repository.' : undefined}
        options={[
          { value: '', label: 'None' },
          // A connection that the user may not see.
          ...(isListed ? [] : [{ value: stored, label: stored }]),
          ...options,
          ...(stored === '' ? [] : [{ value: APP_INSTALLATION, label: 'An app installation' }]),
        ]}
      />
      {values['oauth-token-id'] === APP_INSTALLATION && (
        <TextField
          {...field('app-installation-id')}
          label="ID of the app installation"
          hint="It starts with ghain-. The person who operates this service creates app installations and knows their IDs."
          isCode
        />
      )}
      {values['oauth-token-id'] !== '' && (
        <>
          <TextField
            {...field('identifier')}
            label="Repository"
            hint="Owner and name, such as acme/infrastructure."
            isCode
          />
          <TextField {...field('branch')} label="Branch" hint="Without it, the default branch." isOptional isCode />
          <CheckboxField {...flag('ingress-submodules')} label="Fetch submodules" />
          <TextField
            {...field('tags-regex')}
            label="Git tags that start a run"
            hint="A regular expression (RE2). It cannot be combined with directories or patterns."
            isOptional
            isCode
          />
          <CheckboxField
            {...flag('file-triggers-enabled')}
            label={toLabel('file-triggers-enabled')}
            hint="Without patterns and directories, files in the working directory."
          />
          {values['file-triggers-enabled'] && (
            <>
              <SelectField
                name="file-list"
                label="Files are chosen by"
                value={fileList}
                options={toOptions(fileLists)}
                onChange={(chosen) => {
                  field(fileList).onChange(former[fileList]);
                  setFileList(chosen);
                }}
              />
              <TextField
                {...field(fileList)}
                label={toLabel(fileList)}
                hint={
                  fileList === 'trigger-patterns'
                    ? 'One per line, such as /modules/**/*.'
                    : 'One per line, such as /modules.'
                }
                isOptional
                lines={3}
                isCode
              />
            </>
          )}
        </>
      )}
    </SettingsGroup>
  );
};

const AutoDestroyFields = ({ values, field }: GroupProps<AutoDestroyField>) => {
  const project = firstIncluded(useWorkspace().document, 'projects');
  const inherited = project && ` (${project.attributes['auto-destroy-activity-duration'] ?? 'never'})`;
  return (
    <SettingsGroup legend="Auto-destroy">
      <SelectField
        {...field('inherits-project-auto-destroy')}
        label="Destroy all resources automatically"
        hint="When it is due, the service requests a destroy run from your runner. The workspace itself stays."
        options={toOptions({
          inherit: `Inherited from the project${inherited ?? ''}`,
          off: 'Never',
          time: 'At a time',
          inactivity: 'After a time without activity',
        })}
      />
      {values['inherits-project-auto-destroy'] === 'time' && (
        <TextField {...field('auto-destroy-at')} label="Time" type="datetime-local" />
      )}
      {values['inherits-project-auto-destroy'] === 'inactivity' && (
        <TextField
          {...field('auto-destroy-activity-duration')}
          label="Time without activity"
          hint="Days or hours, such as 14d or 24h."
          isCode
        />
      )}
    </SettingsGroup>
  );
};
