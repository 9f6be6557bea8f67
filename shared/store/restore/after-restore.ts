import { exists } from '../../domain/changes/conditions.ts';
import { DomainError } from '../../domain/errors.ts';
import type { RestoreChoice } from '../../domain/restore-choices.ts';
import { forceUnlock } from '../../domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { skipDestroy } from '../../domain/transitions/workspaces/destroy-runs.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { DirectoryWriter } from '../directory/directory-writer.ts';
import { openSessionWriter } from '../directory/sign-in/session-writer.ts';
import { revokeTokenOfRun } from '../directory/tokens/tokens.ts';
import { openSuspension } from '../directory/users/suspension.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { type Item, isDuePartition, type Key, keys, prefixes } from '../dynamodb/keys.ts';
import { persistWrite, type Table } from '../dynamodb/retry-writes.ts';
import { isOpen } from '../items/directory-items.ts';
import { keyOf, update } from '../items/item-write.ts';
import { tokenSubjectKey, tokenSubjectOf } from '../items/record-items.ts';
import { stateVersionOf } from '../items/state-version-items.ts';
import { type WalkOptions, walkTable } from '../jobs/walk-table.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';

export interface RestoreChoices {
  readonly tokens: RestoreChoice;
  readonly memberships: Exclude<RestoreChoice, 'end'>;
  readonly locks: RestoreChoice;
  readonly destroyRuns: RestoreChoice;
  /** Reports what would be done, and changes nothing. */
  readonly dryRun: boolean;
}

/** An object version with the content of a state version. */
export interface StateObject {
  readonly id: string;
  readonly createdAt: number;
  readonly key: string;
  readonly version: string;
}

/** Number of records of a kind, and the first of them. */
interface Found {
  readonly count: number;
  readonly first: readonly object[];
}

const kinds = [
  'endedTokens',
  'endedSessions',
  'suspendedUsers',
  'endedMemberships',
  'keptOwners',
  'releasedLocks',
  'skippedDestroyRuns',
  'statesWithoutVersion',
  'versionsWithoutState',
] as const;
type Kind = (typeof kinds)[number];

interface Report extends Readonly<Record<Kind, Found>> {
  readonly items: number;
  readonly raisedSequences: number;
  readonly removedSnapshots: number;
}

export interface RestoreDependencies extends Table {
  readonly directory: Pick<DirectoryWriter, 'tokens' | 'members' | 'table' | 'users'>;
  readonly workspaces: Pick<Workspaces, 'find' | 'apply'>;
  readonly request: () => RequestContext;
  /** The table that the restored one replaces; absent if it does not exist any more. */
  readonly replaced?: Pick<Database, 'getStored'> | undefined;
  /** Lists the object versions with the state of a workspace. */
  readonly listStates: (workspace: string) => Promise<readonly StateObject[]>;
  /** Deletes the snapshot of the list index of an organization. */
  readonly removeSnapshot: (organization: string) => Promise<void>;
}

const BEGINNING_OF_DISTANCES = Date.UTC(2026, 0, 1);

/**
 * Returns by how much sequence numbers and fencing tokens are raised: the milliseconds since 2026. No resource changes once a
 * millisecond, so a number exceeds every number used after the point in time of the restore, including numbers after an
 * earlier restore of the same table.
 * @param now time of the restore, in milliseconds since the epoch.
 */
export const sequenceDistance = (now: number): number => now - BEGINNING_OF_DISTANCES;

/** At most this many records of a kind are listed. */
const MOST = 100;
const CONCURRENCY = 16;

const byKind = <T>(value: (kind: Kind) => T): Record<Kind, T> =>
  Object.fromEntries(kinds.map((kind) => [kind, value(kind)])) as Record<Kind, T>;

const merge = (one: Report, other: Report): Report => ({
  items: one.items + other.items,
  raisedSequences: one.raisedSequences + other.raisedSequences,
  removedSnapshots: one.removedSnapshots + other.removedSnapshots,
  ...byKind((kind) => ({
    count: one[kind].count + other[kind].count,
    first: [...one[kind].first, ...other[kind].first].slice(0, MOST),
  })),
});

const empty: Report = { items: 0, raisedSequences: 0, removedSnapshots: 0, ...byKind(() => ({ count: 0, first: [] })) };

const textOf = (value: unknown): string => String(value);
const workspaceOf = (item: Item): object => ({ workspace: item['id'], name: item['name'], organization: item['org'] });
/** Returns when the destroy run of a workspace is due, in milliseconds since the epoch. */
const dueTimeOf = (item: Item | undefined): number | undefined =>
  item !== undefined && isDuePartition(item['d']) ? Number(item['dk']) : undefined;
const lockIdOf = (item: Item | undefined): unknown => (item?.['lock'] as Item | undefined)?.['id'];

/** Returns the keys of the records that must exist in the replaced table for the absence of an item to mean that it ended. */
const ownersOf = (item: Item): readonly Key[] => {
  if (item['ty'] === 'token') return [tokenSubjectKey(tokenSubjectOf(item)) ?? []].flat();
  if (item['ty'] === 'run-token') return [keys.workspace(textOf(item['workspace']))];
  if (item['ty'] === 'session') return [keys.user(textOf(item['user']))];
  const { user, organization, team } = item;
  return [
    keys.user(textOf(user)),
    keys.organization(textOf(organization)),
    ...(team === undefined ? [] : [keys.team(textOf(team))]),
  ];
};

/** Opens the changes of what a restored table brings back. */
const openEnds = ({ database, clock, directory, workspaces, request }: RestoreDependencies) => {
  const raise = async (item: Item): Promise<void> => {
    const distance = sequenceDistance(clock());
    const add = { seq: distance, ...(item['fence'] !== undefined && { fence: distance }) };
    // The condition fails if the item has expired.
    await conditionHolds(persistWrite('item', { database, clock }, update(keyOf(item), { add }, exists('seq'))));
  };

  const releaseLock = async (id: string): Promise<void> => {
    const image = await workspaces.find(id);
    const context = request();
    if (image?.lock) await workspaces.apply(image, forceUnlock(context, 'The table was restored.'), context);
  };

  const skipDestroyRun = async (id: string): Promise<void> => {
    const image = await workspaces.find(id);
    if (image) await workspaces.apply(image, skipDestroy(clock()), request());
  };

  const endMembership = async ({ user, organization, team }: Item): Promise<boolean> => {
    try {
      if (team === undefined) await directory.members.leave(request(), textOf(organization), textOf(user));
      else {
        const { username } = (await database.get(keys.user(textOf(user)), true)) ?? {};
        await directory.members.remove(request(), textOf(organization), textOf(team), textOf(username));
      }
      return true;
    } catch (error) {
      // The only owner of an organization stays.
      if (error instanceof DomainError && error.code === 'conflict') return false;
      throw error;
    }
  };

  const { end: endSession } = openSessionWriter(directory.table, directory.users);
  const { set: setSuspended } = openSuspension(directory.table, directory.users);
  const suspend = (user: string) => setSuspended(request(), user, true);

  return { raise, releaseLock, skipDestroyRun, endMembership, endSession, suspend };
};

/** Opens the comparison of the state versions of a workspace with their objects. */
const openStateComparison =
  ({ database, listStates }: RestoreDependencies) =>
  async (workspace: string) => {
    const { pk: partition } = keys.workspace(workspace);
    const [items, objects] = await Promise.all([
      database.query({ partition, beginsWith: prefixes.stateVersions, consistent: true }),
      listStates(workspace),
    ]);
    const versions = items.map(stateVersionOf);
    const newest = Math.max(0, ...versions.map(({ createdAt }) => createdAt));
    const stored = new Set(objects.map(({ version }) => version));
    return {
      // Older objects without a version belong to deleted versions and wait for the cleanup.
      statesWithoutVersion: objects
        .filter(({ createdAt }) => createdAt > newest)
        .map((object) => ({ workspace, ...object })),
      versionsWithoutState: versions
        .filter(({ content, backingData }) => content && backingData === undefined && !stored.has(content.object))
        .map(({ id, serial }) => ({ workspace, id, serial })),
    };
  };

/** Reads the items of the replaced table that a page is compared with. */
const readReplaced = async (
  replaced: RestoreDependencies['replaced'],
  items: readonly Item[],
): Promise<(key: Key) => Item | undefined> => {
  const needed = new Map(
    items
      .flatMap((item) => [keyOf(item), ...(item['ty'] === 'workspace' ? [] : ownersOf(item))])
      .map((key) => [`${key.pk} ${key.sk}`, key]),
  );
  const found = new Map(
    (await replaced?.getStored([...needed.values()]))?.map((item) => [`${item['pk']} ${item['sk']}`, item]),
  );
  return ({ pk, sk }) => found.get(`${pk} ${sk}`);
};

/**
 * Opens the job that deals with what a restored table brings back (STORE-33). The job may be repeated. No other change may
 * happen meanwhile.
 */
export const openAfterRestore = (dependencies: RestoreDependencies) => {
  const { database, clock, directory, request, replaced, removeSnapshot } = dependencies;
  const { raise, releaseLock, skipDestroyRun, endMembership, endSession, suspend } = openEnds(dependencies);
  const compareStates = openStateComparison(dependencies);

  return async (choices: RestoreChoices, options: WalkOptions) => {
    const { tokens, memberships, locks, destroyRuns, dryRun } = choices;
    const change = async (work: () => Promise<unknown>): Promise<void> => {
      if (!dryRun) await work();
    };
    const visit = async (items: readonly Item[]): Promise<Report> => {
      const found = byKind((): object[] => []);
      const rights = items.filter(({ ty }) =>
        ['token', 'run-token', 'membership', 'organization-membership'].includes(textOf(ty)),
      );
      const sessions = items.filter(({ ty }) => ty === 'session');
      const users = items.filter((item) => item['ty'] === 'user' && isOpen(item) && item['suspendedAt'] === undefined);
      const living = items.filter((item) => item['ty'] === 'workspace' && isOpen(item));
      const locked = living.filter((item) => lockIdOf(item) !== undefined);
      const due = living.filter((item) => (dueTimeOf(item) ?? Number.POSITIVE_INFINITY) <= clock());
      const isCompared = [tokens, memberships, locks, destroyRuns].includes('compare');
      const before = await readReplaced(
        replaced,
        isCompared ? [...rights, ...sessions, ...users, ...locked, ...due] : [],
      );
      // A record that was deleted since is restored with its rights: without its owner, a right has not been ended by itself.
      const hasEnded = (item: Item): boolean =>
        !isOpen(before(keyOf(item))) && ownersOf(item).every((owner) => isOpen(before(owner)));

      const counted = items.filter(({ seq }) => seq !== undefined);
      await mapWithConcurrency(counted, CONCURRENCY, (item) => change(() => raise(item)));
      for (const item of rights) {
        const { ty, id, pk, kind, subject, user, organization, team } = item;
        const isToken = ty === 'token' || ty === 'run-token';
        const choice = isToken ? tokens : memberships;
        if (choice === 'keep' || (choice === 'compare' && !hasEnded(item))) continue;
        if (isToken) {
          found.endedTokens.push({ ...(id !== undefined && { id }), kind: kind ?? 'run', subject });
          await change(() =>
            ty === 'token'
              ? directory.tokens.revoke(request(), textOf(id))
              : revokeTokenOfRun({ database, clock }, request(), textOf(pk).slice('TOK#'.length)),
          );
        } else {
          const isEnded = dryRun || (await endMembership(item));
          found[isEnded ? 'endedMemberships' : 'keptOwners'].push({
            organization,
            user,
            ...(team !== undefined && { team }),
          });
        }
      }
      // After the tokens: the end of a session also removes its tokens, which cannot be revoked then.
      for (const item of sessions) {
        if (tokens === 'keep' || (tokens === 'compare' && !hasEnded(item))) continue;
        found.endedSessions.push({ id: item['id'], user: item['user'] });
        await change(() => endSession(request(), textOf(item['id'])));
      }
      for (const item of users) {
        if (tokens !== 'compare' || before(keyOf(item))?.['suspendedAt'] === undefined) continue;
        found.suspendedUsers.push({ id: item['id'], username: item['username'] });
        await change(() => suspend(textOf(item['id'])));
      }
      for (const item of locked) {
        const isHeld = locks === 'compare' && lockIdOf(before(keyOf(item))) === lockIdOf(item);
        if (locks === 'keep' || isHeld) continue;
        found.releasedLocks.push(workspaceOf(item));
        await change(() => releaseLock(textOf(item['id'])));
      }
      for (const item of due) {
        const isStillDue = destroyRuns === 'compare' && dueTimeOf(before(keyOf(item))) === dueTimeOf(item);
        if (destroyRuns === 'keep' || isStillDue) continue;
        found.skippedDestroyRuns.push(workspaceOf(item));
        await change(() => skipDestroyRun(textOf(item['id'])));
      }
      const organizations = items.filter(({ ty }) => ty === 'organization');
      await mapWithConcurrency(organizations, CONCURRENCY, ({ name }) => change(() => removeSnapshot(textOf(name))));
      await mapWithConcurrency(living, CONCURRENCY, async ({ id }) => {
        const { statesWithoutVersion, versionsWithoutState } = await compareStates(textOf(id));
        found.statesWithoutVersion.push(...statesWithoutVersion);
        found.versionsWithoutState.push(...versionsWithoutState);
      });
      return {
        items: items.length,
        raisedSequences: counted.length,
        removedSnapshots: organizations.length,
        ...byKind((kind) => ({ count: found[kind].length, first: found[kind].slice(0, MOST) })),
      };
    };

    const { report, left } = await walkTable<Report>(
      { database, clock },
      { name: 'after-restore', parameters: JSON.stringify(choices), empty, visit: ({ items }) => visit(items), merge },
      options,
    );
    return { ...report, left };
  };
};
