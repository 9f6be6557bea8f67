import { describe } from 'vitest';
import { describeBudgets, type Operation, ORGANIZATION, useBudgetBench } from '../support/budgets.ts';

/** Records around workspaces, read by a path of their own. */
const show = (path: string, budget: Operation['budget']): Operation => ({
  name: `GET ${path}`,
  status: 200,
  budget,
  prepare:
    async (_, { request }) =>
    () =>
      request('GET', path),
});

const operations: readonly Operation[] = [
  show(`/organizations/${ORGANIZATION}`, { rounds: 2, read: 1.5, write: 0 }),
  show(`/organizations/${ORGANIZATION}/entitlement-set`, { rounds: 2, read: 1.5, write: 0 }),
  show('/organizations', { rounds: 3, read: 1.5, write: 0 }),
];

describe('what an operation on the directory asks of DynamoDB', () => {
  describeBudgets(useBudgetBench(), operations);
});
