import { describe } from 'vitest';
import {
  type BudgetBench,
  describeBudgets,
  type Operation,
  ORGANIZATION,
  useBudgetBench,
} from '../../support/budgets/budgets.ts';

/** Records around workspaces, read by a path of their own. */
const show = (
  path: string,
  budget: Operation['budget'],
  idOf: (bench: BudgetBench) => string | Promise<string> = () => '',
): Operation => ({
  name: `GET ${path}`,
  status: 200,
  budget,
  prepare: async (_, bench) => {
    const asked = path.replace(':id', await idOf(bench));
    return () => bench.request('GET', asked);
  },
});

const MEMBERSHIPS = `/organizations/${ORGANIZATION}/organization-memberships`;
/** The caller's own. */
const membership = async ({ request }: BudgetBench): Promise<string> =>
  (await request('GET', MEMBERSHIPS)).body.data[0].id;
const owner = async ({ api }: BudgetBench): Promise<string> =>
  (await api.admin('create-user', { username: 'owner', email: 'owner@example.com' })).user.id;

const operations: readonly Operation[] = [
  show(`/organizations/${ORGANIZATION}`, { rounds: 2, read: 1.5, write: 0 }),
  show(`/organizations/${ORGANIZATION}/entitlement-set`, { rounds: 2, read: 1.5, write: 0 }),
  show('/organizations', { rounds: 3, read: 1.5, write: 0 }),
  show('/account/details', { rounds: 2, read: 1.5, write: 0 }),
  show('/users/:id', { rounds: 2, read: 2, write: 0 }, owner),
  show('/organization-memberships/:id', { rounds: 3, read: 3.5, write: 0 }, membership),
  show('/projects/:id', { rounds: 3, read: 4.5, write: 0 }, ({ projects }) => projects[0] as string),
  show(`/organizations/${ORGANIZATION}/projects`, { rounds: 3, read: 8.5, write: 0 }),
  show(MEMBERSHIPS, { rounds: 3, read: 3.5, write: 0 }),
];

describe('what an operation on the directory asks of DynamoDB', () => {
  describeBudgets(useBudgetBench(), operations);
});
