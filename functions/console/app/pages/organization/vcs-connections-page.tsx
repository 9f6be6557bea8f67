import { useState } from 'react';
import {
  createVcsConnection,
  deleteVcsConnection,
  listVcsConnections,
  renameVcsConnection,
  type VcsConnectionInput,
} from '../../api/integrations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Time } from '../../components/time.tsx';
import { renameAction } from './rename-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [`/organizations/${organization}/oauth-clients`];

/** Lists the VCS connections of an organization, creates, renames and deletes them. */
export const VcsConnectionsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-update-oauth');
  return (
    <ResourceList
      title="VCS connections"
      frame={Page}
      request={(page) => listVcsConnections(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no VCS connections"
      hint="A VCS connection gives workspaces access to the repositories of a provider such as GitHub."
      columns={() => [
        { name: 'Name', cell: ({ attributes }) => attributes.name },
        { name: 'Provider', cell: ({ attributes }) => attributes['service-provider-display-name'] },
        { name: 'Address', cell: ({ attributes }) => attributes['http-url'] },
        { name: 'Created', cell: ({ attributes }) => <Time value={attributes['created-at']} /> },
      ]}
      add={{
        label: 'New VCS connection',
        disabledReason: missing,
        dialog: (onClose) => <CreateDialog organization={organization} onClose={onClose} />,
      }}
      actions={[
        renameAction({
          kind: 'VCS connection',
          request: renameVcsConnection,
          invalidates: pathsOf(organization),
          missing,
        }),
      ]}
      deletion={{
        kind: 'VCS connection',
        description: 'Workspaces with repositories of this connection lose them. The token is destroyed.',
        request: deleteVcsConnection,
        invalidates: pathsOf(organization),
        disabledReason: () => missing,
        isNameTyped: true,
      }}
    />
  );
};

const providers = [
  { value: 'github', label: 'GitHub', httpUrl: 'https://github.com', apiUrl: 'https://api.github.com' },
  { value: 'github_enterprise', label: 'GitHub Enterprise', httpUrl: '', apiUrl: '' },
  { value: 'gitlab_hosted', label: 'GitLab', httpUrl: 'https://gitlab.com', apiUrl: 'https://gitlab.com/api/v4' },
  { value: 'gitlab_community_edition', label: 'GitLab Community Edition', httpUrl: '', apiUrl: '' },
  { value: 'gitlab_enterprise_edition', label: 'GitLab Enterprise Edition', httpUrl: '', apiUrl: '' },
] as const;

const CreateDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [input, setInput] = useState<VcsConnectionInput>({
    name: '',
    provider: providers[0].value,
    httpUrl: providers[0].httpUrl,
    apiUrl: providers[0].apiUrl,
    token: '',
  });
  const change = (changed: Partial<VcsConnectionInput>) => setInput({ ...input, ...changed });
  const action = useDialogAction({
    invalidates: pathsOf(organization),
    message: `Created the VCS connection ${input.name || providers.find(({ value }) => value === input.provider)?.label}.`,
    onClose,
  });
  return (
    <ActionDialog
      title="New VCS connection"
      submitLabel="Create"
      action={action}
      request={createVcsConnection(organization, input)}
      required={{
        Address: input.httpUrl,
        'Address of the API': input.apiUrl,
        Token: input.token,
      }}
      onClose={onClose}
    >
      <TextField
        name="name"
        label="Name"
        isOptional
        value={input.name}
        onChange={(name) => change({ name })}
        autoFocus
      />
      <SelectField<string>
        name="service-provider"
        label="Provider"
        value={input.provider}
        options={providers}
        onChange={(value) => {
          const provider = providers.find((each) => each.value === value) ?? providers[0];
          change({ provider: provider.value, httpUrl: provider.httpUrl, apiUrl: provider.apiUrl });
        }}
      />
      <TextField name="http-url" label="Address" value={input.httpUrl} onChange={(httpUrl) => change({ httpUrl })} />
      <TextField
        name="api-url"
        label="Address of the API"
        value={input.apiUrl}
        onChange={(apiUrl) => change({ apiUrl })}
      />
      <TextField
        name="oauth-token-string"
        label="Token"
        hint="It is stored encrypted. Nobody can read it here afterwards."
        type="password"
        value={input.token}
        onChange={(token) => change({ token })}
      />
    </ActionDialog>
  );
};
