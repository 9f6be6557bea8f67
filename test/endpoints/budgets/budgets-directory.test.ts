import { describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

/** Records of the directory, each read by its own path. */
const show = (
  path: string,
  budget: BudgetedOperation['budget'],
  getId: (fixture: BudgetFixture) => string | Promise<string> = () => '',
): BudgetedOperation => ({
  name: `GET ${path}`,
  status: 200,
  budget,
  prepare: async (_, fixture) => {
    const requestPath = path.replace(':id', await getId(fixture));
    return () => fixture.request('GET', requestPath);
  },
});

const MEMBERSHIPS = `/organizations/${ORGANIZATION}/organization-memberships`;
/** Reads the membership of the caller. */
const membership = async ({ request }: BudgetFixture): Promise<string> =>
  (await request('GET', MEMBERSHIPS)).body.data[0].id;
const owner = async ({ api }: BudgetFixture): Promise<string> =>
  (await api.admin('create-user', { username: 'owner', email: 'owner@example.com' })).user.id;

const operations: readonly BudgetedOperation[] = [
  show(`/organizations/${ORGANIZATION}`, { rounds: 2, read: 1.5, write: 0 }),
  show(`/organizations/${ORGANIZATION}?include=default_project`, { rounds: 2, read: 2, write: 0 }),
  show(`/organizations/${ORGANIZATION}/entitlement-set`, { rounds: 2, read: 1.5, write: 0 }),
  show('/organizations', { rounds: 3, read: 1.5, write: 0 }),
  show('/account/details', { rounds: 2, read: 1.5, write: 0 }),
  show('/users/:id', { rounds: 2, read: 2, write: 0 }, owner),
  show('/organization-memberships/:id', { rounds: 3, read: 3.5, write: 0 }, membership),
  show('/projects/:id', { rounds: 3, read: 4.5, write: 0 }, ({ projects }) => projects[0] as string),
  show(`/organizations/${ORGANIZATION}/projects`, { rounds: 3, read: 8.5, write: 0 }),
  show(MEMBERSHIPS, { rounds: 3, read: 3.5, write: 0 }),
];

describe('DynamoDB usage of directory reads', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
