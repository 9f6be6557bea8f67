import { apiRequest } from '../../../shared/client/request.ts';
import { pageQuery } from '../api.ts';
import { type Command, command, type Group } from '../command.ts';
import { forEachItem } from '../for-each-item.ts';
import type { Invocation } from '../invocation.ts';
import { defineView } from '../output/view.ts';
import { remainingArguments } from '../parameters.ts';
import { members } from './members.ts';
import { teams } from './teams.ts';

const MEMBERSHIPS = '/api/v2/teams/{team_id}/relationships/organization-memberships';
const USERS = '/api/v2/teams/{team_id}/relationships/users';

type Method = 'post' | 'delete';

/** Describes the addition of a user to a team, or the removal. An invited user has only an e-mail address. */
const changeMember = async (invocation: Invocation, method: Method, team: string, user: string) =>
  user.includes('@')
    ? apiRequest(method, MEMBERSHIPS, {
        path: { team_id: team },
        body: { data: [{ type: 'organization-memberships', id: await members.findId(invocation, user) }] },
      })
    : apiRequest(method, USERS, { path: { team_id: team }, body: { data: [{ type: 'users', id: user }] } });

interface Change {
  readonly verb: 'add' | 'remove';
  readonly method: Method;
  readonly summary: string;
  /** Words between the names of the user and the team. */
  readonly done: readonly [string, string];
}

const changeCommand = ({ verb, method, summary, done: [done, preposition] }: Change): Command =>
  command({
    name: `team member ${verb}`,
    summary,
    arguments: {
      team: teams.argument,
      user: remainingArguments('Username, or e-mail address of a member.', members.arguments),
    },
    routes: [
      ...teams.findRoutes,
      'memberships.list',
      ...(verb === 'add'
        ? (['teams.add-users', 'teams.add-memberships'] as const)
        : (['teams.remove-users', 'teams.remove-memberships'] as const)),
    ],
    result: {
      kind: 'changes',
      view: defineView(['team', 'user'], ['team-id']),
      sentence: ({ user, team }) => `${done} ${user} ${preposition} ${team}.`,
    },
    examples: [`team member ${verb} builders grace`, `team member ${verb} builders grace alan@example.com`],
    async *run(invocation, { team, user: users }) {
      const { id, name } = await teams.find(invocation, team);
      return yield* forEachItem(invocation, users, async (user) => {
        await invocation.api.send(await changeMember(invocation, method, id, user));
        return { team: name, 'team-id': id, user };
      });
    },
  });

/** Members of teams (docs/reference/teams.md). */
export const teamMemberCommands: Group = {
  title: 'Members of teams',
  commands: [
    command({
      name: 'team member list',
      summary: 'List the members of a team',
      arguments: { team: teams.argument },
      routes: ['teams.list', 'teams.list-memberships'],
      result: {
        kind: 'list',
        view: { ...members.view, columns: members.view.columns.filter((column) => column !== 'teams') },
      },
      examples: ['team member list builders'],
      async *run(invocation, { team }) {
        const id = await teams.findId(invocation, team);
        const pages = invocation.api.pages((page) =>
          apiRequest('get', MEMBERSHIPS, {
            path: { team_id: id },
            query: pageQuery(page),
          }),
        );
        for await (const document of pages) {
          for (const membership of document.data) yield members.toRow(membership, {});
        }
      },
    }),
    changeCommand({ verb: 'add', method: 'post', summary: 'Add members to a team', done: ['Added', 'to'] }),
    changeCommand({
      verb: 'remove',
      method: 'delete',
      summary: 'Remove members from a team',
      done: ['Removed', 'from'],
    }),
  ],
};
