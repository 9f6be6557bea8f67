import { apiRequest } from './request.ts';
import type { Entered, Schemas } from './types.ts';

/** Requests about agent pools, SSH keys, VCS connections and reserved tag keys of an organization. */

const page = (number: number, size = 20) => ({ 'page[number]': number, 'page[size]': size });

/** Describes the request of one page of the agent pools. */
export const listAgentPools = (organization: string, number: number, size?: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/agent-pools', {
    path: { organization_name: organization },
    query: page(number, size),
  });

/** Describes the request of an agent pool. */
export const showAgentPool = (id: string) =>
  apiRequest('get', '/api/v2/agent-pools/{agent_pool_id}', { path: { agent_pool_id: id } });

/** An agent pool as the user edits it. */
export type AgentPoolInput = Entered<Schemas['AgentPoolBody']>;

/** Describes the creation of an agent pool. */
export const createAgentPool = (organization: string, attributes: AgentPoolInput) =>
  apiRequest('post', '/api/v2/organizations/{organization_name}/agent-pools', {
    path: { organization_name: organization },
    body: { data: { type: 'agent-pools', attributes } },
  });

/** Describes the update of an agent pool. */
export const updateAgentPool = (id: string, attributes: AgentPoolInput) =>
  apiRequest('patch', '/api/v2/agent-pools/{agent_pool_id}', {
    path: { agent_pool_id: id },
    body: { data: { type: 'agent-pools', attributes } },
  });

/** Describes the deletion of an agent pool. */
export const deleteAgentPool = (id: string) =>
  apiRequest('delete', '/api/v2/agent-pools/{agent_pool_id}', { path: { agent_pool_id: id } });

/** Describes the request of one page of the SSH keys. */
export const listSshKeys = (organization: string, number: number, size?: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/ssh-keys', {
    path: { organization_name: organization },
    query: page(number, size),
  });

/** Describes the request of an SSH key. */
export const showSshKey = (id: string) =>
  apiRequest('get', '/api/v2/ssh-keys/{ssh_key_id}', { path: { ssh_key_id: id } });

/** Describes the creation of an SSH key. No response contains the private key. */
export const createSshKey = (organization: string, attributes: Entered<Schemas['SshKeyBody']>) =>
  apiRequest(
    'post',
    '/api/v2/organizations/{organization_name}/ssh-keys',
    {
      path: { organization_name: organization },
      body: { data: { type: 'ssh-keys', attributes } },
    },
    { secrets: ['value'] },
  );

/** Describes the renaming of an SSH key. */
export const renameSshKey = (id: string, name: string) =>
  apiRequest('patch', '/api/v2/ssh-keys/{ssh_key_id}', {
    path: { ssh_key_id: id },
    body: { data: { type: 'ssh-keys', attributes: { name } } },
  });

/** Describes the deletion of an SSH key. */
export const deleteSshKey = (id: string) =>
  apiRequest('delete', '/api/v2/ssh-keys/{ssh_key_id}', { path: { ssh_key_id: id } });

/** Describes the request of one page of the VCS connections. */
export const listVcsConnections = (organization: string, number: number, size?: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/oauth-clients', {
    path: { organization_name: organization },
    query: page(number, size),
  });

/** A VCS connection as the user enters it. Only the API restricts a connection to some projects. */
export type VcsConnectionInput = Entered<Schemas['OauthClientBody'], 'organization-scoped'>;

/** Describes the creation of a VCS connection. No response contains the token. */
export const createVcsConnection = (organization: string, attributes: VcsConnectionInput) =>
  apiRequest(
    'post',
    '/api/v2/organizations/{organization_name}/oauth-clients',
    {
      path: { organization_name: organization },
      body: { data: { type: 'oauth-clients', attributes: { ...attributes, name: attributes.name || null } } },
    },
    { secrets: ['oauth-token-string'] },
  );

/** Describes the renaming of a VCS connection. */
export const renameVcsConnection = (id: string, name: string) =>
  apiRequest('patch', '/api/v2/oauth-clients/{oauth_client_id}', {
    path: { oauth_client_id: id },
    body: { data: { type: 'oauth-clients', attributes: { name } } },
  });

/** Describes the deletion of a VCS connection. */
export const deleteVcsConnection = (id: string) =>
  apiRequest('delete', '/api/v2/oauth-clients/{oauth_client_id}', { path: { oauth_client_id: id } });

/** Describes the request of one page of the reserved tag keys. */
export const listReservedTagKeys = (organization: string, number: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/reserved-tag-keys', {
    path: { organization_name: organization },
    query: page(number),
  });

/** A reserved tag key as the user edits it. */
export type ReservedTagKeyInput = Entered<Schemas['ReservedTagKeyBody']>;

/** Describes the creation of a reserved tag key. */
export const createReservedTagKey = (organization: string, attributes: ReservedTagKeyInput) =>
  apiRequest('post', '/api/v2/organizations/{organization_name}/reserved-tag-keys', {
    path: { organization_name: organization },
    body: { data: { type: 'reserved-tag-keys', attributes } },
  });

/** Describes the update of a reserved tag key. */
export const updateReservedTagKey = (id: string, attributes: ReservedTagKeyInput) =>
  apiRequest('patch', '/api/v2/reserved-tag-keys/{reserved_tag_key_id}', {
    path: { reserved_tag_key_id: id },
    body: { data: { type: 'reserved-tag-keys', attributes } },
  });

/** Describes the deletion of a reserved tag key. */
export const deleteReservedTagKey = (id: string) =>
  apiRequest('delete', '/api/v2/reserved-tag-keys/{reserved_tag_key_id}', { path: { reserved_tag_key_id: id } });
