import { type Grants, type TeamPermissions, teamPermissions } from '../../domain/directory/grants.ts';
import type { ExecutionMode, Organization, Project } from '../../domain/directory/records.ts';
import type { Item } from '../dynamodb/keys.ts';
import { tagsOf } from './tag-items.ts';

/**
 * Team permissions lie on the organization as bits: with twenty teams, lists of words would double every read of it.
 * The order of `teamPermissions` is therefore part of the schema; new ones go to its end.
 */
const OWNERS = -1;

/** Encodes the organization permissions of a team as bits; -1 for the owners. */
export const packAccess = (access: TeamPermissions): number =>
  access === 'owners'
    ? OWNERS
    : access.reduce((bits, permission) => bits | (1 << teamPermissions.indexOf(permission)), 0);

const unpackAccess = (bits: number): TeamPermissions =>
  bits === OWNERS ? 'owners' : teamPermissions.filter((_, index) => (bits & (1 << index)) !== 0);

/** Encodes the organization permissions of all teams, by team id. */
export const packAll = (access: Grants<TeamPermissions>): Record<string, number> =>
  Object.fromEntries(Object.entries(access).map(([team, one]) => [team, packAccess(one)]));

/** Converts a stored item to an organization. */
export const organizationOf = (item: Item): Organization => {
  const { acc, ...rest } = withoutKeys(item);
  return {
    ...rest,
    access: Object.fromEntries(
      Object.entries(acc as Record<string, number>).map(([team, bits]) => [team, unpackAccess(bits)]),
    ),
  } as unknown as Organization;
};

/** Converts a stored item to a project. */
export const projectOf = (item: Item): Project => {
  const { acc, org, defaults, tags, ...rest } = withoutKeys(item);
  const { mode, pool, protection } = defaults as ProjectDefaults;
  return {
    ...rest,
    organization: org,
    defaultExecutionMode: mode,
    defaultAgentPool: pool,
    ...(protection !== undefined && { defaultDeletionProtection: protection }),
    access: acc,
    bindings: tagsOf(tags),
  } as unknown as Project;
};

/** Defaults that workspaces inherit from their project, in one attribute, which the list index projects. */
export interface ProjectDefaults {
  readonly mode: ExecutionMode | null;
  readonly pool: string | null;
  /** Deletion protection; absent on projects without their own default. */
  readonly protection?: boolean;
}

/**
 * Returns whether a record is visible to requests. A record with `closing` is being deleted; one with `gone` is a
 * tombstone, or an organization or a project whose deletion has begun.
 */
export const isOpen = (item: Item | undefined): item is Item =>
  item !== undefined && item['closing'] === undefined && item['gone'] === undefined;

/**
 * `token` and `auditToken` are the ids of the organization's tokens: it has one of each kind. `spreadAt` remains on
 * organizations that an earlier release did not finish resharding, and is not used.
 */
const internal = new Set([
  'pk',
  'sk',
  'l',
  'lk',
  'v',
  'ty',
  'closing',
  'gone',
  'd',
  'dk',
  'token',
  'auditToken',
  'tagKeyRevision',
  'untold',
  'snapshotBegunAt',
  'spreadAt',
  'chg',
  'seq',
  'deletion',
]);

/** Builds a record from its item, without the attributes that only the table needs. */
export const withoutKeys = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !internal.has(name)));
