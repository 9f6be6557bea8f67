import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { WIDEST } from '../../../shared/store/list-index/windows.ts';
import { type Api, type ApiOptions, type ApiResponse, startApi } from '../api/api.ts';
import { startEngine, type TestEngine } from '../engine/engine.ts';
import { type Count, type CountingProxy, startCountingProxy } from '../faults/counting-proxy.ts';
import { recordBudget } from './budget-coverage.ts';

/**
 * Budgets limit the rounds, read units, write units and calls that an operation uses in DynamoDB when nothing about the caller
 * is cached. They are counted between the store and the engine, in an organization of 10 projects, for a workspace of
 * about 1.5 KB. With ten times the teams and grants, items are larger and units may grow, but rounds must not.
 */
const PROJECTS = 10;

/** `grants` counts those on the project, and as many on the workspace. `memberships` counts the teams of the user. */
const sizes = {
  usual: { teams: 20, grants: 5, memberships: 3 },
  tenfold: { teams: 200, grants: 50, memberships: 30 },
} as const;
type Size = keyof typeof sizes;

/** Upper limits of one operation. Reads and writes are in capacity units. */
export interface Budget {
  readonly rounds: number;
  readonly read: number;
  readonly write: number;
  /** Calls, for the operations that clients send most. */
  readonly calls?: number;
}

/** Operation with its budget and its expected response status. */
export interface BudgetedOperation {
  readonly name: string;
  readonly budget: Budget;
  readonly status: number;
  /** Creates what the operation needs and returns the request to count. `name` is unique among the operations. */
  readonly prepare: (name: string, fixture: BudgetFixture) => Promise<() => Promise<ApiResponse>>;
}

/** Organization of one size whose database calls pass a counting proxy. */
export interface BudgetFixture {
  readonly api: Api;
  readonly proxy: CountingProxy;
  readonly projects: readonly string[];
  /** Sends a request as the user whose calls are counted. */
  readonly request: (
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<ApiResponse>;
  /** Creates a workspace of that size. @returns its id. */
  readonly create: (name: string) => Promise<string>;
}

/** Fills a workspace to somewhat more than 1.5 KB, with its grants and its change record. */
const filling = { description: 'd'.repeat(300), 'working-directory': 'w'.repeat(200), 'source-name': 's'.repeat(120) };

/** Builds the body of a workspace request. */
export const workspaceBody = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

/** Name of the organization of the fixture. */
export const ORGANIZATION = 'budget';

/** Organization of one size, whose table every test file of the process copies. */
interface Organization {
  readonly engine: TestEngine;
  readonly token: string;
  readonly projects: readonly string[];
  /** Grants on a workspace, as they are stored. Workspaces get a copy of them in one write. */
  readonly workspaceGrants: unknown;
}

const organizations = new Map<Size, Promise<Organization>>();

/** Creates the organization of a size, once in each process: commands for 200 teams take longer than the tests of a file. */
const organizationOf = (size: Size): Promise<Organization> => {
  const organization = organizations.get(size) ?? createOrganization(size);
  organizations.set(size, organization);
  return organization;
};

const createOrganization = async (size: Size): Promise<Organization> => {
  const { teams, grants, memberships } = sizes[size];
  const engine = await startEngine();
  const api = await startApi({ engine });
  const organization = ORGANIZATION;
  await api.admin('create-organization', { name: organization, email: 'owner@example.com' });
  const projects: string[] = [];
  for (let project = 0; project < PROJECTS; project++) {
    const { project: created } = await api.admin('create-project', { organization, name: `project-${project}` });
    projects.push(created.id);
  }
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  for (let index = 0; index < teams; index++) {
    const team = `team-${index}`;
    await api.admin('create-team', { organization, name: team });
    if (index < memberships) await api.admin('add-member', { organization, team, username: 'grace' });
    if (index >= grants) continue;
    for (const project of projects.slice(0, 2)) {
      await api.admin('grant-access', { organization, team, project, access: 'admin' });
    }
  }
  const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
  await api.stop();
  const table = { engine: await engine.copy(), token, project: projects[0] };
  return { engine, token, projects, workspaceGrants: await createWorkspaceGrants(table, grants) };
};

/** Grants access to a workspace by commands, in a table that is not used again. */
const createWorkspaceGrants = async (
  { engine, token, project }: { engine: TestEngine; token: string; project: string | undefined },
  grants: number,
): Promise<unknown> => {
  const api = await startApi({ engine });
  const body = workspaceBody({ name: 'granted' }, project);
  const created = await api.request('POST', `/organizations/${ORGANIZATION}/workspaces`, { token, body });
  const workspace: string = created.body.data.id;
  for (let index = 0; index < grants; index++) {
    await api.admin('grant-access', { organization: ORGANIZATION, team: `team-${index}`, workspace, access: 'write' });
  }
  await api.stop();
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(engine.client));
  const { Item } = await table.send(new GetCommand({ TableName: engine.tableName, Key: keys.workspace(workspace) }));
  return Item?.['acc'];
};

const openFixture = async (
  { token, projects, workspaceGrants }: Organization,
  engine: TestEngine,
  proxy: CountingProxy,
  options: ApiOptions,
): Promise<BudgetFixture> => {
  const api = await startApi({ ...options, engine, endpoint: proxy.endpoint, deletedWorkspaceDays: 14 });
  const request: BudgetFixture['request'] = (method, path, body, headers = {}) =>
    api.request(method, path, { token, headers, ...(body && { body }) });
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(engine.client));
  return {
    api,
    proxy,
    projects,
    request,
    create: async (name) => {
      const body = workspaceBody({ name, ...filling }, projects[0]);
      const created = await request('POST', `/organizations/${ORGANIZATION}/workspaces`, body);
      const workspace: string = created.body.data.id;
      await table.send(
        new UpdateCommand({
          TableName: engine.tableName,
          Key: keys.workspace(workspace),
          UpdateExpression: 'SET #acc = :acc',
          ExpressionAttributeNames: { '#acc': 'acc' },
          ExpressionAttributeValues: { ':acc': workspaceGrants },
        }),
      );
      return workspace;
    },
  };
};

/** Returns the fixture of a size, by default the usual one. */
export type BudgetFixtures = (size?: Size) => BudgetFixture;

/**
 * Starts a fixture of each size for the tests of a file, each with its own table. @returns access to them during tests.
 * @param options further options of the API, which are read when the tests start.
 */
export const useBudgetFixtures = (options: () => ApiOptions = () => ({})): BudgetFixtures => {
  let proxy: CountingProxy;
  const fixtures = new Map<Size, BudgetFixture>();
  beforeAll(async () => {
    for (const size of ['usual', 'tenfold'] as const) {
      const organization = await organizationOf(size);
      const engine = await organization.engine.copy();
      proxy ??= await startCountingProxy(engine.endpoint);
      fixtures.set(size, await openFixture(organization, engine, proxy, options()));
    }
  });
  afterAll(async () => {
    for (const { api } of fixtures.values()) await api.stop();
    await proxy.stop();
  });
  return (size = 'usual') => fixtures.get(size) as BudgetFixture;
};

/**
 * Stops the clock at a later time until the end of the test, in milliseconds from now. By default, all that was written
 * before is too old for a list to read it again, so its units do not depend on how fast the computer wrote it.
 */
export const advanceClock = (by: number = WIDEST.back): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + by });
};

/** Prepares a request to a new workspace, by its id. */
export const onWorkspace =
  (
    method: string,
    action = '',
    body?: (name: string, fixture: BudgetFixture) => object,
    before?: (path: string, fixture: BudgetFixture) => Promise<unknown>,
  ): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const path = `/workspaces/${await fixture.create(name)}`;
    await before?.(path, fixture);
    return () => fixture.request(method, path + action, body?.(name, fixture));
  };

const expectWithin = ({ rounds, readUnits, writeUnits, calls, operations }: Count, budget: Budget): void => {
  const used = { rounds, read: readUnits, write: writeUnits, calls };
  for (const unit of ['rounds', 'read', 'write', 'calls'] as const) {
    expect(used[unit], `${unit} of ${operations.join(', ')}`).toBeLessThanOrEqual(
      budget[unit] ?? Number.POSITIVE_INFINITY,
    );
  }
};

/** Defines a test for each operation, which must use the fixture that `prepare` receives. */
export const describeBudgets = (fixture: BudgetFixtures, operations: readonly BudgetedOperation[]): void => {
  afterEach(() => vi.useRealTimers());
  it.each(operations)(
    'is at most $budget for "$name", with the same number of rounds for ten times the teams and grants',
    async ({ name, status, budget, prepare }) => {
      const countWith = async (size: Size): Promise<Count> => {
        const send = await prepare(name.replaceAll(/\W+/g, '-'), fixture(size));
        const { result, count } = await fixture(size).proxy.count(send);
        expect(result.status, JSON.stringify(result.body)).toBe(status);
        recordBudget(fixture(size).api.lastRoute(), expect.getState().testPath ?? '');
        return count;
      };
      const count = await countWith('usual');
      expectWithin(count, budget);
      const { rounds, operations } = await countWith('tenfold');
      expect(rounds, `rounds of ${operations.join(', ')}, and of ${count.operations.join(', ')}`).toBe(count.rounds);
    },
  );
};
