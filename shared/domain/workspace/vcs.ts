import type { AppInstallation, ServiceProvider, VcsConnection } from '../directory/records.ts';
import { prefixes } from '../ids.ts';
import type { VcsRepo } from './workspace-record.ts';

/** What a workspace keeps of the connection, or the app installation, that its repository is reached through. */
export type Provider = Pick<
  VcsRepo,
  'oauthTokenId' | 'appInstallationId' | 'serviceProvider' | 'httpUrl' | 'clientName'
>;

export const providerFromConnection = ({ id, serviceProvider, httpUrl, name }: VcsConnection): Provider => ({
  oauthTokenId: id,
  appInstallationId: null,
  serviceProvider,
  httpUrl,
  clientName: name,
});

export const providerFromInstallation = ({ id, httpUrl, name }: AppInstallation): Provider => ({
  oauthTokenId: null,
  appInstallationId: id,
  serviceProvider: 'github_app',
  httpUrl,
  clientName: name,
});

export const providerFromRepository = ({
  oauthTokenId,
  appInstallationId,
  serviceProvider,
  httpUrl,
  clientName,
}: VcsRepo): Provider => ({
  oauthTokenId,
  appInstallationId,
  serviceProvider,
  httpUrl,
  clientName,
});

/** What providers are called, and connections that nobody named. */
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

/** A connection's client and token are one record under two ids: with one body, so that either leads to the other. */
export const clientIdForConnection = (connection: string): string =>
  prefixes.vcsClient + connection.slice(prefixes.vcsConnection.length);
export const connectionIdForClient = (client: string): string =>
  prefixes.vcsConnection + client.slice(prefixes.vcsClient.length);
