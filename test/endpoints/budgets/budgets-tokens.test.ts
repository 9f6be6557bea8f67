import { describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

const ownTokens = async ({ request }: BudgetFixture): Promise<string> =>
  `/users/${(await request('GET', '/account/details')).body.data.id}/authentication-tokens`;

const createToken = async (fixture: BudgetFixture): Promise<string> =>
  `/authentication-tokens/${(await fixture.request('POST', await ownTokens(fixture))).body.data.id}`;

/** Path of the token of a team that the caller manages. */
const teamToken = async (name: string, fixture: BudgetFixture): Promise<string> => {
  const organization = ORGANIZATION;
  await fixture.api.admin('update-team', { organization, name: 'team-0', permissions: 'manage-teams' });
  const { team } = await fixture.api.admin('create-team', { organization, name });
  return `/teams/${team.id}/authentication-token`;
};

/** Prepares a request with a new token. @param uses earlier requests with it. */
const useToken =
  (uses: number): BudgetedOperation['prepare'] =>
  async (_, fixture) => {
    const created = await fixture.request('POST', await ownTokens(fixture));
    const { token } = created.body.data.attributes;
    const use = () => fixture.api.request('GET', '/account/details', { token });
    for (let before = 0; before < uses; before++) await use();
    return use;
  };

const operations: readonly BudgetedOperation[] = [
  {
    name: 'create a user token',
    status: 201,
    budget: { rounds: 4, read: 2.5, write: 8 },
    prepare: async (_, fixture) => {
      const path = await ownTokens(fixture);
      return () => fixture.request('POST', path);
    },
  },
  {
    name: "list a user's tokens",
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0 },
    prepare: async (_, fixture) => {
      const path = await ownTokens(fixture);
      return () => fixture.request('GET', path);
    },
  },
  {
    name: 'show a token',
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0 },
    prepare: async (_, fixture) => {
      const path = await createToken(fixture);
      return () => fixture.request('GET', path);
    },
  },
  {
    name: 'revoke a token',
    status: 204,
    budget: { rounds: 4, read: 2.5, write: 6 },
    prepare: async (_, fixture) => {
      const path = await createToken(fixture);
      return () => fixture.request('DELETE', path);
    },
  },
  // The write is the report of the first use. The next request with the token needs none.
  {
    name: 'use a token for the first time',
    status: 200,
    budget: { rounds: 3, read: 1.5, write: 1, calls: 3 },
    prepare: useToken(0),
  },
  {
    name: 'use a token again',
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0, calls: 2 },
    prepare: useToken(1),
  },
  {
    name: "replace a team's token",
    status: 201,
    budget: { rounds: 5, read: 5, write: 14 },
    prepare: async (name, fixture) => {
      const path = await teamToken(name, fixture);
      await fixture.request('POST', path);
      return () => fixture.request('POST', path);
    },
  },
];

describe('DynamoDB usage of token operations', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
