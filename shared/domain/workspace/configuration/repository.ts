import { invalid } from '../../errors.ts';
import { CONNECTION_OUT_OF_SCOPE, mayUseConnection } from '../connection-scope.ts';
import { providerFromConnection, providerFromInstallation } from '../vcs.ts';
import type { LongText, VcsRepo } from '../workspace-record.ts';
import { type ConfigurationContext, type ConfigurationRequest, given, type VcsRepoRequest } from './configuration.ts';

/**
 * Checks that a request connects the repository in one way (WS-43).
 * @throws DomainError 422 if it gives two connections, or takes the only one away.
 */
const checkConnection = ({ oauthTokenId, appInstallationId }: VcsRepoRequest): void => {
  if (oauthTokenId && appInstallationId) {
    throw invalid('vcs-repo.app-installation-id', 'App installation id must not be given together with oauth-token-id');
  }
  if (oauthTokenId === null && !appInstallationId) {
    throw invalid('vcs-repo.oauth-token-id', "Oauth token id can't be blank without an app installation");
  }
  if (appInstallationId === null && !oauthTokenId) {
    throw invalid('vcs-repo.app-installation-id', "App installation id can't be blank without an OAuth token");
  }
};

/** Computes the repository. In the request, absent keeps it, null removes it, and an object changes its members. */
export const configureRepository = (
  previous: VcsRepo | null,
  request: VcsRepoRequest | null | undefined,
  { vcsConnection, keptConnection, appInstallation, identity, patterns }: ConfigurationContext,
): VcsRepo | null => {
  if (request === undefined) return previous;
  if (request === null) return null;
  checkConnection(request);
  const { oauthTokenId, appInstallationId } = request;
  if (previous === null && (!oauthTokenId || request.identifier === undefined)) {
    throw invalid('vcs-repo', 'Vcs repo needs at least both oauth-token-id and identifier');
  }
  if (oauthTokenId && vcsConnection === undefined) {
    throw invalid('vcs-repo.oauth-token-id', 'Oauth token id does not exist in this organization');
  }
  if (appInstallationId && appInstallation === undefined) {
    throw invalid('vcs-repo.app-installation-id', 'App installation id is not registered in this organization');
  }
  const provider = vcsConnection
    ? providerFromConnection(vcsConnection)
    : appInstallation
      ? providerFromInstallation(appInstallation)
      : previous;
  if (provider === null) throw new TypeError('A repository without a provider');
  const used = [vcsConnection, keptConnection].find((known) => known?.id === provider.oauthTokenId);
  if (used !== undefined && !mayUseConnection(used, identity.project)) {
    throw invalid('vcs-repo.oauth-token-id', CONNECTION_OUT_OF_SCOPE);
  }
  const tagsRegex = given(request.tagsRegex, previous?.tagsRegex ?? null) || null;
  if (request.tagsRegex && !patterns.checkTagsRegex(request.tagsRegex)) {
    throw invalid('vcs-repo.tags-regex', 'Tags regex is not a valid RE2 regular expression');
  }
  return {
    ...provider,
    branch: given(request.branch, previous?.branch ?? '') ?? '',
    identifier: given(request.identifier, previous?.identifier ?? ''),
    ingressSubmodules: given(request.ingressSubmodules, previous?.ingressSubmodules ?? false),
    tagsRegex,
  };
};

/** Computes the lists of files whose changes start runs (WS-46). A list alone replaces the stored lists of both kinds. */
export const configureTriggers = (
  previous: LongText,
  { triggerPatterns, triggerPrefixes }: ConfigurationRequest,
): Pick<LongText, 'triggerPatterns' | 'triggerPrefixes'> => ({
  triggerPatterns: triggerPatterns ?? (triggerPrefixes ? [] : previous.triggerPatterns),
  triggerPrefixes: triggerPrefixes ?? (triggerPatterns ? [] : previous.triggerPrefixes),
});

/** Checks that runs start either from changed files or from tags, and from either patterns or prefixes. */
export const checkTriggers = (
  text: LongText,
  vcsRepo: VcsRepo | null,
  request: ConfigurationRequest,
  { checkGlob }: ConfigurationContext['patterns'],
): void => {
  const { triggerPatterns, triggerPrefixes } = text;
  if (triggerPatterns.length > 0 && triggerPrefixes.length > 0) {
    throw invalid('trigger-patterns', 'Trigger patterns and trigger prefixes cannot both be set');
  }
  for (const [index, pattern] of (request.triggerPatterns ?? []).entries()) {
    if (!checkGlob(pattern)) throw invalid(`trigger-patterns.${index}`, 'Trigger patterns must be valid glob patterns');
  }
  if (!vcsRepo?.tagsRegex) return;
  if (triggerPatterns.length > 0 || triggerPrefixes.length > 0) {
    throw invalid('vcs-repo.tags-regex', 'Tags regex cannot be set together with trigger patterns or trigger prefixes');
  }
  if (request.fileTriggersEnabled === true) {
    throw invalid('file-triggers-enabled', 'File triggers cannot be enabled together with a tags regex');
  }
};
