import { all, type Condition, equals, exists } from '../../domain/changes/conditions.ts';
import { revokeAccess, unassignSshKey as unassign } from '../../domain/directory/directory-transitions.ts';
import { type NamedKind, OWNERS_TEAM, type Team, type User } from '../../domain/directory/records.ts';
import type { TokenSubject } from '../../domain/directory/tokens.ts';
import { conflict, DomainError } from '../../domain/errors.ts';
import { TOMBSTONE_SECONDS } from '../../domain/transitions/delete-workspace.ts';
import type { RequestContext, Transition } from '../../domain/transitions/transition.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { wait } from '../../lib/clock.ts';
import type { Item } from '../dynamodb/item.ts';
import { cleanupPartition, type Key, keys, prefixes, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { findWorkspaces } from '../workspaces/find-workspaces.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';
import { commit, done, SETTLING, unguarded } from './commit.ts';
import { isOpen, projectOf } from './directory-items.ts';
import { lastOwner } from './memberships.ts';
import type { Administration } from './organizations.ts';
import { projectAccessIdKey, revokeProjectAccess } from './project-access.ts';
import {
  accessChange,
  type Guarded,
  giveUpName,
  membershipRemovals,
  namedKinds,
  OPEN,
  put,
  recordKey,
  recordOf,
  remove,
  tokenRemovals,
  update,
} from './record-items.ts';
import { labels, noOrganization } from './records.ts';
import { noUser, userOf } from './users.ts';

/**
 * Deletions. What workspaces refer to (a project, a pool, a connection, a key, a team, the organization itself) is not
 * checked by their writes, as one item checked by all of them would make them wait for each other. Instead it is marked
 * `closing`, which every reader takes for gone; once no request that saw it open can still write, one looks again
 * whether it is in use, and either opens it again or deletes what hangs on it and at last itself. The mark also stands
 * in the due index: whoever began may finish, and whatever was left unfinished is finished by the cleanup.
 */

/** How something is taken out of service. */
interface Retirement {
  /** Throws a conflict while it is in use, or makes that it no longer is. */
  readonly look: () => Promise<void>;
  /** Deletes what hangs on it, and it itself. */
  readonly remove: () => Promise<void>;
  /** Writes that close it together with its mark. */
  readonly beside?: readonly Guarded[];
  /** Nothing refers to it that a request under way could still write. */
  readonly settled?: true;
}

const isProject = ({ ty }: Item): boolean => ty === 'project';

/** Projects stand in lists by the time of their last change: who keeps lists in memory learns of it that one is gone. */
const listed = (item: Item, now: number): { readonly set: Item; readonly asSeen: Condition } =>
  isProject(item)
    ? {
        set: { lk: sortableTime(Math.max(now, Number(item['lk']) + 1)) },
        asSeen: equals('lk', String(item['lk'])),
      }
    : { set: {}, asSeen: all() };

/** What is left of a project, for longer than a list in memory lives. */
const writeTombstone = (item: Item, now: number, asSeen: Condition): Write => {
  const { id, org, l } = item;
  const { set } = listed(item, now);
  const tombstone = { id, org, l, ...set, gone: now, ttl: Math.ceil(now / 1000) + TOMBSTONE_SECONDS };
  return put(keys.project(String(id)), 'project-tombstone', tombstone, asSeen);
};

/** DynamoDB's limit on the writes of one transaction. */
const MOST_WRITES = 100;

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * @param request in whose name workspaces are changed; each is a request of its own.
 * @param removeSnapshot takes away the snapshot of an organization's list index; only who finishes deletions needs it.
 */
export const openRemoval = (
  administration: Administration,
  workspaces: Workspaces,
  request: () => RequestContext,
  settling = SETTLING,
  removeSnapshot?: (organization: string) => Promise<void>,
) => {
  const { table, records } = administration;
  const { database, clock } = table;
  const using = (organization: string, fits: (workspace: Workspace) => boolean, mayFit?: (row: Item) => boolean) =>
    findWorkspaces({ database, workspaces }, organization, fits, mayFit);

  /** Marks it closing, unless it is. @returns from when on it may be removed. */
  const close = (key: Key, wait: number, beside: readonly Guarded[]): Promise<number> =>
    commit(table, async (now) => {
      const item = await database.get(key, true);
      if (item === undefined) return done(now);
      if (item['closing'] !== undefined) return done(Number(item['closing']) + wait);
      const mark = { closing: now, d: cleanupPartition(key.pk), dk: sortableTime(now + wait) };
      const { set, asSeen } = listed(item, now);
      const gone = isProject(item) && { gone: now };
      const writes = [{ write: update(key, { set: { ...mark, ...set, ...gone } }, all(OPEN, asSeen)) }, ...beside];
      return { writes, result: now + wait };
    });

  const reopen = (key: Key): Promise<void> =>
    commit(table, async (now) => {
      const item = await database.get(key, true);
      if (item === undefined) return done(undefined);
      const { set, asSeen } = listed(item, now);
      // What its workspaces have yet to be told of it is still noted.
      const noted = item['untold'] === undefined ? ['d', 'dk'] : [];
      const change = { set, remove: ['closing', 'gone', ...noted] };
      return { writes: unguarded([update(key, change, all(exists('pk'), asSeen))]), result: undefined };
    });

  const lookOrReopen = async (key: Key, { look }: Retirement): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'conflict') await reopen(key);
      throw error;
    }
  };

  /** Deletes groups of items, each group whole; what is gone already does no harm. */
  const removeAll = async (groups: readonly (readonly Write[])[]): Promise<void> => {
    let batch: Write[] = [];
    const flush = async () => {
      const writes = unguarded(batch);
      batch = [];
      await commit(table, async () => ({ writes, result: undefined }));
    };
    for (const group of groups) {
      if (batch.length + group.length > MOST_WRITES) await flush();
      batch.push(...group);
    }
    await flush();
  };

  const removeTokens = async (subject: TokenSubject): Promise<void> => {
    const tokens = await administration.tokensOf(subject);
    await removeAll(tokens.map(({ id, digest }) => tokenRemovals({ id: String(id), digest: String(digest), subject })));
  };

  const removeMemberships = async (partition: string): Promise<void> => {
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    await removeAll(items.map((item) => membershipRemovals(item)));
  };

  /** The record itself, and the claim on the name that it has at that moment. */
  const removeRecord = (kind: NamedKind, id: string): Promise<void> =>
    commit(table, async (now) => {
      const item = await database.get(recordKey(kind, id), true);
      if (item === undefined || item['ty'] !== kind) return done(undefined);
      const { organization, name } = recordOf(kind, item);
      const asSeen = all(exists('pk'), equals('name', name));
      const gone = isProject(item) ? writeTombstone(item, now, asSeen) : remove(recordKey(kind, id), asSeen);
      return { writes: unguarded([gone, giveUpName(kind, organization, name, id)]), result: undefined };
    });

  /** A team that is closing, with all that is its own. */
  const removeTeam = async (id: string): Promise<void> => {
    await removeTokens({ kind: 'team', id });
    await removeMemberships(keys.team(id).pk);
    await removeRecord('team', id);
  };

  const projectInUse = async (organization: string, id: string): Promise<void> => {
    const found = await using(
      organization,
      ({ project }) => project === id,
      (row) => row['prj'] === id,
    );
    if (found.length > 0) throw conflict(`The project still has ${count(found.length, 'workspace')}.`);
  };

  const poolInUse = async (organization: string, id: string): Promise<void> => {
    const [found, projects, organizationItem] = await Promise.all([
      using(organization, ({ settings }) => settings.agentPool === id),
      records.list('project', organization),
      administration.findOrganizationItem(organization),
    ]);
    const items = await database.getAll(
      projects.map((project) => keys.project(String(project['id']))),
      true,
    );
    const defaults = items.filter((item) => isProject(item) && projectOf(item).defaultAgentPool === id).length;
    const uses = [
      ...(found.length > 0 ? [`used by ${count(found.length, 'workspace')}`] : []),
      ...(defaults > 0 ? [`the default of ${count(defaults, 'project')}`] : []),
      ...(organizationItem?.['defaultAgentPool'] === id ? ['the default of 1 organization'] : []),
    ];
    if (uses.length > 0) throw conflict(`The agent pool is still ${uses.join(', and ')}.`);
  };

  const repositoriesOf = async (
    kind: 'vcsConnection' | 'appInstallation',
    organization: string,
    id: string,
  ): Promise<void> => {
    const found = await using(organization, ({ vcsRepo }) =>
      kind === 'vcsConnection' ? vcsRepo?.oauthTokenId === id : vcsRepo?.appInstallationId === id,
    );
    if (found.length > 0) {
      throw conflict(`The ${labels[kind]} is still used by ${count(found.length, 'workspace')}.`);
    }
  };

  const release = (workspace: Workspace, transition: Transition) => workspaces.apply(workspace, transition, request());

  const unassignSshKey = async (organization: string, id: string): Promise<void> => {
    const unassigned = unassign(id);
    for (const workspace of await using(organization, ({ sshKey }) => sshKey === id)) {
      await release(workspace, unassigned);
    }
  };

  const revokeAll = async (team: Team): Promise<void> => {
    const has = (grants: unknown) => Object.hasOwn(grants as object, team.id);
    const found = await using(
      team.organization,
      ({ access }) => has(access),
      (row) => has(row['acc']),
    );
    for (const workspace of found) await release(workspace, revokeAccess(team.id));
    for (const { id, acc } of await records.list('project', team.organization)) {
      const project = has(acc) ? await records.find('project', team.organization, String(id)) : undefined;
      if (project !== undefined) await revokeProjectAccess(records, team.organization, project.id, team.id);
    }
  };

  /** A project, with the ids of the access that teams have to it. */
  const removeProject = async (id: string): Promise<void> => {
    const item = await database.get(keys.project(id), true);
    const teams = Object.keys((item?.['acc'] ?? {}) as object);
    await removeAll(teams.map((team) => [remove(projectAccessIdKey(id, team))]));
    await removeRecord('project', id);
  };

  /** @throws DomainError 409 where the user is the only owner of an organization. */
  const keepOwners = async ({ id }: User): Promise<void> => {
    const partition = keys.user(id).pk;
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    for (const { organization, team } of items.filter((one) => one['team'] !== undefined)) {
      const item = await database.get(keys.team(String(team)), true);
      if (item?.['name'] !== OWNERS_TEAM) continue;
      if ((await administration.othersIn(String(team), id)).length === 0) throw lastOwner(String(organization));
    }
  };

  const inOrganization = async (name: string): Promise<void> => {
    const found = await using(name, () => true);
    if (found.length > 0) throw conflict(`The organization still has ${count(found.length, 'workspace')}.`);
  };

  const removeOrganization = async (name: string): Promise<void> => {
    const key = keys.organization(name);
    await removeTokens({ kind: 'organization', id: name });
    // No record is made in an organization that is closing: the lists are complete.
    for (const kind of namedKinds) {
      for (const row of await records.list(kind, name)) {
        const id = String(row['id']);
        if ((await database.get(recordKey(kind, id), true)) === undefined) continue;
        if (kind === 'project') await removeProject(id);
        else if (kind !== 'team') await removeRecord(kind, id);
        else {
          await close(keys.team(id), 0, []);
          await removeTeam(id);
        }
      }
    }
    await removeMemberships(key.pk);
    const { snapshotAt, snapshotBegunAt } = (await database.get(key, true)) ?? {};
    if (snapshotAt !== undefined || snapshotBegunAt !== undefined) await removeSnapshot?.(name);
    await commit(table, async () => {
      const item = await database.get(key, true);
      // The name may have been taken anew since an attempt of this one whose answer was lost.
      if (item?.['closing'] === undefined) return done(undefined);
      return { writes: unguarded([remove(key, exists('closing'))]), result: undefined };
    });
  };

  const removeUser = async ({ id, username, email }: User): Promise<void> => {
    const key = keys.user(id);
    await removeTokens({ kind: 'user', id });
    await removeMemberships(key.pk);
    await commit(table, async () => {
      if ((await database.get(key, true)) === undefined) return done(undefined);
      const claim = remove(keys.username(username), equals('id', id));
      return {
        writes: unguarded([remove(key, exists('pk')), claim, remove(keys.email(email, id))]),
        result: undefined,
      };
    });
  };

  /** @throws DomainError 422 for what every organization must have. */
  const retirementOf = (item: Item): Retirement => {
    const ty = String(item['ty']);
    if (ty === 'organization') {
      const name = String(item['name']);
      return { look: () => inOrganization(name), remove: () => removeOrganization(name) };
    }
    if (ty === 'user') {
      const user = userOf(item);
      // Closing, they are an owner no more.
      const look = () => (isOpen(item) ? keepOwners(user) : Promise.resolve());
      return { look, remove: () => removeUser(user), settled: true };
    }
    const kind = ty as NamedKind;
    const { id, organization } = recordOf(kind, item);
    const gone = () => removeRecord(kind, id);
    switch (kind) {
      case 'project':
        return {
          look: async () => {
            const parent = await administration.findOrganizationItem(organization);
            if (parent?.['defaultProject'] === id) throw unremovable('The default project cannot be deleted.');
            await projectInUse(organization, id);
          },
          remove: () => removeProject(id),
        };
      case 'agentPool':
        return { look: () => poolInUse(organization, id), remove: gone };
      case 'vcsConnection':
      case 'appInstallation':
        return { look: () => repositoriesOf(kind, organization, id), remove: gone };
      case 'sshKey':
        return { look: () => unassignSshKey(organization, id), remove: gone };
      case 'team': {
        const team = recordOf('team', item);
        if (team.name === OWNERS_TEAM) throw unremovable('The owners team cannot be deleted.');
        return {
          look: () => revokeAll(team),
          remove: () => removeTeam(id),
          beside: [{ write: update(keys.organization(organization), accessChange(id, []), exists('pk')) }],
        };
      }
    }
  };

  const keyOf = (item: Item): Key => ({ pk: String(item['pk']), sk: String(item['sk']) });

  /** Takes it out of service: from now on it is gone for everybody. @returns from when on it may be removed. */
  const begin = async (item: Item): Promise<number> => {
    const [key, retirement] = [keyOf(item), retirementOf(item)];
    // Mostly it is in use and that ends it, without having closed anything.
    if (isOpen(item)) await retirement.look();
    const from = await close(key, retirement.settled ? 0 : settling, retirement.beside ?? []);
    await lookOrReopen(key, retirement);
    return from;
  };

  /** Removes what `begin` closed, or opens it again where it turned out to be in use; too early, nothing happens. */
  const finish = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item === undefined || isOpen(item)) return;
    const retirement = retirementOf(item);
    if (!retirement.settled && Number(item['closing']) + settling > clock()) return;
    await lookOrReopen(key, retirement);
    await retirement.remove();
  };

  const found = <I>(item: I | undefined, missing: () => DomainError): I => {
    if (item === undefined) throw missing();
    return item;
  };
  const recordItem = async (kind: NamedKind, organization: string, nameOrId: string): Promise<Item> =>
    found(await records.findItem(kind, organization, nameOrId), () => records.missing(kind, nameOrId));

  /** Both steps in one, with the wait between them. */
  const removeWhole = async (item: Item): Promise<void> => {
    const from = await begin(item);
    await wait(Math.max(0, from - clock()));
    await finish(keyOf(item));
  };

  return {
    begin,
    finish,
    recordItem,

    /** @throws DomainError 404; 409 while it is in use; 422 for what every organization must have. */
    removeRecord: async (kind: NamedKind, organization: string, nameOrId: string): Promise<void> =>
      removeWhole(await recordItem(kind, organization, nameOrId)),

    /** @throws DomainError 404; 409 while it has workspaces. Its name is free again once all of it is gone. */
    removeOrganization: async (name: string): Promise<void> =>
      removeWhole(found(await administration.findOrganizationItem(name), noOrganization)),

    /** @throws DomainError 404; 409 for an only owner. Locks that the user holds stay, and can be force-unlocked. */
    removeUser: async (username: string): Promise<void> =>
      removeWhole(found(await administration.findUserItem(username), () => noUser(username))),
  };
};

export type Removal = ReturnType<typeof openRemoval>;

const unremovable = (detail: string): DomainError => new DomainError('unprocessable', detail);
