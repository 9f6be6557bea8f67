import { isDeepStrictEqual } from 'node:util';
import type { Manifest, RecordOf, RecordType } from '../../../shared/bundle/types.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import { showRetentionPolicy } from '../../../shared/client/retention.ts';
import { downloadState, listStateVersions, type StateVersion } from '../../../shared/client/state-versions.ts';
import { listTeamAccess, type TeamWorkspace } from '../../../shared/client/team-access.ts';
import type { DocumentOf, Schemas, Variable, Workspace } from '../../../shared/client/types.ts';
import { listOwnVariables } from '../../../shared/client/variables.ts';
import { showWorkspaceById } from '../../../shared/client/workspaces.ts';
import type { BundleWriter, StoredState } from '../bundle/writer.ts';
import { everyOf } from '../every-of.ts';
import { Failure } from '../failure.ts';
import type { ListRequest, Reader } from './reader.ts';

type Body = NonNullable<Schemas['WorkspaceUpdateBody']['data']['attributes']>;

/** Settings of a workspace that the bundle has as they are. Those that are inherited or name something else are below. */
export const settings = everyOf<
  Exclude<
    keyof Body,
    | 'name'
    | 'execution-mode'
    | 'operations'
    | 'agent-pool-id'
    | 'setting-overwrites'
    | 'deletion-protection'
    | 'auto-destroy-activity-duration'
    | 'terraform-version'
    | 'vcs-repo'
  >
>()(
  'description',
  'allow-destroy-plan',
  'auto-apply',
  'auto-apply-run-trigger',
  'auto-destroy-at',
  'inherits-project-auto-destroy',
  'file-triggers-enabled',
  'global-remote-state',
  'project-remote-state',
  'queue-all-runs',
  'speculative-enabled',
  'structured-run-output-enabled',
  'source-name',
  'source-url',
  'infra-version',
  'trigger-prefixes',
  'trigger-patterns',
  'working-directory',
);

/** Returns some members of an object. */
export const pick = <T extends object, N extends keyof T>(value: T, names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, N>;

/** Returns the id of a relationship: null if it is empty, and undefined if the service does not say it. */
export const idOf = ({
  data,
}: {
  readonly data?: { readonly id: string } | null | undefined;
}): string | null | undefined => (data === undefined ? undefined : (data?.id ?? null));

type Policy = DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy'>['data'];

/** Converts a data retention policy. */
export const toRetention = ({ attributes }: Policy) => ({
  'delete-older-than-n-days':
    'delete-older-than-n-days' in attributes ? (attributes['delete-older-than-n-days'] ?? null) : null,
});

/** Converts a variable, without its owner. A value that nobody can read is `needs`. */
export const toVariable = ({ id, attributes }: Variable) => {
  const { sensitive, ...rest } = attributes;
  const isUnknown = sensitive && !rest['value-reference'];
  return {
    ...pick(rest, ['key', 'hcl', 'description', 'value-reference']),
    // Another vocabulary has another word for it (HTTP-34).
    category: rest.category === 'env' ? ('env' as const) : ('infra' as const),
    sensitive,
    value: sensitive ? null : rest.value,
    ...(isUnknown && { needs: 'value' as const }),
    origin: { id, ...pick(rest, ['created-at', 'version-id']) },
  };
};

/** Something that is missing. */
export type Withheld = RecordOf<'withheld'>;

/** A state version whose content is read separately. */
export interface FoundVersion {
  readonly id: string;
  readonly hasContent: boolean;
  readonly md5: string;
  readonly record: Omit<RecordOf<'state-versions'>, 'sha256' | 'position'>;
}

/** A workspace with everything that belongs to it, as it was at one time. Other records are named by their ids. */
export interface FoundWorkspace {
  readonly id: string;
  readonly record: Omit<RecordOf<'workspaces'>, 'project'>;
  readonly project: string | null | undefined;
  readonly agentPool: string | null | undefined;
  readonly sshKey: string | null | undefined;
  readonly oauthToken: string | null | undefined;
  readonly variables: readonly RecordOf<'variables'>[];
  readonly consumers: readonly string[];
  readonly access: readonly { readonly team: string; readonly record: Omit<RecordOf<'workspace-access'>, 'team'> }[];
  readonly withheld: readonly Withheld[];
}

/** A workspace with its state versions, the oldest first. */
export interface WithVersions<V> extends FoundWorkspace {
  readonly versions: readonly V[];
}

/** A workspace as one reading found it. */
export interface Snapshot extends WithVersions<FoundVersion> {
  readonly etag: string | undefined;
  /** Rights of the caller on the workspace. */
  readonly permissions: Workspace['attributes']['permissions'];
  /** State versions that never became a state, or not yet, with their status. */
  readonly unfinished: readonly { readonly id: string; readonly status: string }[];
}

/** Returns where something was imported from, unless it was created in the service. */
const formerSource = ({ 'imported-from': source }: (Workspace | StateVersion)['attributes']) =>
  source && { 'imported-from': source };

const toRecord = (
  workspace: Workspace,
  bindings: readonly Schemas['TagBinding'][],
  retention: RecordOf<'workspaces'>['data-retention-policy'] | undefined,
) => {
  const { attributes, id } = workspace;
  const own = attributes['setting-overwrites'];
  const repository = attributes['vcs-repo'];
  return {
    ...pick(attributes, ['name', ...settings, 'tag-names']),
    'execution-mode': own['execution-mode'] ? attributes['execution-mode'] : null,
    'deletion-protection': own['deletion-protection'] ? attributes['deletion-protection'] : null,
    'auto-destroy-activity-duration': attributes['inherits-project-auto-destroy']
      ? null
      : attributes['auto-destroy-activity-duration'],
    'vcs-repo': repository && {
      ...pick(repository, ['identifier', 'branch', 'ingress-submodules', 'tags-regex']),
      ...(repository['app-installation-id'] !== undefined && {
        'app-installation-id': repository['app-installation-id'],
      }),
    },
    'tag-bindings': toTagBindings(bindings),
    'data-retention-policy': retention ?? null,
    origin: { id, ...pick(attributes, ['created-at', 'updated-at']), ...formerSource(attributes) },
  };
};

/** Converts tag bindings. Those without a value are flat tags. */
export const toTagBindings = (bindings: readonly Schemas['TagBinding'][]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    bindings.flatMap(({ attributes: { key, value } }) => (value === '' ? [] : [[key, value] as const])),
  );

const toAccess = (workspace: string, { id, attributes, relationships }: TeamWorkspace) => {
  const { access, ...parts } = attributes;
  return {
    team: relationships.team.data.id,
    record: { workspace, access, ...(access === 'custom' && { parts }), origin: { id } },
  };
};

const toVersion = (workspace: Workspace, { id, attributes, relationships }: StateVersion): FoundVersion => ({
  id,
  hasContent: attributes.status === 'finalized',
  md5: attributes.md5,
  record: {
    ...pick(attributes, ['serial', 'lineage', 'intermediate', 'md5', 'size']),
    workspace: workspace.attributes.name,
    'is-current': workspace.relationships['current-state-version'].data?.id === id,
    origin: {
      id,
      'created-at': attributes['created-at'],
      'created-by': relationships['created-by'].data,
      ...pick(attributes, ['vcs-commit-sha', 'vcs-commit-url']),
      ...formerSource(attributes),
    },
  },
});

/** Statuses of versions that never became a state, or not yet. */
const unfinished: readonly string[] = ['pending', 'discarded'];

/** Reads a workspace and all of its lists. @returns undefined if it was deleted. */
export const readWorkspace = async (
  { readOptional, listOptional }: Reader,
  organization: string,
  id: string,
  states: Manifest['states'],
): Promise<Snapshot | undefined> => {
  const reply = await readOptional(showWorkspaceById(id));
  if (reply === undefined) return undefined;
  const workspace = reply.document.data;
  const { attributes, relationships } = workspace;
  const { name, permissions } = attributes;
  const withheld: Withheld[] = [];
  /** Reads a part, and notes one that the caller may not read. */
  const readPart = async <T>(type: RecordType, request: ListRequest<T>, isPermitted = true): Promise<readonly T[]> => {
    const items = isPermitted ? await listOptional(request) : undefined;
    if (items !== undefined) return items;
    withheld.push({ type, name, reason: 'not-permitted', detail: `The caller may not read ${type} of ${name}.` });
    return [];
  };
  const path = { workspace_id: id };
  const pageOf = (number: number) => ({ 'page[number]': number, 'page[size]': 100 });
  const retention = 'data-retention-policy' in relationships ? relationships['data-retention-policy']?.data : undefined;
  const [bindings, policy, variables, consumers, access, versions] = await Promise.all([
    readPart('workspaces', (page) =>
      apiRequest('get', '/api/v2/workspaces/{workspace_id}/tag-bindings', { path, query: pageOf(page) }),
    ),
    retention ? readOptional(showRetentionPolicy(id)) : undefined,
    readPart<Variable>(
      'variables',
      (page) => listOwnVariables({ type: 'workspaces', id }, page),
      permissions['can-read-variable'],
    ),
    readPart('remote-state-consumers', (page) =>
      apiRequest('get', '/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers', {
        path,
        query: { ...pageOf(page), show_only_configured: true },
      }),
    ),
    readPart('workspace-access', (page) => listTeamAccess(id, page)),
    states === 'none'
      ? []
      : readPart(
          'state-versions',
          (page) => listStateVersions(organization, name, page, 100),
          permissions['can-read-state-versions'],
        ),
  ]);
  const isUnfinished = ({ attributes: { status } }: StateVersion): boolean => unfinished.includes(status);
  const found = versions
    .filter((version) => !isUnfinished(version))
    .map((version) => toVersion(workspace, version))
    .reverse();
  return {
    id,
    etag: reply.etag,
    permissions,
    record: toRecord(workspace, bindings, policy && toRetention(policy.document.data)),
    project: idOf(relationships.project),
    agentPool: attributes['setting-overwrites']['agent-pool'] ? attributes['agent-pool-id'] : null,
    sshKey: idOf(relationships['ssh-key']),
    oauthToken: attributes['vcs-repo']?.['oauth-token-id'] ?? null,
    variables: variables.map((variable) => ({ workspace: name, ...toVariable(variable) })),
    consumers: consumers.map((consumer) => consumer.id).sort(),
    access: access.map((item) => toAccess(name, item)),
    withheld: withheld.sort((a, b) => (a.type < b.type ? -1 : 1)),
    versions: states === 'current' ? found.filter(({ record }) => record['is-current']) : found,
    unfinished: versions
      .filter(isUnfinished)
      .map(({ id: version, attributes: { status } }) => ({ id: version, status })),
  };
};

/** Readings of a workspace until two in a row agree. */
const READINGS = 6;

/**
 * Exports a workspace as it was at one time: it is read until two readings in a row agree (BUNDLE-8). The states are downloaded in
 * between.
 * @returns undefined if it was deleted.
 */
export const exportWorkspace = async (
  reader: Reader,
  { addState }: Pick<BundleWriter, 'addState'>,
  organization: string,
  id: string,
  states: Manifest['states'],
): Promise<WithVersions<RecordOf<'state-versions'>> | undefined> => {
  const stored = new Map<string, StoredState>();

  /** @returns whether all versions were still there. */
  const storeStates = async ({ versions }: Snapshot): Promise<boolean> => {
    for (const { id: version, hasContent, md5 } of versions) {
      if (!hasContent || stored.has(version)) continue;
      const state = await reader.download(downloadState(version), addState);
      if (state === undefined) return false;
      if (state.md5 !== md5) {
        throw new Failure('failed', `The content of ${version} has the MD5 ${state.md5}, and the service says ${md5}.`);
      }
      stored.set(version, state);
    }
    return true;
  };
  const toExported = ({ versions, etag: _, permissions: __, unfinished: ___, ...found }: Snapshot) => ({
    ...found,
    versions: versions.map(({ id: version, record }, index) => ({
      ...record,
      position: index + 1,
      sha256: stored.get(version)?.sha256 ?? null,
    })),
  });
  let former: Snapshot | undefined;
  let isStored = false;
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const found = await readWorkspace(reader, organization, id, states);
    if (found === undefined) return undefined;
    if (isStored && isDeepStrictEqual(found, former)) return toExported(found);
    former = found;
    isStored = await storeStates(found);
  }
  if (former === undefined)
    throw new Failure('conflict', `The workspace ${id} has changed during each of its readings.`);
  const { name } = former.record;
  const detail = `${name} has changed with each of ${READINGS} readings. What the bundle has of it may be of several times.`;
  return toExported({
    ...former,
    withheld: [...former.withheld, { type: 'workspaces', name, reason: 'changing', detail }],
  });
};
