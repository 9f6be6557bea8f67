import { describe } from 'vitest';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

/** Creates a team that is visible in the organization and has no access. */
const createTeam = async ({ api }: BudgetFixture, name: string): Promise<string> =>
  (await api.admin('create-team', { organization: ORGANIZATION, name, visibility: 'organization' })).team.id;

const access = (workspace: string, team: string) => ({
  data: {
    type: 'team-workspaces',
    attributes: { access: 'write' },
    relationships: {
      workspace: { data: { type: 'workspaces', id: workspace } },
      team: { data: { type: 'teams', id: team } },
    },
  },
});

/** Grants a new team access to a new workspace, and sends a request to that access. */
const onAccess =
  (method: string, body?: object): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const given = access(await fixture.create(name), await createTeam(fixture, name));
    const { id } = (await fixture.request('POST', '/team-workspaces', given)).body.data;
    return () => fixture.request(method, `/team-workspaces/${id}`, body);
  };

/** Prepares a list of the access of a team. The list index is in memory, and no row is new. */
const onListOf = async ({ request }: BudgetFixture, path: string): ReturnType<BudgetedOperation['prepare']> => {
  const send = () => request('GET', path);
  advanceClock();
  await send();
  return send;
};

const operations: readonly BudgetedOperation[] = [
  {
    name: 'list the access of teams to a workspace',
    status: 200,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: async (name, fixture) => {
      const id = await fixture.create(name);
      return () => fixture.request('GET', `/team-workspaces?filter[workspace][id]=${id}`);
    },
  },
  {
    name: 'list the access of one team to all workspaces',
    status: 200,
    budget: { rounds: 3, read: 8, write: 0 },
    prepare: async (name, fixture) => {
      const team = await createTeam(fixture, name);
      await fixture.request('POST', '/team-workspaces', access(await fixture.create(name), team));
      return onListOf(fixture, `/team-workspaces?filter[team][id]=${team}`);
    },
  },
  {
    name: 'list the access of one team to all projects',
    status: 200,
    budget: { rounds: 3, read: 8, write: 0 },
    prepare: async (name, fixture) => {
      const team = await createTeam(fixture, name);
      await fixture.request('POST', '/team-projects', {
        data: {
          type: 'team-projects',
          attributes: { access: 'write' },
          relationships: {
            project: { data: { type: 'projects', id: fixture.projects[0] } },
            team: { data: { type: 'teams', id: team } },
          },
        },
      });
      return onListOf(fixture, `/team-projects?filter[team][id]=${team}`);
    },
  },
  {
    name: 'show access to a workspace',
    status: 200,
    budget: { rounds: 2, read: 3.5, write: 0 },
    prepare: onAccess('GET'),
  },
  {
    name: 'grant access to a workspace',
    status: 201,
    budget: { rounds: 3, read: 3.5, write: 8 },
    prepare: async (name, fixture) => {
      const given = access(await fixture.create(name), await createTeam(fixture, name));
      return () => fixture.request('POST', '/team-workspaces', given);
    },
  },
  {
    name: 'change access to a workspace',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 4 },
    prepare: onAccess('PATCH', { data: { type: 'team-workspaces', attributes: { access: 'read' } } }),
  },
  {
    name: 'revoke access to a workspace',
    status: 204,
    budget: { rounds: 3, read: 3.5, write: 8 },
    prepare: onAccess('DELETE'),
  },
];

describe('DynamoDB usage of team access operations', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
