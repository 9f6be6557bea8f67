import { isDeepStrictEqual } from 'node:util';
import type { OrganizationAccess } from '../../domain/directory/grants.ts';
import type { NamedKind, RecordKind } from '../../domain/directory/records.ts';
import type { TokenSubject } from '../../domain/directory/tokens.ts';
import { projectAccessIdKey } from '../directory/projects/project-access.ts';
import type { Item } from '../dynamodb/item.ts';
import { type ClaimKind, type Key, keys, listPartition, recordKinds, SITE, WORKSPACE } from '../dynamodb/keys.ts';
import { packAccess } from '../items/directory-items.ts';
import { recordKey, tokenSubjectOf } from '../items/record-items.ts';
import { accessIdKey } from '../items/workspace-items.ts';
import { checkConsumers } from './consumers.ts';
import { checkRuns, runFacts } from './runs.ts';
import { checkStates, stateFacts } from './states.ts';

/** A violated invariant, and the item that violates it. */
export interface Finding {
  /** Partition key and sort key of the item, separated by a space. */
  readonly key: string;
  readonly problem: string;
}

const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;
/** Returns the partition key and the sort key of an item, separated by a space, as in `Finding.key`. */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
const textOf = (value: unknown): string => String(value);
const teamsIn = (item: Item): readonly string[] => Object.keys((item['acc'] ?? {}) as object);

/** Keeps only the attributes that relations are checked with, so that a large table fits into memory. */
const pick = (item: Item, ...names: readonly string[]): Item =>
  Object.fromEntries(
    ['pk', 'sk', 'ty', ...names].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  );

/** Keeps the attributes of an item that relations are checked with. Types without such a selection stay whole. */
export const factsOf = (item: Item): Item => {
  if (item['ty'] === 'workspace-text') return pick(item, 'rev');
  if (item['ty'] === 'variable') return pick(item, 'id', 'workspace', 'category', 'key');
  if (item['ty'] !== 'workspace') return runFacts(item) ?? stateFacts(item) ?? item;
  const { agentPool } = (item['set'] ?? {}) as Item;
  const { oauthTokenId, appInstallationId } = (item['vcs'] ?? {}) as Item;
  return {
    ...pick(
      item,
      'id',
      'org',
      'name',
      'prj',
      'gone',
      'l',
      'x',
      'acc',
      'ssh',
      'd',
      'vn',
      'cons',
      'run',
      'rs',
      'ra',
      'kpi',
      'hc',
      'cv',
      'rdm',
      'lock',
      'pend',
      'inter',
      'cur',
      'sn',
    ),
    agentPool,
    vcsConnection: oauthTokenId,
    appInstallation: appInstallationId,
  };
};

/** Checks the references between items, in both directions. */
export const problemsBetween = function* (items: ReadonlyMap<string, Item>): Generator<Finding> {
  const at = (key: Key): Item | undefined => items.get(spell(key));
  const problems: Finding[] = [];
  const must = (item: Item, holds: boolean, problem: string): void => {
    if (!holds) problems.push({ key: keyOf(item), problem });
  };
  /** Number of variables by workspace id. */
  const variables = new Map<string, number>();
  for (const { ty, workspace } of items.values()) {
    if (ty === 'variable') variables.set(textOf(workspace), (variables.get(textOf(workspace)) ?? 0) + 1);
  }
  const organizationOf = (item: Item): string => textOf(item['org'] ?? item['organization']);
  const consumers = checkConsumers(at, must);
  const runs = checkRuns(at, must);
  const states = checkStates(items.values(), at, must);

  /** Checks a reference to a record of the same organization. Null and undefined are no reference. */
  const refers = (item: Item, kind: NamedKind, id: unknown): void => {
    if (id === undefined || id === null) return;
    const found = at(recordKey(kind, textOf(id)));
    const isThere =
      found?.['ty'] === kind &&
      organizationOf(found) === (item['ty'] === 'organization' ? item['name'] : organizationOf(item));
    must(item, isThere, `its ${kind} ${textOf(id)} does not exist`);
  };
  const grantsTo = (item: Item): void => {
    for (const team of teamsIn(item)) refers(item, 'team', team);
  };
  /** Checks that the claim on the name of a record belongs to that record. */
  const claimed = (item: Item, kind: ClaimKind, named: Readonly<Record<string, unknown>>): void => {
    const claim = at(keys.claim(organizationOf(item), kind, textOf(item['name'])));
    must(item, claim !== undefined, 'its name has no claim');
    const isOwn = Object.entries(named).every(([name, value]) => claim?.[name] === value);
    must(item, claim === undefined || isOwn, 'the claim on its name belongs to another item');
  };
  const inOrganization = (item: Item): Item | undefined => {
    const organization = at(keys.organization(organizationOf(item)));
    must(item, organization !== undefined, 'its organization does not exist');
    return organization;
  };
  const inShard = (item: Item, organization: Item | undefined): void => {
    if (organization === undefined) return;
    const shards = Number(organization['shards']);
    const isIn = (of: number): boolean =>
      item['l'] === listPartition.workspacesOf(organizationOf(item), textOf(item['id']), of) ||
      // During a reshard, rows may still be in the partitions of the previous shard count.
      (organization['spreadAt'] !== undefined && of > 1 && isIn(of / 2));
    must(item, isIn(shards), 'it is in the wrong partition of the list index');
  };

  const record = (item: Item, kind: NamedKind): Item | undefined => {
    claimed(item, kind, { id: item['id'], kind });
    return inOrganization(item);
  };

  const sameToken = (item: Item, about: Item): void => {
    const { id, digest } = about;
    const pointer = at(keys.pointer(textOf(id)));
    const mirror = at(keys.tokenOf(tokenSubjectOf(about), textOf(id)));
    const token = at(keys.token(textOf(digest)));
    const whole = pointer !== undefined && mirror !== undefined && token !== undefined;
    must(item, whole, 'the token, its mirror or its id pointer is missing');
    if (!whole) return;
    const whose = ({ id, kind, subject }: Item) => [id, kind, subject];
    const told = ({ name, organization, expiresAt, createdAt }: Item) => [name, organization, expiresAt, createdAt];
    must(
      item,
      isDeepStrictEqual(whose(token), whose(pointer)) &&
        isDeepStrictEqual([whose(token), told(token)], [whose(mirror), told(mirror)]) &&
        mirror['digest'] === digest &&
        pointer['digest'] === digest,
      'the token, its mirror and its id pointer do not match',
    );
  };
  /** Checks the single token of a team or organization, which a new token replaces. */
  const ownToken = (item: Item): void => {
    const { token, ty, id, name } = item;
    if (token === undefined) return;
    const pointer = at(keys.pointer(textOf(token)));
    const isOwn = pointer?.['kind'] === ty && pointer?.['subject'] === (ty === 'team' ? id : name);
    must(item, isOwn, 'its token does not exist or belongs to another subject');
  };
  const subjectKeys: Readonly<Record<Exclude<TokenSubject['kind'], 'site'>, (id: string) => Key>> = {
    user: keys.user,
    team: keys.team,
    organization: keys.organization,
  };

  /** Checks that the items of a membership at the user, at the organization and at its id match. */
  const belonging = (item: Item): void => {
    const [id, user, organization] = [item['id'], item['user'], item['organization']].map(textOf);
    const sides = [
      at(keys.organizationMembership(user ?? '', organization ?? '')),
      at(keys.organizationMember(organization ?? '', user ?? '')),
      at(keys.pointer(id ?? '')),
    ];
    const whole = sides.every((side) => side?.['id'] === id && side?.['createdAt'] === item['createdAt']);
    must(item, whole, 'user, organization and id do not lead to the same membership');
    must(item, at(keys.user(user ?? '')) !== undefined, 'its user does not exist');
    inOrganization(item);
  };

  const checks: Readonly<Record<string, (item: Item) => void>> = {
    organization: (item) => {
      // An organization in deletion lacks the records that are already deleted.
      if (item['closing'] !== undefined) return;
      refers(item, 'project', item['defaultProject']);
      refers(item, 'team', item['ownersTeam']);
      refers(item, 'agentPool', item['defaultAgentPool']);
      grantsTo(item);
      const { [textOf(item['ownersTeam'])]: owners } = (item['acc'] ?? {}) as Record<string, number>;
      must(item, owners === packAccess('owners'), 'its owners team does not have owner access');
      ownToken(item);
    },
    // A tombstone may outlive its organization.
    'project-tombstone': (item) => inShard(item, at(keys.organization(organizationOf(item)))),
    project: (item) => {
      const organization = record(item, 'project');
      inShard(item, organization);
      if (organization?.['closing'] !== undefined) return;
      grantsTo(item);
      // A project in deletion may lack its id pointers.
      for (const team of item['closing'] === undefined ? teamsIn(item) : []) {
        const isLedTo = at(projectAccessIdKey(textOf(item['id']), team)) !== undefined;
        must(item, isLedTo, `the id pointer of the access of ${team} does not exist`);
      }
      refers(item, 'agentPool', (item['defaults'] as Item | undefined)?.['pool']);
    },
    team: (item) => {
      const organization = record(item, 'team');
      if (organization === undefined || item['closing'] !== undefined || item['permissions'] === undefined) return;
      const bits = ((organization['acc'] ?? {}) as Record<string, number>)[textOf(item['id'])] ?? 0;
      const given = packAccess(item['permissions'] as OrganizationAccess);
      must(item, bits === given, 'its permissions do not match those on the organization');
      ownToken(item);
    },
    ...Object.fromEntries(
      (Object.keys(recordKinds) as RecordKind[]).map((kind) => [kind, (item: Item) => void record(item, kind)]),
    ),
    name: (item) => {
      const kind = item['kind'] as NamedKind;
      const named = at(recordKey(kind, textOf(item['id'])));
      const expected = named && spell(keys.claim(organizationOf(named), kind, textOf(named['name'])));
      must(item, expected === keyOf(item), 'no item has the claimed name');
    },
    user: (item) => {
      const claim = at(keys.username(textOf(item['username'])));
      must(item, claim !== undefined && claim['id'] === item['id'], 'its username has no claim with its id');
      const address = at(keys.email(textOf(item['email']), textOf(item['id'])));
      must(item, address !== undefined, 'its e-mail address item does not exist');
    },
    email: (item) => {
      const user = at(keys.user(textOf(item['user'])));
      const expected = user && spell(keys.email(textOf(user['email']), textOf(user['id'])));
      must(item, expected === keyOf(item), 'no user has this e-mail address');
    },
    username: (item) => {
      const user = at(keys.user(textOf(item['id'])));
      const expected = user && spell(keys.username(textOf(user['username'])));
      must(item, expected === keyOf(item), 'no user has the claimed username');
    },
    membership: (item) => {
      const [user, team] = [textOf(item['user']), textOf(item['team'])];
      const mirror = at(keys.member(team, user));
      must(item, mirror !== undefined, 'the matching item of the team does not exist');
      const joined = at(keys.organizationMembership(user, textOf(item['organization'])));
      must(item, joined !== undefined, 'its user is not a member of the organization');
      must(item, at(keys.user(user)) !== undefined, 'its user does not exist');
      refers(item, 'team', team);
    },
    member: (item) => {
      const [user, organization, team] = [item['user'], item['organization'], item['team']].map(textOf);
      const mirror = at(keys.membership(user ?? '', organization ?? '', team ?? ''));
      must(item, mirror !== undefined, 'the matching item of the user does not exist');
      must(item, at(keys.user(user ?? '')) !== undefined, 'its user does not exist');
      refers(item, 'team', team);
    },
    'organization-membership': belonging,
    'organization-member': belonging,
    'organization-membership-id': belonging,
    token: (item) => {
      const { digest } = at(keys.pointer(textOf(item['id']))) ?? {};
      const isOwn = spell(keys.token(textOf(digest))) === keyOf(item);
      if (isOwn) sameToken(item, { ...item, digest });
      else must(item, false, 'its id pointer does not lead to it');
      const { kind, id } = tokenSubjectOf(item);
      const isThere =
        kind === 'site' ? id === SITE.id : Object.hasOwn(subjectKeys, kind) && at(subjectKeys[kind](id)) !== undefined;
      must(item, isThere, 'its subject does not exist');
    },
    'token-of': (item) => sameToken(item, item),
    'token-id': (item) => sameToken(item, item),
    workspace: (item) => {
      const organization = at(keys.organization(organizationOf(item)));
      const text = at(keys.workspaceText(textOf(item['id'])));
      // A tombstone may outlive its project and its organization.
      if (item['gone'] !== undefined) {
        must(item, text === undefined, 'it is deleted, but its long text is not');
        return inShard(item, organization);
      }
      must(item, organization !== undefined, 'its organization does not exist');
      inShard(item, organization);
      claimed(item, 'workspace', { workspace: item['id'], project: item['prj'] });
      refers(item, 'project', item['prj']);
      for (const kind of ['agentPool', 'vcsConnection', 'appInstallation'] as const) refers(item, kind, item[kind]);
      refers(item, 'sshKey', item['ssh']);
      grantsTo(item);
      for (const team of teamsIn(item)) {
        const isLedTo = at(accessIdKey(textOf(item['id']), team)) !== undefined;
        must(item, isLedTo, `the id pointer of the access of ${team} does not exist`);
      }
      must(item, text?.['rev'] === item['x'], 'its long text does not exist or has another revision');
      consumers.ofWorkspace(item);
      runs.ofWorkspace(item);
      states.ofWorkspace(item);
      const counted = variables.get(textOf(item['id'])) ?? 0;
      must(item, (item['vn'] ?? 0) === counted, 'its variable count does not match its variables');
    },
    variable: (item) => {
      const { id } = item;
      const workspace = at(keys.workspace(textOf(item['workspace'])));
      if (workspace === undefined) return must(item, false, 'its workspace does not exist');
      if (workspace['gone'] !== undefined) {
        return must(item, workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
      }
      const pointer = at(keys.pointer(textOf(id)));
      const isLedTo = (['workspace', 'category', 'key'] as const).every((name) => pointer?.[name] === item[name]);
      must(item, isLedTo, 'its id pointer does not exist or leads elsewhere');
    },
    'variable-id': (item) => {
      if (item['gone'] !== undefined) return;
      const { id, workspace, category, key } = item;
      const variable = at(keys.variable(textOf(workspace), textOf(category), textOf(key)));
      must(item, variable?.['id'] === id, 'it does not lead to a variable with its id');
      const owner = at(keys.workspace(textOf(workspace)));
      must(
        item,
        owner === undefined || owner['org'] === item['organization'],
        'its organization is not that of its workspace',
      );
    },
    consumers: consumers.chunk,
    ...runs.checks,
    ...states.checks,
    'project-access-id': (item) => {
      const project = at(keys.project(textOf(item['project'])));
      const isRight = project !== undefined && project['org'] === item['organization'];
      must(
        item,
        isRight && teamsIn(project).includes(textOf(item['team'])),
        'the access that it leads to does not exist',
      );
    },
    'workspace-access-id': (item) => {
      const workspace = at(keys.workspace(textOf(item['workspace'])));
      const isRight = workspace !== undefined && workspace['org'] === item['organization'];
      must(
        item,
        isRight && teamsIn(workspace).includes(textOf(item['team'])),
        'the access that it leads to does not exist',
      );
      const isAlive = workspace?.['gone'] === undefined;
      must(item, isAlive || workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
    },
    'workspace-name': (item) => {
      const named = at(keys.workspace(textOf(item['workspace'])));
      const isAlive = named !== undefined && named['gone'] === undefined;
      must(item, isAlive, 'it claims a name for a workspace that is deleted or does not exist');
      const expected = isAlive && spell(keys.claim(organizationOf(named), 'workspace', textOf(named['name'])));
      must(item, !isAlive || expected === keyOf(item), 'the claimed workspace has another name');
    },
    'workspace-text': (item) => {
      must(item, at({ pk: textOf(item['pk']), sk: WORKSPACE }) !== undefined, 'its workspace does not exist');
    },
  };

  for (const item of items.values()) {
    const ty = textOf(item['ty']);
    if (Object.hasOwn(checks, ty)) checks[ty]?.(item);
    yield* problems.splice(0);
  }
};
