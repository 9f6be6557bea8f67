import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { firstIncluded } from '../../api/documents.ts';
import { vcsConnectionsQuery } from '../../api/integrations.ts';
import type { Workspace } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { updateWorkspace, workspacePaths } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { ChangedMeanwhile, useRevision } from '../../components/changed-meanwhile.tsx';
import { Curl } from '../../components/curl.tsx';
import { CheckboxField, Form, FormErrors, SelectField, TextField } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { toast } from '../../components/toast.tsx';
import { formBlocker } from '../../lib/form-blocker.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { isOlder } from '../../lib/versions.ts';
import { inheritLabel } from './inherited-from.ts';
import './settings-page.css';
import { APP_INSTALLATION, changedAttributes, type SettingsValues, toSettingsValues } from './settings-values.ts';
import { useWorkspace } from './use-workspace.ts';

const fields = [
  ...['name', 'description', 'infra-version', 'working-directory', 'execution-mode', 'agent-pool-id'],
  ...['deletion-protection', 'auto-apply', 'auto-apply-run-trigger', 'speculative-enabled', 'allow-destroy-plan'],
  ...['queue-all-runs', 'structured-run-output-enabled', 'oauth-token-id', 'identifier', 'branch', 'tags-regex'],
  'app-installation-id',
  ...['ingress-submodules', 'file-triggers-enabled', 'trigger-patterns', 'trigger-prefixes'],
  ...['inherits-project-auto-destroy', 'auto-destroy-at', 'auto-destroy-activity-duration', 'project-remote-state'],
];

/** Shows the form of the settings that can be changed. */
export const SettingsForm = () => {
  const { organization, reply, query, workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(reply);
  const [values, setValues] = useState(() => toSettingsValues(workspace));
  const set = (changes: Partial<SettingsValues>) => setValues((former) => ({ ...former, ...changes }));

  const action = useAction<{ readonly data: Workspace }>({
    invalidates: workspacePaths(organization, workspace),
    onDone: ({ document, etag }) => {
      toast('Saved.');
      setOpened({ document, etag });
      setValues(toSettingsValues(document.data));
      const { name } = document.data.attributes;
      if (name !== workspace.attributes.name) {
        navigate({ to: '/$organization/workspaces/$workspace/settings', params: { organization, workspace: name } });
      }
    },
  });
  const reload = useCallback(() => queryClient.fetchQuery({ ...query, staleTime: 0 }), [queryClient, query]);
  const { base, changes } = useRevision<{ readonly data: Workspace }>(opened, action.error, reload);

  const attributes = changedAttributes(toSettingsValues(opened.document.data), values);
  const request = updateWorkspace(workspace.id, { attributes }, base?.etag);
  const missing = missingPermission(workspace.attributes.permissions, 'can-update');
  const reason = missing ?? formBlocker({ Name: values.name }, Object.keys(attributes).length === 0);
  const { document } = useWorkspace();
  const inForce = workspace.attributes['infra-version-resolved'];
  return (
    <Section title="General">
      <Form error={action.error} onSubmit={() => reason === undefined && action.run(request)}>
        <FormErrors names={fields} isRevised={changes !== undefined} />
        <ChangedMeanwhile changes={changes} />
        <fieldset className="settings-form">
          <legend className="visually-hidden">General</legend>
          <TextField
            name="name"
            label="Name"
            hint="Links and configurations that use the old name stop working."
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
            label="Tool version"
            hint={
              isOlder(values.version, inForce)
                ? `Older than the present version ${inForce}: the tool may not be able to read the state.`
                : 'An exact version, a constraint such as ~> 1.9.0, or latest.'
            }
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
              { value: 'inherit', label: inheritLabel(document, 'default-execution-mode') },
              { value: 'remote', label: 'Remote' },
              { value: 'local', label: 'Local: only stores state' },
              { value: 'agent', label: 'Agent' },
            ]}
            onChange={(mode) => set({ mode })}
          />
          {values.mode === 'agent' && (
            <TextField
              name="agent-pool-id"
              label="ID of the agent pool"
              value={values.pool}
              onChange={(pool) => set({ pool })}
              isCode
            />
          )}
          <SelectField
            name="deletion-protection"
            label="Deletion protection"
            value={values.protection}
            options={[
              { value: 'inherit', label: inheritLabel(document, 'default-deletion-protection') },
              { value: 'true', label: 'Protected' },
              { value: 'false', label: 'Not protected' },
            ]}
            onChange={(protection) => set({ protection })}
          />
        </fieldset>
        <fieldset className="settings-form">
          <legend>Runs</legend>
          <CheckboxField
            name="auto-apply"
            label="Apply successful plans without confirmation"
            isChecked={values.isAutoApplied}
            onChange={(isAutoApplied) => set({ isAutoApplied })}
          />
          <CheckboxField
            name="auto-apply-run-trigger"
            label="Apply runs that another workspace has started without confirmation"
            isChecked={values.isTriggeredRunApplied}
            onChange={(isTriggeredRunApplied) => set({ isTriggeredRunApplied })}
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
          <CheckboxField
            name="queue-all-runs"
            label="Queue runs before the first one was started by hand"
            isChecked={values.isEveryRunQueued}
            onChange={(isEveryRunQueued) => set({ isEveryRunQueued })}
          />
          <CheckboxField
            name="structured-run-output-enabled"
            label="Show structured output of runs"
            isChecked={values.isOutputStructured}
            onChange={(isOutputStructured) => set({ isOutputStructured })}
          />
        </fieldset>
        <RepositoryFields values={values} set={set} />
        <AutoDestroyFields values={values} set={set} />
        <fieldset className="settings-form">
          <legend>Remote state</legend>
          <SelectField
            name="project-remote-state"
            label="Workspaces whose runs may read the state"
            value={values.sharing}
            options={[
              { value: 'consumers', label: 'Its remote state consumers' },
              { value: 'project', label: 'All workspaces of the project' },
              { value: 'organization', label: 'All workspaces of the organization' },
            ]}
            onChange={(sharing) => set({ sharing })}
          />
        </fieldset>
        <div className="cluster">
          <Button type="submit" look="primary" isPending={action.isPending} disabledReason={reason}>
            Save
          </Button>
          <Curl requests={[request]} />
        </div>
      </Form>
    </Section>
  );
};

interface GroupProps {
  readonly values: SettingsValues;
  readonly set: (changes: Partial<SettingsValues>) => void;
}

const RepositoryFields = ({ values, set }: GroupProps) => {
  const { organization, workspace } = useWorkspace();
  const connections = useQuery(vcsConnectionsQuery(organization));
  const options = (connections.data?.document.data ?? []).flatMap(({ attributes, relationships }) =>
    (relationships['oauth-tokens'].data ?? []).map(({ id }) => ({ value: id, label: attributes.name })),
  );
  const stored = toSettingsValues(workspace).connection;
  const isListed = ['', APP_INSTALLATION].includes(stored) || options.some(({ value }) => value === stored);
  return (
    <fieldset className="settings-form">
      <legend>Repository</legend>
      <SelectField
        name="oauth-token-id"
        label="VCS connection"
        hint={
          stored === ''
            ? 'An app installation can replace the connection once the workspace has a repository.'
            : 'Without a connection, the workspace has no repository.'
        }
        value={values.connection}
        options={[
          { value: '', label: 'None' },
          // A connection that the user may not see.
          ...(isListed ? [] : [{ value: stored, label: stored }]),
          ...options,
          ...(stored === '' ? [] : [{ value: APP_INSTALLATION, label: 'An app installation' }]),
        ]}
        onChange={(connection) => set({ connection })}
      />
      {values.connection === APP_INSTALLATION && (
        <TextField
          name="app-installation-id"
          label="Id of the app installation"
          hint="It starts with ghain-. The person who operates this service creates app installations and knows their ids."
          value={values.installation}
          onChange={(installation) => set({ installation })}
          isCode
        />
      )}
      {values.connection !== '' && (
        <>
          <TextField
            name="identifier"
            label="Repository"
            placeholder="acme/infrastructure"
            value={values.repository}
            onChange={(repository) => set({ repository })}
            isCode
          />
          <TextField
            name="branch"
            label="Branch"
            hint="Without it, the default branch."
            isOptional
            value={values.branch}
            onChange={(branch) => set({ branch })}
            isCode
          />
          <CheckboxField
            name="ingress-submodules"
            label="Fetch submodules"
            isChecked={values.hasSubmodules}
            onChange={(hasSubmodules) => set({ hasSubmodules })}
          />
          <TextField
            name="tags-regex"
            label="Git tags that start a run"
            hint="A regular expression (RE2). It excludes triggers by files."
            isOptional
            value={values.tagsRegex}
            onChange={(tagsRegex) => set({ tagsRegex })}
            isCode
          />
        </>
      )}
      <CheckboxField
        name="file-triggers-enabled"
        label="Only changes of certain files start a run"
        isChecked={values.isTriggeredByFiles}
        onChange={(isTriggeredByFiles) => set({ isTriggeredByFiles })}
      />
      <TextField
        name="trigger-patterns"
        label="Patterns of these files"
        hint="One in each line. New patterns replace the directories below."
        isOptional
        lines={3}
        value={values.patterns}
        onChange={(patterns) => set({ patterns })}
        isCode
      />
      <TextField
        name="trigger-prefixes"
        label="Directories of these files"
        hint="One in each line. New directories replace the patterns above."
        isOptional
        lines={3}
        value={values.prefixes}
        onChange={(prefixes) => set({ prefixes })}
        isCode
      />
    </fieldset>
  );
};

const AutoDestroyFields = ({ values, set }: GroupProps) => {
  const project = firstIncluded(useWorkspace().document, 'projects');
  const inherited = project && ` (${project.attributes['auto-destroy-activity-duration'] ?? 'never'})`;
  return (
    <fieldset className="settings-form">
      <legend>Auto-destroy</legend>
      <SelectField
        name="inherits-project-auto-destroy"
        label="Request a destroy run"
        value={values.autoDestroy}
        options={[
          { value: 'inherit', label: `Inherited from the project${inherited ?? ''}` },
          { value: 'off', label: 'Never' },
          { value: 'time', label: 'At a time' },
          { value: 'inactivity', label: 'After a time without activity' },
        ]}
        onChange={(autoDestroy) => set({ autoDestroy })}
      />
      {values.autoDestroy === 'time' && (
        <TextField
          name="auto-destroy-at"
          label="Time"
          type="datetime-local"
          value={values.autoDestroyAt}
          onChange={(autoDestroyAt) => set({ autoDestroyAt })}
        />
      )}
      {values.autoDestroy === 'inactivity' && (
        <TextField
          name="auto-destroy-activity-duration"
          label="Time without activity"
          hint="Days or hours, such as 14d or 24h."
          value={values.autoDestroyDuration}
          onChange={(autoDestroyDuration) => set({ autoDestroyDuration })}
          isCode
        />
      )}
    </fieldset>
  );
};
