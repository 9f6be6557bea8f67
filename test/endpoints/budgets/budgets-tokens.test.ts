import { describe } from 'vitest';
import {
  type BudgetBench,
  describeBudgets,
  type Operation,
  ORGANIZATION,
  useBudgetBench,
} from '../../support/budgets/budgets.ts';

const ownTokens = async ({ request }: BudgetBench): Promise<string> =>
  `/users/${(await request('GET', '/account/details')).body.data.id}/authentication-tokens`;

const createToken = async (bench: BudgetBench): Promise<string> =>
  `/authentication-tokens/${(await bench.request('POST', await ownTokens(bench))).body.data.id}`;

/** Path of the token of a team that the caller manages. */
const teamToken = async (name: string, bench: BudgetBench): Promise<string> => {
  const organization = ORGANIZATION;
  await bench.api.admin('update-team', { organization, name: 'team-0', permissions: 'manage-teams' });
  const { team } = await bench.api.admin('create-team', { organization, name });
  return `/teams/${team.id}/authentication-token`;
};

const operations: readonly Operation[] = [
  {
    name: 'create a user token',
    status: 201,
    budget: { rounds: 4, read: 2.5, write: 8 },
    prepare: async (_, bench) => {
      const path = await ownTokens(bench);
      return () => bench.request('POST', path);
    },
  },
  {
    name: "list a user's tokens",
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0 },
    prepare: async (_, bench) => {
      const path = await ownTokens(bench);
      return () => bench.request('GET', path);
    },
  },
  {
    name: 'show a token',
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0 },
    prepare: async (_, bench) => {
      const path = await createToken(bench);
      return () => bench.request('GET', path);
    },
  },
  {
    name: 'revoke a token',
    status: 204,
    budget: { rounds: 4, read: 2.5, write: 6 },
    prepare: async (_, bench) => {
      const path = await createToken(bench);
      return () => bench.request('DELETE', path);
    },
  },
  {
    name: "replace a team's token",
    status: 201,
    budget: { rounds: 5, read: 5, write: 14 },
    prepare: async (name, bench) => {
      const path = await teamToken(name, bench);
      await bench.request('POST', path);
      return () => bench.request('POST', path);
    },
  },
];

describe('DynamoDB usage of token operations', () => {
  describeBudgets(useBudgetBench(), operations);
});
