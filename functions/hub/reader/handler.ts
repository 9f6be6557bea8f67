import { DomainError, notFound } from '../../../shared/domain/errors.ts';
import { currentLock, isOutdated, type Member } from '../../../shared/domain/hub/hub-row.ts';
import { createErrorDocument } from '../../../shared/http/error-response.ts';
import { type Clock, timestamp } from '../../../shared/lib/clock.ts';
import { errorOf, findComplaint } from '../../../shared/schemas/error-messages.ts';
import type { HubQueries } from '../../../shared/schemas/hub-queries.ts';
import type { LiveRow, StoredMember, StoredRow } from '../../../shared/store/hub/hub-items.ts';
import type { HubStore } from '../../../shared/store/hub/hub-store.ts';
import { queries as validators } from '../../../shared/validators/compiled/hub.js';
import { listPage, locksPage, type RowFilter } from './pages.ts';

type Store = Pick<HubStore, 'findMembers' | 'findRow' | 'findByName' | 'findLocked'>;

const isLive = (row: StoredRow): row is LiveRow => row.content !== null;

type Matches = (row: LiveRow, now: number) => boolean;

/** Returns whether a value is the expected one; an absent expectation accepts every value. */
const isExpected = <T>(expected: T | undefined, value: T): boolean => expected === undefined || expected === value;

/** Returns whether a workspace has a tag: `key` with any value or none, or `key=value`. */
const hasTag = ({ content: { tags } }: LiveRow, tag: string): boolean =>
  tags.some(({ key, value }) => tag === key || (value !== null && tag === `${key}=${value}`));

const matchesList =
  (expected: HubQueries['list']): Matches =>
  (row, now) => {
    const { organization, project, name, version } = row.content;
    return (
      isExpected(expected.deployment, row.deployment) &&
      isExpected(expected.organization, organization) &&
      isExpected(expected.project, project) &&
      isExpected(expected.version, version) &&
      isExpected(expected.locked, currentLock(row.content, now) !== null) &&
      isExpected(expected.incomplete, row.missing.length > 0) &&
      (expected.name === undefined || name.includes(expected.name)) &&
      (expected.tag === undefined || hasTag(row, expected.tag))
    );
  };

/** Creates the filter of the query `locks`. A holder is found by its id and by its name. */
const matchesLocks =
  (expected: HubQueries['locks']): Matches =>
  (row, now) => {
    const { member, deployment, content } = row;
    const lock = currentLock(content, now);
    return (
      lock !== null &&
      isExpected(expected.account, member.account) &&
      isExpected(expected.region, member.region) &&
      isExpected(expected.deployment, deployment) &&
      isExpected(expected.organization, content.organization) &&
      (expected.holder === undefined || [lock.holder, lock.name].includes(expected.holder))
    );
  };

/** Builds the workspace that a response contains. */
const present = ({ member, id, deployment, sequence, changedAt, missing, content }: LiveRow, now: number): object => {
  const { organization, name, project, version, tags } = content;
  const lock = currentLock(content, now);
  return {
    ...member,
    ...{ deployment, organization, id, name, project, version, tags },
    locked: lock !== null,
    lock: lock && {
      ...lock,
      since: timestamp(lock.since),
      ...(lock.expiresAt !== undefined && { expiresAt: timestamp(lock.expiresAt) }),
    },
    sequence,
    'changed-at': timestamp(changedAt),
    incomplete: missing.length > 0,
  };
};

const isMember =
  ({ account, region }: Member) =>
  (member: Member): boolean =>
    member.account === account && member.region === region;

/** Reads and validates a query. @throws DomainError 400 for an unknown query, 422 for an invalid parameter. */
const readQuery = (event: unknown): { readonly query: keyof HubQueries; readonly parameters: unknown } => {
  const known = Object.keys(validators) as (keyof HubQueries)[];
  const query = known.find((name) => name === Object(event).query);
  if (query === undefined) {
    const detail = `query must be one of: ${known.join(', ')}`;
    throw new DomainError('bad-request', detail, { source: { pointer: '/query' } });
  }
  const complaint = findComplaint(validators[query], event);
  if (complaint !== undefined) throw errorOf(complaint);
  return { query, parameters: event };
};

type Handlers = { readonly [Q in keyof HubQueries]: (parameters: HubQueries[Q]) => Promise<object> };

const createHandlers = (store: Store, clock: Clock): Handlers => {
  /** Wraps a filter so that it accepts workspaces that exist only. */
  const visible =
    (members: readonly StoredMember[], matches: Matches): RowFilter =>
    (row) =>
      isLive(row) && !isOutdated(row, members.find(isMember(row.member))?.snapshots ?? {}) && matches(row, clock());

  const respond = ({ rows, next }: { readonly rows: readonly StoredRow[]; readonly next: string | null }): object => ({
    data: rows.filter(isLive).map((row) => present(row, clock())),
    next,
  });

  return {
    members: async () => ({
      data: (await store.findMembers()).map(({ account, region, snapshots }) => ({
        account,
        region,
        snapshots: Object.fromEntries(Object.entries(snapshots).map(([name, time]) => [name, timestamp(time)])),
      })),
    }),

    list: async (parameters) => {
      const members = await store.findMembers();
      const { account, region } = parameters;
      const selected = members.filter(
        (one) => (account ?? one.account) === one.account && (region ?? one.region) === one.region,
      );
      return respond(await listPage(store, selected, visible(members, matchesList(parameters)), parameters));
    },

    show: async ({ account, region, workspace }) => {
      const member = { account, region };
      const [members, row] = await Promise.all([store.findMembers(), store.findRow(member, workspace)]);
      if (row === undefined || !visible(members, () => true)(row)) {
        throw notFound(`The hub has no workspace ${workspace} of account ${account} in ${region}.`);
      }
      return { data: present(row as LiveRow, clock()) };
    },

    locks: async (parameters) => {
      const members = await store.findMembers();
      return respond(await locksPage(store, visible(members, matchesLocks(parameters)), parameters));
    },
  };
};

/**
 * Creates the handler of queries (HUB-6). It returns `data` and, for lists, `next`; or `errors` in the form of the HTTP API.
 * @throws every error that is not caused by the query, so that Lambda counts the invocation as failed.
 */
export const createHandler = (store: Store, clock: Clock) => {
  const handlers = createHandlers(store, clock);
  return async (event: unknown): Promise<object> => {
    try {
      const { query, parameters } = readQuery(event);
      const handle = handlers[query] as Handlers['list'];
      return await handle(parameters as HubQueries['list']);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return createErrorDocument(error);
    }
  };
};
