import { useState } from 'react';
import {
  createVcsConnection,
  deleteVcsConnection,
  listVcsConnections,
  renameVcsConnection,
  type VcsConnectionInput,
} from '../../../../../shared/client/integrations.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { bindFields, SelectField, TextField, toOptions } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { renameAction } from './rename-dialog.tsx';
import { ScopeLinks } from './scope-links.tsx';
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
      columns={() => ({
        name: true,
        'service-provider': false,
        'service-provider-display-name': { name: 'Provider' },
        'http-url': { name: 'Address' },
        'api-url': false,
        'created-at': true,
        'callback-url': false,
        'connect-path': false,
        key: false,
        'rsa-public-key': false,
        'organization-scoped': {
          name: 'Available to',
          cell: ({ attributes, relationships }) =>
            attributes['organization-scoped'] ? (
              'all workspaces'
            ) : (
              <ScopeLinks projects={relationships.projects.data} />
            ),
        },
      })}
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

type Provider = VcsConnectionInput['service-provider'];

/** Providers that the console does not offer. */
type NotOffered = 'ado_server' | 'ado_services' | 'bitbucket_data_center' | 'bitbucket_hosted' | 'bitbucket_server';

type Offered = Exclude<Provider, NotOffered>;

const providers: Readonly<Record<Offered, string>> = {
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  gitlab_hosted: 'GitLab',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
};

/** Addresses of the providers that are a service. */
const addresses: { readonly [P in Offered]?: Pick<VcsConnectionInput, 'http-url' | 'api-url'> } = {
  github: { 'http-url': 'https://github.com', 'api-url': 'https://api.github.com' },
  gitlab_hosted: { 'http-url': 'https://gitlab.com', 'api-url': 'https://gitlab.com/api/v4' },
};

/** Returns the values that follow from the provider. */
const fromProvider = (provider: Offered) => ({
  'service-provider': provider,
  ...(addresses[provider] ?? { 'http-url': '', 'api-url': '' }),
});

const CreateDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [input, setInput] = useState({ name: '', ...fromProvider('github'), 'oauth-token-string': '' });
  const change = (changed: Partial<typeof input>) => setInput({ ...input, ...changed });
  const { field } = bindFields(input, change);
  const action = useDialogAction({
    invalidates: pathsOf(organization),
    message: `Created the VCS connection ${input.name || providers[input['service-provider']]}.`,
    onClose,
  });
  return (
    <ActionDialog
      title="New VCS connection"
      submitLabel="Create"
      action={action}
      request={createVcsConnection(organization, input)}
      required={{
        Address: input['http-url'],
        'Address of the API': input['api-url'],
        Token: input['oauth-token-string'],
      }}
      onClose={onClose}
    >
      <TextField {...field('name')} label="Name" isOptional autoFocus />
      <SelectField
        {...field('service-provider')}
        label="Provider"
        options={toOptions(providers)}
        onChange={(provider) => change(fromProvider(provider))}
      />
      <TextField {...field('http-url')} label="Address" />
      <TextField {...field('api-url')} label="Address of the API" />
      <TextField
        {...field('oauth-token-string')}
        label="Token"
        hint="It is stored encrypted. Nobody can read it here afterwards."
        type="password"
      />
    </ActionDialog>
  );
};
