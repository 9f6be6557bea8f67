import { UnknownItemVersion } from '../../domain/errors.ts';
import type { Item } from './item.ts';

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

const FIRST: ItemSchema = { version: 1, migrations: [] };

/** The schema of every item type. */
export const itemSchemas = {
  organization: FIRST,
  workspace: FIRST,
  'workspace-text': FIRST,
  'workspace-name': FIRST,
  'workspace-access-id': FIRST,
  name: FIRST,
  project: FIRST,
  'project-tombstone': FIRST,
  'project-access-id': FIRST,
  team: FIRST,
  user: FIRST,
  username: FIRST,
  email: FIRST,
  membership: FIRST,
  member: FIRST,
  'organization-membership': FIRST,
  'organization-member': FIRST,
  'organization-membership-id': FIRST,
  token: FIRST,
  'token-of': FIRST,
  'token-id': FIRST,
  'token-use': FIRST,
  refusals: FIRST,
  'reserved-tag-key-id': FIRST,
  tombstone: FIRST,
  agentPool: FIRST,
  sshKey: FIRST,
  vcsConnection: FIRST,
  appInstallation: FIRST,
  releases: FIRST,
  variable: FIRST,
  'variable-id': FIRST,
  'variable-set': FIRST,
  'assigned-variable-set': FIRST,
  'owned-variable-set': FIRST,
  'global-variables': FIRST,
  command: FIRST,
  'verification-count': FIRST,
  'request-count': FIRST,
  job: FIRST,
  consumers: FIRST,
  run: FIRST,
  'run-id': FIRST,
  'run-token': FIRST,
  'run-window': FIRST,
  configurationVersion: FIRST,
  'configuration-version-id': FIRST,
  readme: FIRST,
  'state-version': FIRST,
  'state-version-id': FIRST,
  'state-outputs': FIRST,
  'state-remains': FIRST,
  'history-entry': FIRST,
  'history-value': FIRST,
  'history-secret': FIRST,
  'history-text': FIRST,
  'history-consumers': FIRST,
  'audit-pointer': FIRST,
} as const satisfies Readonly<Record<string, ItemSchema>>;

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
 * Converts a stored item to the version that this release writes. An item that has it already is returned as it is; so
 * are the rows of an index, which carry no version: attributes that an index projects keep their form.
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
