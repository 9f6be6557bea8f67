import type { TeamPermissions } from '../../domain/directory/grants.ts';
import type { NamedKind } from '../../domain/directory/records.ts';
import { isId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { isFlat } from '../../domain/tags/tag.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { type Item, type Key, keys } from '../dynamodb/keys.ts';
import { packAccess } from '../items/directory-items.ts';
import { claimOf, recordKey } from '../items/record-items.ts';
import { tagsOf } from '../items/tag-items.ts';
import type { CommonChecks } from './common-checks.ts';
import {
  type Check,
  type Checks,
  isCount,
  isMap,
  isText,
  keyOf,
  organizationOf,
  spell,
  teamsIn,
  textOf,
} from './facts.ts';
import { checkMapping } from './sign-ins.ts';
import { checkOwnToken } from './tokens.ts';

const reservedKeysOf = (organization: Item | undefined): readonly Item[] =>
  (organization?.['reservedTagKeys'] ?? []) as readonly Item[];

const isScopeList = (list: unknown, kind: 'workspace' | 'project', most: number): boolean =>
  list === undefined ||
  (Array.isArray(list) &&
    list.every((id) => isId(kind, textOf(id))) &&
    new Set(list).size === list.length &&
    list.length <= most);

type MemberItem = 'email' | Extract<ItemType, `${'organization-member' | 'member' | 'user'}${string}`>;
type DirectoryItem =
  | Exclude<NamedKind, 'project'>
  | Exclude<Extract<ItemType, `${'project' | 'organization' | 'reserved-tag-key'}${string}`>, MemberItem>
  | 'name'
  | 'tombstone';

/** Opens the checks of what a team or organization has besides its attributes: its single tokens, and its group. */
const checkOwn = (check: Check) => {
  const [token, mapping] = [checkOwnToken(check), checkMapping(check)];
  return (item: Item): void => {
    token(item);
    mapping(item);
  };
};

/** Opens the checks of organizations and their records. */
export const checkDirectory = (
  check: Check,
  { refers, grantsTo, claimed, inOrganization, inShard, isTombstone, hasTags, hasPolicy }: CommonChecks,
): Checks<DirectoryItem> => {
  const { at, must } = check;
  const own = checkOwn(check);
  const record = (item: Item, kind: NamedKind): Item | undefined => {
    // When the deletion of a record is final, its name is free, and another record may have it.
    const isDeleted = item['closing'] !== undefined && at(claimOf(item) as Key)?.['id'] !== item['id'];
    if (!isDeleted) claimed(item, kind, { id: item['id'], kind });
    return inOrganization(item);
  };

  return {
    organization: (item) => {
      const { acc, shards, snapshotAt } = item;
      must(isMap(acc) && isCount(shards), 'its team access or its shard count is missing');
      must(Number.isInteger(Math.log2(Number(shards))), 'its shard count is not a power of two');
      must(snapshotAt === undefined || isCount(snapshotAt), 'its snapshot time is invalid');
      hasPolicy(item['retentionPolicy']);
      // An organization in deletion lacks the records that are already deleted.
      if (item['closing'] !== undefined) return;
      refers(item, 'project', item['defaultProject']);
      refers(item, 'team', item['ownersTeam']);
      refers(item, 'agentPool', item['defaultAgentPool']);
      grantsTo(item);
      const { [textOf(item['ownersTeam'])]: owners } = (acc ?? {}) as Record<string, number>;
      must(owners === packAccess('owners'), 'its owners team does not have owner access');
      own(item);
      for (const { id } of reservedKeysOf(item)) {
        must(at(keys.pointer(textOf(id))) !== undefined, 'the id pointer of a reserved tag key is missing');
      }
    },
    'reserved-tag-key-id': (item) => {
      const organization = at(keys.organization(textOf(item['organization'])));
      const isReserved = reservedKeysOf(organization).some(({ id }) => id === item['id']);
      must(isReserved, 'its organization does not reserve the tag key');
    },
    // A tombstone may outlive its organization.
    'project-tombstone': (item) => {
      isTombstone(item);
      inShard(item, at(keys.organization(organizationOf(item))));
    },
    tombstone: (item) => {
      isTombstone(item);
      must(isMap(item['chg']), 'it has no change record');
    },
    project: (item) => {
      const { acc, defaults, tags, closing, gone } = item;
      must((closing === undefined) === (gone === undefined), 'its attributes closing and gone contradict each other');
      must(isMap(acc) && isMap(defaults), 'its team access or its default settings are missing');
      hasTags(item);
      const isFlatTag = tagsOf(tags).some((tag) => isMap(tag) && isFlat(tag));
      must(!isFlatTag, 'it has a tag without a value, which only a workspace may have');
      const organization = record(item, 'project');
      inShard(item, organization);
      if (organization?.['closing'] !== undefined) return;
      grantsTo(item);
      // A project in deletion may lack its id pointers.
      for (const team of closing === undefined ? teamsIn(item) : []) {
        const isLedTo = at(keys.projectAccessId(textOf(item['id']), team)) !== undefined;
        must(isLedTo, `the id pointer of the access of ${team} does not exist`);
      }
      refers(item, 'agentPool', (defaults as Item | undefined)?.['pool']);
    },
    team: (item) => {
      const { permissions } = item;
      must(permissions === 'owners' || Array.isArray(permissions), 'its permissions are missing');
      const organization = record(item, 'team');
      if (organization === undefined || item['closing'] !== undefined || permissions === undefined) return;
      const bits = ((organization['acc'] ?? {}) as Record<string, number>)[textOf(item['id'])] ?? 0;
      must(
        bits === packAccess(permissions as TeamPermissions),
        'its permissions do not match those on the organization',
      );
      own(item);
    },
    agentPool: (item) => {
      record(item, 'agentPool');
      const { organizationScoped: scoped, allowedWorkspaces, allowedProjects, excludedWorkspaces } = item;
      const most = limits.agentPoolScope;
      const areWorkspaces = [allowedWorkspaces, excludedWorkspaces].every((ids) => isScopeList(ids, 'workspace', most));
      const isScope = areWorkspaces && isScopeList(allowedProjects, 'project', most);
      must(isScope && (scoped === undefined || typeof scoped === 'boolean'), 'its scope is invalid');
    },
    sshKey: (item) => void record(item, 'sshKey'),
    vcsConnection: (item) => {
      record(item, 'vcsConnection');
      const { organizationScoped: scoped, projects } = item;
      const isScope = isScopeList(projects, 'project', limits.vcsConnectionProjects);
      must(isScope && (scoped === undefined || typeof scoped === 'boolean'), 'its scope is invalid');
    },
    appInstallation: (item) => void record(item, 'appInstallation'),
    workloadIdentity: (item) => {
      record(item, 'workloadIdentity');
      const { issuer, audience, conditions, scope, lifetimeMinutes, enabled, closing } = item;
      const isRule = isText(issuer) && isText(audience) && isCount(lifetimeMinutes) && typeof enabled === 'boolean';
      must(isRule, 'its issuer, audience, lifetime or state is missing');
      must(Array.isArray(conditions) && conditions.length > 0, 'it has no condition');
      const { projects, workspaces } = isMap(scope) ? scope : { projects: [], workspaces: [] };
      const most = limits.workloadScope;
      const isScope = isScopeList(projects, 'project', most) && isScopeList(workspaces, 'workspace', most);
      must((scope === undefined || isMap(scope)) && isScope, 'its scope is invalid');
      // It is deleted with its team.
      if (closing === undefined) refers(item, 'team', item['team']);
    },
    name: (item) => {
      const kind = item['kind'] as NamedKind | 'variableSet';
      const id = textOf(item['id']);
      const named = at(kind === 'variableSet' ? keys.variableSet(id) : recordKey(kind, id));
      const expected = named && spell(keys.claim(organizationOf(named), kind, textOf(named['name'])));
      must(expected === keyOf(item), 'no item has the claimed name');
    },
    'project-access-id': (item) => {
      const project = at(keys.project(textOf(item['project'])));
      const isRight = project !== undefined && project['org'] === item['organization'];
      must(isRight && teamsIn(project).includes(textOf(item['team'])), 'the access that it leads to does not exist');
    },
  };
};

/** Opens the checks of users and memberships. */
export const checkMembers = (
  { at, must }: Check,
  { refers, inOrganization }: Pick<CommonChecks, 'refers' | 'inOrganization'>,
): Checks<MemberItem> => {
  /** Checks that the items of a membership at the user, at the organization and at its id match. */
  const belonging = (item: Item): void => {
    const [id, user, organization] = [item['id'], item['user'], item['organization']].map(textOf);
    const sides = [
      at(keys.organizationMembership(user ?? '', organization ?? '')),
      at(keys.organizationMember(organization ?? '', user ?? '')),
      at(keys.pointer(id ?? '')),
    ];
    const whole = sides.every((side) => side?.['id'] === id && side?.['createdAt'] === item['createdAt']);
    must(whole, 'user, organization and id do not lead to the same membership');
    must(at(keys.user(user ?? '')) !== undefined, 'its user does not exist');
    inOrganization(item);
  };

  return {
    user: (item) => {
      const claim = at(keys.username(textOf(item['username'])));
      must(claim !== undefined && claim['id'] === item['id'], 'its username has no claim with its id');
      const address = at(keys.email(textOf(item['email']), textOf(item['id'])));
      must(address !== undefined, 'its e-mail address item does not exist');
    },
    email: (item) => {
      const user = at(keys.user(textOf(item['user'])));
      const expected = user && spell(keys.email(textOf(user['email']), textOf(user['id'])));
      must(expected === keyOf(item), 'no user has this e-mail address');
    },
    username: (item) => {
      const user = at(keys.user(textOf(item['id'])));
      const expected = user && spell(keys.username(textOf(user['username'])));
      must(expected === keyOf(item), 'no user has the claimed username');
    },
    membership: (item) => {
      const [user, team] = [textOf(item['user']), textOf(item['team'])];
      const mirror = at(keys.member(team, user));
      must(mirror !== undefined, 'the matching item of the team does not exist');
      const joined = at(keys.organizationMembership(user, textOf(item['organization'])));
      must(joined !== undefined, 'its user is not a member of the organization');
      must(at(keys.user(user)) !== undefined, 'its user does not exist');
      refers(item, 'team', team);
    },
    member: (item) => {
      const [user, organization, team] = [item['user'], item['organization'], item['team']].map(textOf);
      const mirror = at(keys.membership(user ?? '', organization ?? '', team ?? ''));
      must(mirror !== undefined, 'the matching item of the user does not exist');
      must(at(keys.user(user ?? '')) !== undefined, 'its user does not exist');
      refers(item, 'team', team);
    },
    'organization-membership': belonging,
    'organization-member': belonging,
    'organization-membership-id': belonging,
  };
};
