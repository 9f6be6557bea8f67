import { invalid } from '../../domain/errors.ts';
import { parseTimestamp } from '../../domain/timestamps.ts';
import type { ConfigurationRequest, VcsRepoRequest } from '../../domain/workspace/configuration/configuration.ts';
import { mapRequest, type RequestMappings, readSettings } from '../attribute-table.ts';
import { readImportedFrom } from '../imported-from.ts';
import { attributes as table, type WorkspaceAttributes } from './attributes.ts';

/** Removes absent members: omitting an attribute and setting it are different requests. */
const defined = <T extends object>(request: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as never;

const autoDestroyTime = (text: string | null): number | null => {
  if (text === null) return null;
  const time = parseTimestamp(text);
  if (time === undefined)
    throw invalid('auto-destroy-at', 'Auto destroy at is not a date that exists, or too far away');
  return time;
};

/** Some clients send `""` for a reference to nothing. */
const orNull = (text: string | null | undefined): string | null | undefined => (text === '' ? null : text);

/** Maps the repository. pytfe sends an object without members in every creation, which stands for no change (WS-42). */
const repository = (repo: NonNullable<WorkspaceAttributes['vcs-repo']>): VcsRepoRequest | undefined => {
  const members = defined({
    branch: repo.branch,
    identifier: repo.identifier,
    ingressSubmodules: repo['ingress-submodules'],
    oauthTokenId: orNull(repo['oauth-token-id']),
    appInstallationId: orNull(repo['app-installation-id']),
    tagsRegex: repo['tags-regex'],
  }) as VcsRepoRequest;
  return Object.keys(members).length === 0 ? undefined : members;
};

const mappings: RequestMappings<typeof table, ConfigurationRequest> = {
  'agent-pool-id': (id) => ({ agentPool: id === '' ? null : id }),
  'assessments-enabled': (enabled) => (enabled === null ? {} : { assessmentsEnabled: enabled }),
  'auto-destroy-at': (text) => ({ autoDestroyAt: autoDestroyTime(text) }),
  'imported-from': (from) => ({ importedFrom: from && readImportedFrom(from) }),
  'setting-overwrites': (overwrites) =>
    overwrites === null
      ? {}
      : {
          overwrites: defined({
            executionMode: overwrites['execution-mode'],
            agentPool: overwrites['agent-pool'],
            deletionProtection: overwrites['deletion-protection'],
          }),
        },
  'trigger-patterns': (list) => ({ triggerPatterns: list ?? [] }),
  'trigger-prefixes': (list) => ({ triggerPrefixes: list ?? [] }),
  'vcs-repo': (repo) => defined({ vcsRepo: repo && repository(repo) }),
};

/**
 * Maps the attributes of a request to the domain. An omitted attribute is absent from the result.
 * @throws DomainError `invalid-attribute`.
 */
export const configurationRequest = (attributes: WorkspaceAttributes): ConfigurationRequest => {
  const settings = readSettings(table, attributes);
  return { ...mapRequest(table, attributes, mappings), ...(Object.keys(settings).length > 0 && { settings }) };
};
