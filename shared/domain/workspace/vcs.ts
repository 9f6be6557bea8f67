import type { AppInstallation, ServiceProvider, VcsConnection } from '../directory/records.ts';
import { prefixes } from '../ids.ts';
import type { VcsRepo } from './workspace-record.ts';

/** Copy of a VCS connection or app installation that is stored with the repository of a workspace. */
export type Provider = Pick<
  VcsRepo,
  'oauthTokenId' | 'appInstallationId' | 'serviceProvider' | 'httpUrl' | 'clientName'
>;

/** Copies the attributes of a VCS connection. */
export const providerFromConnection = ({ id, serviceProvider, httpUrl, name }: VcsConnection): Provider => ({
  oauthTokenId: id,
  appInstallationId: null,
  serviceProvider,
  httpUrl,
  clientName: name,
});

/** Copies the attributes of an app installation. */
export const providerFromInstallation = ({ id, httpUrl, name }: AppInstallation): Provider => ({
  oauthTokenId: null,
  appInstallationId: id,
  serviceProvider: 'github_app',
  httpUrl,
  clientName: name,
});

/** Display names of providers. They are also the names of connections without a name. */
export const displayNames: Readonly<Record<ServiceProvider, string>> = {
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  gitlab_hosted: 'GitLab',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
  bitbucket_hosted: 'Bitbucket Cloud',
  bitbucket_server: 'Bitbucket Server',
  bitbucket_data_center: 'Bitbucket Data Center',
  ado_server: 'Azure DevOps Server',
  ado_services: 'Azure DevOps Services',
};

/** Returns the id of the OAuth client of a connection. Client and token are one record under two prefixes. */
export const clientIdForConnection = (connection: string): string =>
  prefixes.vcsClient + connection.slice(prefixes.vcsConnection.length);
/** Returns the id of the connection of an OAuth client. */
export const connectionIdForClient = (client: string): string =>
  prefixes.vcsConnection + client.slice(prefixes.vcsClient.length);
