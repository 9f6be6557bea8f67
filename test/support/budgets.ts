import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, type Reply, startApi } from './api.ts';
import { type Count, type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { startEngine, type TestEngine } from './engine.ts';

/**
 * What each operation may ask of DynamoDB, at most: rounds, read units, write units; nothing about the caller
 * remembered. Counted between the store and the engine, for a user in 3 teams, in an organization of 20 teams and 10
 * projects, with 5 grants on the project and 5 on the workspace, and a workspace of about 1.5 KB.
 */
const TEAMS = 20;
const PROJECTS = 10;
const GRANTS = 5;

export interface Budget {
  readonly rounds: number;
  readonly read: number;
  readonly write: number;
}

export interface Operation {
  readonly name: string;
  readonly budget: Budget;
  readonly status: number;
  /** Prepares, and gives the request to count. */
  readonly prepare: (name: string, bench: BudgetBench) => Promise<() => Promise<Reply>>;
}

/** An organization of that size, behind a counting proxy. */
export interface BudgetBench {
  readonly api: Api;
  readonly proxy: CountingProxy;
  readonly projects: readonly string[];
  /** As the user whose calls are counted. */
  readonly request: (method: string, path: string, body?: object) => Promise<Reply>;
  /** A workspace of that size. @returns its id. */
  readonly create: (name: string) => Promise<string>;
}

/** Fills a workspace to about 1.5 KB. */
const filling = { description: 'd'.repeat(300), 'working-directory': 'w'.repeat(200), 'source-name': 's'.repeat(200) };

export const workspaceBody = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

export const ORGANIZATION = 'budget';

const openBench = async (engine: TestEngine, proxy: CountingProxy): Promise<BudgetBench> => {
  const api = await startApi({ engine, endpoint: proxy.endpoint });
  await api.admin('create-organization', { name: ORGANIZATION, email: 'owner@example.com' });
  const projects: string[] = [];
  for (let project = 0; project < PROJECTS; project++) {
    const { project: made } = await api.admin('create-project', {
      organization: ORGANIZATION,
      name: `project-${project}`,
    });
    projects.push(made.id);
  }
  for (let team = 0; team < TEAMS; team++) {
    await api.admin('create-team', { organization: ORGANIZATION, name: `team-${team}` });
    if (team < GRANTS) {
      for (const project of projects.slice(0, 2)) {
        await api.admin('grant-access', { organization: ORGANIZATION, team: `team-${team}`, project, access: 'admin' });
      }
    }
  }
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  for (let team = 0; team < 3; team++) {
    await api.admin('add-member', { organization: ORGANIZATION, team: `team-${team}`, username: 'grace' });
  }
  const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });

  const request: BudgetBench['request'] = (method, path, body) =>
    api.request(method, path, { token, ...(body && { body }) });
  return {
    api,
    proxy,
    projects,
    request,
    create: async (name) => {
      const body = workspaceBody({ name, ...filling }, projects[0]);
      const created = await request('POST', `/organizations/${ORGANIZATION}/workspaces`, body);
      const id: string = created.body.data.id;
      for (let team = 0; team < GRANTS; team++) {
        await api.admin('grant-access', {
          organization: ORGANIZATION,
          team: `team-${team}`,
          workspace: id,
          access: 'write',
        });
      }
      return id;
    },
  };
};

/** One for the tests of a file. @returns how to come by it once they run. */
export const useBudgetBench = (): (() => BudgetBench) => {
  let engine: TestEngine;
  let bench: BudgetBench;
  beforeAll(async () => {
    engine = await startEngine();
    bench = await openBench(engine, await startCountingProxy(engine.endpoint));
  }, 60_000);
  afterAll(async () => {
    await bench.api.stop();
    await bench.proxy.stop();
    await engine.stop();
  });
  return () => bench;
};

/** A request by id to a workspace of its own. */
export const onWorkspace =
  (
    method: string,
    action = '',
    body?: (name: string, bench: BudgetBench) => object,
    before?: (path: string, bench: BudgetBench) => Promise<unknown>,
  ): Operation['prepare'] =>
  async (name, bench) => {
    const path = `/workspaces/${await bench.create(name)}`;
    await before?.(path, bench);
    return () => bench.request(method, path + action, body?.(name, bench));
  };

export const expectWithin = ({ rounds, readUnits, writeUnits, operations }: Count, budget: Budget): void => {
  const used = { rounds, read: readUnits, write: writeUnits };
  for (const unit of ['rounds', 'read', 'write'] as const) {
    expect(used[unit], `${unit} of ${operations.join(', ')}`).toBeLessThanOrEqual(budget[unit]);
  }
};

/** A test for each operation. */
export const describeBudgets = (bench: () => BudgetBench, operations: readonly Operation[]): void => {
  it.each(operations)('$name stays within $budget', async ({ name, status, budget, prepare }) => {
    const send = await prepare(name.replaceAll(' ', '-'), bench());
    const { result, count } = await bench().proxy.count(send);
    expect(result.status, JSON.stringify(result.body)).toBe(status);
    expectWithin(count, budget);
  });
};
