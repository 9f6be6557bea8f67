import { findIncluded } from '../../../shared/client/documents.ts';
import { memberName } from '../../../shared/client/memberships.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Schemas } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import { forEachItem } from '../for-each-item.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { choice, flag, remainingArguments, texts } from '../parameters.ts';
import {
  defineKind,
  deleteCommand,
  identify,
  idsWith,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
} from '../resource-commands.ts';
import { teams } from './teams.ts';

const LIST = '/api/v2/organizations/{organization_name}/organization-memberships';
const ONE = '/api/v2/organization-memberships/{membership_id}';
const include: ('teams' | 'user')[] = ['teams', 'user'];

type Membership = Schemas['OrganizationMembership'];
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];
type Query = ListQuery<typeof LIST, 'filter[email]'>;

/** Members of an organization by their usernames, or the e-mail addresses of invited ones, who have no username yet. */
export const members = defineKind({
  noun: 'member',
  labels: ['a member', 'members'],
  view: defineView(
    ['name', 'email', 'status', 'teams', 'created-at'],
    ['id', 'user-id', 'organization-id', ...attributesOf<Membership>()('username', 'email', 'status', 'created-at')],
  ),
  details: ['username', 'user-id', 'id'],
  toRow: (membership: Membership, document: { readonly included?: readonly Included[] }) => ({
    ...flatten(membership),
    name: memberName(membership),
    teams: membership.relationships.teams.data.map(
      (identifier) => findIncluded(document, 'teams', identifier)?.attributes.name ?? identifier.id,
    ),
  }),
  isId: idsWith('ou'),
  isNamed: ({ attributes: { username, email } }, name) =>
    username === name || email.toLowerCase() === name.toLowerCase(),
  list: (organization, query: Query) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { ...query, include } }),
  show: (id) => apiRequest('get', ONE, { path: { membership_id: id }, query: { include } }),
  routes: { list: 'memberships.list', show: 'memberships.show' },
});

/** Members of organizations (docs/reference/organizations.md). */
export const memberCommands: Group = {
  title: 'Members',
  commands: [
    listCommand(members, {
      flags: {
        ...searchFlag,
        status: choice('Only with this status.', everyOf<Membership['attributes']['status']>()('active', 'invited')),
        'without-sign-in': flag('Only those whose tokens the sign-in policy sso rejects, or would reject.'),
      },
      toQuery: ({ search, status, 'without-sign-in': isWithout }) => ({
        q: search,
        'filter[status]': status,
        'filter[tokens-accepted]': isWithout ? false : undefined,
      }),
    }),
    showCommand(members, 'grace'),
    command({
      name: 'member invite',
      summary: 'Add users to the organization',
      description:
        'A user with an account is a member at once. Another e-mail address is invited until an account exists for it.',
      arguments: { user: remainingArguments('Username or e-mail address.') },
      flags: { team: texts('Team of the new members.', 'NAME', teams.argument.complete) },
      routes: ['teams.list', 'memberships.create'],
      result: { kind: 'changes', view: members.view, sentence: ({ name, status }) => `Added ${name} (${status}).` },
      examples: ['member invite grace', 'member invite grace@example.com --team builders'],
      async *run(invocation, { user: users }, { team: names }) {
        const organization = await invocation.organization();
        const data = await identify(names, (name) => teams.findId(invocation, name));
        return yield* forEachItem(invocation, users, async (user) => {
          const { document } = await invocation.api.send(
            apiRequest('post', LIST, {
              path: { organization_name: organization },
              body: {
                data: {
                  type: 'organization-memberships',
                  attributes: user.includes('@') ? { email: user } : { username: user },
                  ...(data.length > 0 && { relationships: { teams: { data } } }),
                },
              },
            }),
          );
          // The response includes no teams.
          return { ...members.toRow(document.data, document), teams: names };
        });
      },
    }),
    deleteCommand(members, {
      verb: 'remove',
      description: 'The user leaves all teams of the organization.',
      route: 'memberships.delete',
      example: 'grace',
      conflict: 'An organization keeps at least one owner.',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { membership_id: id } }, { ifMatch }),
    }),
  ],
};
