import type { TeamPermissions } from '../../domain/directory/grants.ts';
import type { NamedKind, RecordKind } from '../../domain/directory/records.ts';
import { projectAccessIdKey } from '../directory/projects/project-access.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, recordKinds } from '../dynamodb/keys.ts';
import { packAccess } from '../items/directory-items.ts';
import { claimOf, recordKey } from '../items/record-items.ts';
import { keyOf, organizationOf, spell, teamsIn, textOf } from './facts.ts';
import type { References } from './references.ts';

const reservedKeysOf = (organization: Item | undefined): readonly Item[] =>
  (organization?.['reservedTagKeys'] ?? []) as readonly Item[];

/**
 * Opens the checks of the references between organizations, their records, users and memberships. `must` records a
 * problem of an item unless `holds`.
 * @param ownToken checks the single token of a team or organization.
 */
export const checkDirectory = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
  { refers, grantsTo, claimed, inOrganization, inShard }: References,
  ownToken: (item: Item) => void,
): Readonly<Record<string, (item: Item) => void>> => {
  const record = (item: Item, kind: NamedKind): Item | undefined => {
    // When the deletion of a record is final, its name is free, and another record may have it.
    const isDeleted = item['closing'] !== undefined && at(claimOf(item) as Key)?.['id'] !== item['id'];
    if (!isDeleted) claimed(item, kind, { id: item['id'], kind });
    return inOrganization(item);
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

  return {
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
      for (const { id } of reservedKeysOf(item)) {
        must(item, at(keys.pointer(textOf(id))) !== undefined, 'the id pointer of a reserved tag key is missing');
      }
    },
    'reserved-tag-key-id': (item) => {
      const organization = at(keys.organization(textOf(item['organization'])));
      const isReserved = reservedKeysOf(organization).some(({ id }) => id === item['id']);
      must(item, isReserved, 'its organization does not reserve the tag key');
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
      const given = packAccess(item['permissions'] as TeamPermissions);
      must(item, bits === given, 'its permissions do not match those on the organization');
      ownToken(item);
    },
    ...Object.fromEntries(
      (Object.keys(recordKinds) as RecordKind[]).map((kind) => [kind, (item: Item) => void record(item, kind)]),
    ),
    name: (item) => {
      const kind = item['kind'] as NamedKind | 'variableSet';
      const id = textOf(item['id']);
      const named = at(kind === 'variableSet' ? keys.variableSet(id) : recordKey(kind, id));
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
    'project-access-id': (item) => {
      const project = at(keys.project(textOf(item['project'])));
      const isRight = project !== undefined && project['org'] === item['organization'];
      must(
        item,
        isRight && teamsIn(project).includes(textOf(item['team'])),
        'the access that it leads to does not exist',
      );
    },
  };
};
