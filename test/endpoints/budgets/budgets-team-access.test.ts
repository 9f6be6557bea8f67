import { describe } from 'vitest';
import {
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
