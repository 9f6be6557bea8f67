import type { TokenSubject } from '../../domain/directory/tokens.ts';
import { UnknownItemVersion } from '../../domain/errors.ts';
import { type Item, type Key, keys, timeInRunKey, WORKSPACE_TEXT } from './keys.ts';

/**
 * Schema versions of items. Every item carries its type (`ty`) and the version of its form (`v`). A change of a form
 * that the previous release can ignore, such as a further attribute, needs no new version. Any other change takes two
 * releases, because old and new functions run side by side during an upgrade:
 *
 * 1. The first release adds the migration and keeps the version: it reads the new form and writes the old one.
 * 2. The second release increases the version: it writes the new form, which the release before it reads.
 */

/** Conversion between two adjacent versions of an item type. Both functions are pure, and ignore `v`. */
export interface Migration {
  readonly up: (item: Item) => Item;
  readonly down: (item: Item) => Item;
}

/** The versions of one item type. */
export interface ItemSchema {
  /** The version that this release writes. Items of other versions are converted to it when they are read. */
  readonly version: number;
  /** The migrations between version 1 and 2, 2 and 3, and so on. A release reads every version that they connect. */
  readonly migrations: readonly Migration[];
}

/** Builds a key, or the part of it that follows from the attributes of an item. */
type KeyBuilder = (...values: never[]) => Partial<Key>;

/**
 * Builds the row of an item type: how its key follows from its attributes. Writers create items with it, and the consistency
 * check compares the key of every item with it.
 * @param buildKey builds the key, or the part of it that the attributes determine.
 * @param keyAttributes names of the attributes that are the arguments of `buildKey`.
 */
const keyed = <B extends KeyBuilder, const Names extends readonly string[]>(buildKey: B, ...keyAttributes: Names) => ({
  version: 1,
  migrations: [] as readonly Migration[],
  buildKey,
  keyAttributes,
});

/** Returns the time in the sort key of a history item: the stream time, which the item does not repeat. */
const timeIn = (sk: string): number => Number(sk.split('#')[0]) || 0;

/** The schema of every item type. */
export const itemSchemas = {
  organization: keyed(keys.organization, 'name'),
  workspace: keyed(keys.workspace, 'id'),
  'workspace-text': keyed(() => ({ sk: WORKSPACE_TEXT })),
  // The consistency check compares claims and addresses with the items that have them, in both directions.
  'workspace-name': keyed(() => ({ sk: keys.claim('', 'workspace', '').sk })),
  'workspace-access-id': keyed(keys.workspaceAccessId, 'workspace', 'team'),
  name: keyed(() => ({ sk: keys.claim('', 'project', '').sk })),
  project: keyed(keys.project, 'id'),
  'project-tombstone': keyed(keys.project, 'id'),
  'project-access-id': keyed(keys.projectAccessId, 'project', 'team'),
  team: keyed(keys.team, 'id'),
  user: keyed(keys.user, 'id'),
  username: keyed(() => ({ sk: keys.username('').sk })),
  email: keyed((user: string) => ({ sk: keys.email('', user).sk }), 'user'),
  membership: keyed(keys.membership, 'user', 'organization', 'team'),
  member: keyed(keys.member, 'team', 'user'),
  'organization-membership': keyed(keys.organizationMembership, 'user', 'organization'),
  'organization-member': keyed(keys.organizationMember, 'organization', 'user'),
  'organization-membership-id': keyed(keys.pointer, 'id'),
  token: keyed(() => ({ sk: keys.token('').sk })),
  'token-of': keyed(
    (kind: TokenSubject['kind'], subject: string, id: string) => keys.tokenOf({ kind, id: subject }, id),
    'kind',
    'subject',
    'id',
  ),
  'token-id': keyed(keys.pointer, 'id'),
  'token-use': keyed(keys.tokenUse, 'id'),
  'token-day': keyed(keys.tokenDay, 'id', 'day'),
  'linked-identity': keyed(keys.linkedIdentity, 'id'),
  'linked-identity-of': keyed(keys.linkedIdentityOf, 'user', 'id'),
  session: keyed(keys.session, 'id'),
  'session-of': keyed(keys.sessionOf, 'user', 'id'),
  'disabled-provider': keyed(keys.disabledProvider, 'name'),
  'session-at-provider': keyed(keys.sessionAtProvider, 'provider', 'id'),
  // The id that the identity provider gave its session is only in its key.
  'session-of-provider': keyed((id: string) => ({ sk: keys.sessionOfProvider('', '', id).sk }), 'id'),
  // The consistency check compares the group in the key with that of the team or organization.
  group: keyed(
    (organization: string, team: string) => ({ sk: keys.group('', organization, team).sk }),
    'organization',
    'team',
  ),
  refusals: keyed(keys.rejections, 'id', 'minute'),
  'one-time-secret': keyed(keys.oneTimeSecret, 'kind', 'digest'),
  'device-login': keyed(keys.deviceLogin, 'userCode'),
  'device-tries': keyed(keys.deviceTries, 'user'),
  'reserved-tag-key-id': keyed(keys.pointer, 'id'),
  // The tombstone of a record, or of an entry at its owner, has the key of that item.
  tombstone: keyed(() => ({})),
  agentPool: keyed((id: string) => keys.record('agentPool', id), 'id'),
  sshKey: keyed((id: string) => keys.record('sshKey', id), 'id'),
  vcsConnection: keyed((id: string) => keys.record('vcsConnection', id), 'id'),
  appInstallation: keyed((id: string) => keys.record('appInstallation', id), 'id'),
  workloadIdentity: keyed((id: string) => keys.record('workloadIdentity', id), 'id'),
  releases: keyed(keys.releases),
  variable: keyed(
    (workspace: string | undefined, variableSet: string, category: string, key: string) =>
      keys.variable(workspace ?? variableSet, category, key),
    'workspace',
    'variableSet',
    'category',
    'key',
  ),
  'variable-id': keyed(keys.pointer, 'id'),
  'variable-set': keyed(keys.variableSet, 'id'),
  'assigned-variable-set': keyed(
    (workspace: string | undefined, project: string, variableSet: string) =>
      keys.assignedVariableSet(workspace ?? project, variableSet),
    'workspace',
    'project',
    'variableSet',
  ),
  'owned-variable-set': keyed(keys.ownedVariableSet, 'project', 'variableSet'),
  'global-variables': keyed(keys.globalVariables, 'organization'),
  command: keyed(keys.command, 'principal', 'id'),
  verifications: keyed(keys.verifications, 'variable', 'person'),
  // Only the previous release writes these two. They expire within minutes, and can be removed with the next release.
  'verification-count': keyed(
    (digest: string, minute: number) => ({ pk: `VERIFY#${digest}`, sk: String(minute) }),
    'digest',
    'minute',
  ),
  'request-count': keyed(
    (digest: string, window: number) => ({ pk: `LIMIT#${digest}`, sk: String(window) }),
    'digest',
    'window',
  ),
  job: keyed(keys.job, 'id'),
  'bulk-job': keyed(keys.bulkJob, 'id'),
  'bulk-job-slice': keyed(keys.jobSlice, 'job', 'slice'),
  'bulk-job-results': keyed(keys.jobResults, 'job', 'slice'),
  'active-bulk-job': keyed(keys.activeJob, 'organization'),
  // The workspace, the generation and the number of a chunk are only in its key.
  consumers: keyed((sk: string) => {
    const [, generation = '', chunk] = sk.split('#');
    return { sk: keys.consumers('', generation, Number(chunk)).sk };
  }, 'sk'),
  // The time in the key of a run is the creation time that its first report stated.
  run: keyed(
    (workspace: string, sk: string, id: string) => keys.run(workspace, timeInRunKey(sk), id),
    'workspace',
    'sk',
    'id',
  ),
  'run-id': keyed(keys.pointer, 'id'),
  'run-token': keyed(() => ({ sk: keys.token('').sk })),
  'run-window': keyed(() => ({ sk: keys.runWindow('').sk })),
  configurationVersion: keyed(keys.configurationVersion, 'workspace', 'id'),
  'configuration-version-id': keyed(keys.pointer, 'id'),
  readme: keyed(() => ({ sk: keys.readme('').sk })),
  'state-version': keyed(keys.stateVersion, 'workspace', 'createdAt', 'id'),
  'state-version-id': keyed(keys.stateVersionId, 'id'),
  // The workspace, the state version and the number of a chunk are only in its key.
  'state-outputs': keyed(() => ({})),
  'state-remains': keyed(keys.stateDependants, 'workspace', 'createdAt', 'id'),
  'history-entry': keyed(
    (resource: { readonly id: string }, sk: string, sequence: number) =>
      keys.historyEntry(resource.id, timeIn(sk), sequence),
    'resource',
    'sk',
    'sequence',
  ),
  'history-value': keyed(keys.historyValue, 'id', 'version'),
  'history-secret': keyed(keys.historySecret, 'id'),
  'history-text': keyed(keys.historyText, 'workspace', 'revision'),
  'history-consumers': keyed(keys.historyConsumers, 'workspace', 'generation', 'change', 'chunk'),
  'activity-month': keyed(keys.activityMonth, 'organization', 'month'),
  'activity-mark': keyed(keys.activityMark, 'organization', 'day', 'hour'),
  'audit-pointer': keyed(
    (organization: string, sk: string, id: string) => keys.auditPointer(organization, timeIn(sk), id),
    'organization',
    'sk',
    'id',
  ),
} as const satisfies Readonly<Record<string, ItemSchema & { readonly buildKey: KeyBuilder }>>;

export type ItemType = keyof typeof itemSchemas;
export type ItemSchemas = Readonly<Record<string, ItemSchema>>;

/**
 * Builds the attributes that every item has in addition to its keys.
 * @example
 * const item = { ...keys.workspace(id), ...typeAndVersion('workspace'), name };
 */
export const typeAndVersion = (ty: ItemType): { readonly ty: ItemType; readonly v: number } => ({
  ty,
  v: itemSchemas[ty].version,
});

type KeyBuilderOf<T extends ItemType> = (typeof itemSchemas)[T]['buildKey'];
/** Names of the attributes that determine the key of an item type. */
export type KeyAttribute<T extends ItemType> = (typeof itemSchemas)[T]['keyAttributes'][number];

/** Builds the key of an item, or the part of it that its attributes determine. */
export const keyFromAttributes = <T extends ItemType>(ty: T, attributes: Item): ReturnType<KeyBuilderOf<T>> => {
  const { buildKey, keyAttributes } = itemSchemas[ty];
  const values = (keyAttributes as readonly string[]).map((name) => attributes[name]);
  return (buildKey as (...values: unknown[]) => Partial<Key>)(...values) as ReturnType<KeyBuilderOf<T>>;
};

const schemaOf = ({ ty }: Item, schemas: ItemSchemas): ItemSchema | undefined =>
  typeof ty === 'string' && Object.hasOwn(schemas, ty) ? schemas[ty] : undefined;

const isReadable = (version: unknown, { migrations }: ItemSchema): version is number =>
  Number.isInteger(version) && Number(version) >= 1 && Number(version) <= migrations.length + 1;

/** Returns whether this release knows the type of an item and reads its version. */
export const hasKnownVersion = (item: Item, schemas: ItemSchemas = itemSchemas): boolean => {
  const schema = schemaOf(item, schemas);
  return schema !== undefined && isReadable(item['v'], schema);
};

/** Returns whether an item is stored in another version than this release writes. */
export const isOtherVersion = (item: Item, schemas: ItemSchemas): boolean => {
  const schema = schemaOf(item, schemas);
  return schema !== undefined && item['v'] !== undefined && item['v'] !== schema.version;
};

/**
 * Converts a stored item to the version that this release writes. Items of that version are returned unchanged, and so
 * are rows of an index, which have no version, because attributes that an index projects keep their form.
 * @throws UnknownItemVersion for a version that this release does not read (STORE-8).
 */
export const toCurrentVersion = (item: Item, schemas: ItemSchemas = itemSchemas): Item => {
  const { ty, v: stored } = item;
  if (stored === undefined) return item;
  const schema = schemaOf(item, schemas);
  if (schema === undefined || stored === schema.version) return item;
  const { version, migrations } = schema;
  if (!isReadable(stored, schema)) {
    const reads = `this release reads versions 1 to ${migrations.length + 1}`;
    const cause = new Error(`An item of type ${ty} has schema version ${stored}, but ${reads}.`);
    throw new UnknownItemVersion(cause);
  }
  const steps =
    stored < version
      ? migrations.slice(stored - 1, version - 1).map(({ up }) => up)
      : migrations
          .slice(version - 1, stored - 1)
          .toReversed()
          .map(({ down }) => down);
  return { ...steps.reduce((converted, step) => step(converted), item), v: version };
};
