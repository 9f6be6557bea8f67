import { describe } from 'vitest';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  workspaceBody as body,
  describeBudgets,
  ORGANIZATION,
  onWorkspace,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

const base = `/organizations/${ORGANIZATION}/workspaces`;

/** Sends the request to the path with the name of the workspace. */
const byName =
  (method: string, action = '', body?: object): BudgetedOperation['prepare'] =>
  async (name, { create, request }) => {
    await create(name);
    return () => request(method, `${base}/${name}${action}`, body);
  };
/** Returns a request with an `Idempotency-Key`. */
const keyed =
  ({ request }: BudgetFixture, key: string, method: string, path: string, content?: object) =>
  () =>
    request(method, path, content, { 'idempotency-key': key });
const lock = (path: string, { request }: BudgetFixture) => request('POST', `${path}/actions/lock`);

/** An `Idempotency-Key` costs three calls, of which two write. A change of the lock costs 2 units, and 2 of the index behind lists. A deletion costs 8 units, and one for the cleanup mark of the ids of grants. */
const operations: readonly BudgetedOperation[] = [
  { name: 'show by id', status: 200, budget: { rounds: 2, read: 3, write: 0, calls: 4 }, prepare: onWorkspace('GET') },
  { name: 'show by name', status: 200, budget: { rounds: 2, read: 4, write: 0, calls: 5 }, prepare: byName('GET') },
  {
    name: 'lock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4, calls: 5 },
    prepare: onWorkspace('POST', '/actions/lock'),
  },
  {
    name: 'lock while locked',
    status: 409,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('POST', '/actions/lock', undefined, lock),
  },
  {
    name: 'unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4, calls: 5 },
    prepare: onWorkspace('POST', '/actions/unlock', undefined, lock),
  },
  {
    name: 'renewal of a lock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4, calls: 5 },
    prepare: onWorkspace('POST', '/actions/renew-lock', undefined, (path, { request }) =>
      request('POST', `${path}/actions/lock`, { 'lease-seconds': 3_600 }),
    ),
  },
  {
    name: 'force-unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4 },
    prepare: onWorkspace('POST', '/actions/force-unlock', undefined, lock),
  },
  {
    name: 'create',
    status: 201,
    budget: { rounds: 3, read: 4, write: 7, calls: 3 },
    prepare:
      async (name, { projects, request }) =>
      () =>
        request('POST', base, body({ name }, projects[0])),
  },
  {
    name: 'update of what lists do not show',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2, calls: 5 },
    prepare: onWorkspace('PATCH', '', () => body({ 'auto-apply': true })),
  },
  {
    name: 'update of a setting that lists filter by',
    status: 200,
    budget: { rounds: 3, read: 5, write: 4 },
    prepare: onWorkspace('PATCH', '', () => body({ 'execution-mode': 'local' })),
  },
  {
    name: 'lock while a lease has expired',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4, calls: 5 },
    prepare: onWorkspace('POST', '/actions/lock', undefined, async (path, { request }) => {
      await request('POST', `${path}/actions/lock`, { 'lease-seconds': 60 });
      advanceClock(61_000);
    }),
  },
  {
    name: 'list with filters on effective values',
    status: 200,
    budget: { rounds: 3, read: 14, write: 0 },
    prepare: async (name, { create, request }) => {
      await create(name);
      advanceClock();
      const list = () => request('GET', `${base}?filter[locked]=false&filter[infra-version]=latest&sort=locked-at`);
      await list();
      return list;
    },
  },
  {
    name: 'update by name',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2 },
    prepare: byName('PATCH', '', body({ 'auto-apply': true })),
  },
  {
    name: 'update of one revision',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2, calls: 5 },
    prepare: async (name, { create, request }) => {
      const path = `/workspaces/${await create(name)}`;
      const { headers } = await request('GET', path);
      return () => request('PATCH', path, body({ 'auto-apply': true }), { 'if-match': String(headers['etag']) });
    },
  },
  {
    name: 'dry run of an update',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0, calls: 4 },
    prepare: onWorkspace('PATCH', '?dry-run=true', () => body({ 'auto-apply': true })),
  },
  {
    name: 'rename',
    status: 200,
    budget: { rounds: 3, read: 3, write: 10 },
    prepare: onWorkspace('PATCH', '', (name) => body({ name: `${name}-renamed` })),
  },
  {
    name: 'move',
    status: 200,
    budget: { rounds: 3, read: 4, write: 8 },
    prepare: onWorkspace('PATCH', '', (_, { projects }) => body({}, projects[1])),
  },
  {
    name: 'safe-delete',
    status: 204,
    budget: { rounds: 3, read: 3, write: 9 },
    prepare: onWorkspace('POST', '/actions/safe-delete'),
  },
  {
    name: 'dry run of a safe-delete',
    status: 200,
    budget: { rounds: 2, read: 3, write: 0, calls: 4 },
    prepare: onWorkspace('POST', '/actions/safe-delete?dry-run=true'),
  },
  {
    name: 'safe-delete by name',
    status: 204,
    budget: { rounds: 3, read: 4, write: 9 },
    prepare: byName('POST', '/actions/safe-delete'),
  },
  {
    name: 'force-delete by an admin',
    status: 204,
    budget: { rounds: 3, read: 3, write: 9 },
    prepare: async (name, fixture) => {
      await fixture.api.admin('update-organization', { name: ORGANIZATION, allowForceDeleteWorkspaces: true });
      return onWorkspace('DELETE')(name, fixture);
    },
  },
  {
    name: 'create with an Idempotency-Key',
    status: 201,
    budget: { rounds: 6, read: 3, write: 7, calls: 6 },
    prepare: async (name, fixture) => keyed(fixture, name, 'POST', base, body({ name }, fixture.projects[0])),
  },
  {
    name: 'update with an Idempotency-Key',
    status: 200,
    budget: { rounds: 6, read: 3.5, write: 4, calls: 8 },
    prepare: async (name, fixture) =>
      keyed(fixture, name, 'PATCH', `/workspaces/${await fixture.create(name)}`, body({ 'auto-apply': true })),
  },
  {
    name: 'safe-delete with an Idempotency-Key',
    status: 204,
    budget: { rounds: 6, read: 3.5, write: 11, calls: 8 },
    prepare: async (name, fixture) =>
      keyed(fixture, name, 'POST', `/workspaces/${await fixture.create(name)}/actions/safe-delete`),
  },
  {
    name: 'repeated creation with an Idempotency-Key',
    status: 201,
    budget: { rounds: 6, read: 5.5, write: 0, calls: 8 },
    prepare: async (name, fixture) => {
      const create = keyed(fixture, name, 'POST', base, body({ name }, fixture.projects[0]));
      await create();
      return create;
    },
  },
  {
    name: 'another request with the same Idempotency-Key',
    status: 422,
    budget: { rounds: 2, read: 0.5, write: 0, calls: 2 },
    prepare: async (name, fixture) => {
      const path = `/workspaces/${await fixture.create(name)}/actions`;
      await keyed(fixture, name, 'POST', `${path}/lock`)();
      return keyed(fixture, name, 'POST', `${path}/unlock`);
    },
  },
  {
    name: 'list 20 unchanged rows',
    status: 200,
    budget: { rounds: 3, read: 13.5, write: 0, calls: 7 },
    prepare: async (_, { projects, request }) => {
      for (let index = 0; index < 25; index++)
        await request('POST', base, body({ name: `page-${index}` }, projects[0]));
      advanceClock();
      const list = () => request('GET', `${base}?sort=name`);
      await list();
      return list;
    },
  },
  {
    name: 'statistics of unchanged rows',
    status: 200,
    budget: { rounds: 3, read: 6, write: 0, calls: 7 },
    prepare: async (name, { create, request }) => {
      await create(name);
      advanceClock();
      const count = () => request('GET', '/organizations/budget/statistics');
      await count();
      return count;
    },
  },
];

describe('DynamoDB usage of workspace operations', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
