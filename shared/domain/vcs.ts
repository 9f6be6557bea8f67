import type { AppInstallation, VcsConnection } from './directory.ts';
import type { VcsRepo } from './workspace.ts';

/** What a workspace keeps of the connection, or the app installation, that its repository is reached through. */
export type Provider = Pick<
  VcsRepo,
  'oauthTokenId' | 'appInstallationId' | 'serviceProvider' | 'httpUrl' | 'clientName'
>;

export const providerOfConnection = ({ id, serviceProvider, httpUrl, name }: VcsConnection): Provider => ({
  oauthTokenId: id,
  appInstallationId: null,
  serviceProvider,
  httpUrl,
  clientName: name,
});

export const providerOfInstallation = ({ id, httpUrl, name }: AppInstallation): Provider => ({
  oauthTokenId: null,
  appInstallationId: id,
  serviceProvider: 'github_app',
  httpUrl,
  clientName: name,
});

export const providerOf = ({
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
