import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { synthesize } from '../../infra/build/synthesize.ts';
import { type FunctionDefinition, readAssembly } from '../../infra/local/assembly/assembly.ts';
import { type Service, type ServiceOptions, startService } from '../../infra/local/service/service.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../shared/lib/random.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { type Item, keys } from '../../shared/store/dynamodb/keys.ts';
import { creationWrites } from '../../shared/store/items/workspace-writes.ts';
import { SNAPSHOT_ROWS } from '../../shared/store/list-index/list-index-store.ts';
import { openAdmin } from '../support/api/admin.ts';
import { newWorkspace } from '../support/api/new-workspace.ts';
import type { Seed } from '../support/api/seed-workspaces.ts';
import { folderInMemory, startEngine, type TestEngine } from '../support/engine/engine.ts';
import { importItems } from '../support/engine/import-items.ts';
import { scanItems } from '../support/engine/scan-items.ts';
import { type FunctionProcess, startFunction } from '../support/local/function-process.ts';
import { openServiceTable } from '../support/local/running-service.ts';
import { type Parents, scaleSeeds } from '../support/models/lists/list-scale.ts';
import { planCopy, SHARDS, type Spare } from './planned-writes.ts';

/** Organization of a given size, with the workspaces that requests use. */
export interface Organization extends Parents {
  readonly name: string;
  /** Number of workspaces after seeding. */
  readonly size: number;
  readonly defaultProject: string;
  /** Workspace with variables and consumers. */
  readonly probe: Workspace;
  /** Workspaces that requests change, and consumers of the probe. */
  readonly others: readonly Workspace[];
}

/**
 * Testbed of the benchmark: the local service with organizations of several sizes, and a user in 3 of the 20 teams of
 * each.
 */
export interface Testbed {
  readonly service: Service;
  readonly tableName: string;
  readonly token: string;
  readonly organizations: readonly Organization[];
  /** Creates a workspace for bare calls, with the attributes of the one that requests change. */
  readonly createSpare: (organization: Organization) => Promise<Spare>;
  /** Workspaces written per second, with their name claims. */
  readonly seedingRate: number;
  /**
   * Starts a function, or another module that exports a handler, in its own process with the function's environment.
   */
  readonly start: (name: FunctionName, options?: StartOptions) => Promise<FunctionProcess>;
  readonly stop: () => Promise<void>;
}

interface StartOptions {
  /** Path of a module to run in place of the function's bundle. */
  readonly module?: string;
  /** Seconds for which callers are cached; by default, as deployed. */
  readonly callerCacheSeconds?: number;
  /** Endpoint of a proxy between the function and the engine. */
  readonly endpoint?: string;
  /** Client of DynamoDB in `floor.ts`; by default, as deployed. */
  readonly floorClient?: 'sdk';
}

const TEAMS = 20;
const MEMBERSHIPS = 3;
const PROJECTS = 10;
const GRANTS = 5;
/** Number of workspaces besides the probe: one for every client. */
const OTHERS = 128;
const VARIABLES = 5;
export const CONSUMERS = 20;

/** Fills a workspace to about 1.5 KB. */
const text = { description: 'd'.repeat(400), triggerPatterns: [], triggerPrefixes: [] };

function* filled(seeds: Iterable<Seed>): Generator<Workspace> {
  for (const seed of seeds) yield { ...newWorkspace(seed, { name: seed.name }), ...seed, text };
}

/**
 * @param sizes workspaces of each organization.
 * @param options `engineProxy`: a proxy between the functions of the service and the engine.
 */
export const createTestbed = async (
  sizes: readonly number[],
  options: Pick<ServiceOptions, 'engineProxy'> = {},
): Promise<Testbed> => {
  const folder = folderInMemory();
  const undo: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  try {
    const { directory: assembly } = await synthesize({ outdir: join(folder, 'assembly'), isChecked: false });
    const { functions, tables } = readAssembly(assembly);
    const tableName = tables[0]?.name ?? '';
    const { directory, token, drafts } = await makeDirectory(sizes);

    const dataFolder = join(folder, 'data');
    await mkdir(dataFolder);
    const started = performance.now();
    await importItems(
      dataFolder,
      tableName,
      itemsOf(
        directory,
        drafts.map(({ seeded }) => seeded()),
      ),
    );
    const seedingRate = (sizes.reduce((sum, size) => sum + size, 0) / (performance.now() - started)) * 1_000;

    const service = await startService({ dataFolder, assembly, ...options });
    undo.push(() => service.stop());
    const organizations = drafts.map(({ organization }) => organization());
    const database = openServiceTable(service.engineEndpoint, tableName);
    const testbed: Testbed = {
      service,
      tableName,
      token,
      organizations,
      createSpare: async ({ probe, others }) => {
        const { spare, writes } = planCopy(others.at(-1) ?? probe);
        await database.transact(writes);
        return spare;
      },
      seedingRate,
      start: (name, options = {}) => startIn(service, functions, name, options),
      stop,
    };
    for (const organization of testbed.organizations) await furnish(testbed, organization);
    return testbed;
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Creates organizations with projects, teams, grants and a user through the admin commands. */
const makeDirectory = async (sizes: readonly number[]) => {
  const engine = await startEngine();
  try {
    const admin = adminOf(engine);
    await admin('create-user', { username: 'grace', email: 'grace@example.com' });
    const drafts = [];
    for (const size of sizes) drafts.push(await draftOrganization(admin, size));
    const { token } = await admin('create-token', { kind: 'user', username: 'grace' });
    const directory: Item[] = [];
    for await (const item of scanItems(engine.database)) directory.push(item);
    return { directory, token: String(token), drafts };
  } finally {
    await engine.stop();
  }
};

function* itemsOf(directory: Iterable<Item>, workspaces: readonly Iterable<Workspace>[]): Generator<Item> {
  yield* directory;
  for (const some of workspaces) {
    for (const workspace of some) {
      for (const { item } of creationWrites(workspace, SHARDS)) if (item !== undefined) yield item;
    }
  }
}

type Admin = ReturnType<typeof openAdmin>['admin'];

const adminOf = ({ database }: Pick<TestEngine, 'database'>): Admin => {
  const { admin } = openAdmin(database);
  return async (command, parameters) => {
    const answer = await admin(command, parameters);
    if (answer['errors']) throw new Error(`${command}: ${JSON.stringify(answer['errors'])}`);
    return answer;
  };
};

/** Creates an organization without its workspaces. */
const draftOrganization = async (admin: Admin, size: number) => {
  const name = `size-${size}`;
  const { organization } = await admin('create-organization', { name, email: 'owner@example.com' });
  const parents = { projects: [] as string[], teams: [] as string[] };
  for (let index = 0; index < PROJECTS; index++) {
    const { project } = await admin('create-project', { organization: name, name: `project-${index}` });
    parents.projects.push(project.id);
  }
  for (let index = 0; index < TEAMS; index++) {
    const permissions = index === 0 ? { permissions: ['manage-workspaces'] } : {};
    const { team } = await admin('create-team', { organization: name, name: `team-${index}`, ...permissions });
    parents.teams.push(team.id);
    if (index < MEMBERSHIPS) await admin('add-member', { organization: name, team: team.name, username: 'grace' });
    if (index < GRANTS) {
      const [project] = parents.projects;
      await admin('grant-access', { organization: name, team: team.name, project, access: 'write' });
    }
  }

  const known: Workspace[] = [];
  return {
    /** Generates each workspace once and stores the first ones. */
    *seeded(): Generator<Workspace> {
      for (const workspace of filled(scaleSeeds(size, parents, Date.now(), name))) {
        if (known.length <= OTHERS) known.push(workspace);
        yield workspace;
      }
    },
    organization: (): Organization => {
      const [probe, ...others] = known;
      if (probe === undefined || others.length < CONSUMERS) throw new RangeError(`${size} workspaces are too few`);
      return { ...parents, name, size, defaultProject: organization.defaultProject, probe, others };
    },
  };
};

/**
 * Creates by requests what commands cannot: variables and consumers of the probe, and snapshots of large organizations.
 */
const furnish = async (testbed: Testbed, { name, size, probe, others }: Organization): Promise<void> => {
  const { service, token, tableName } = testbed;
  const request = async (path: string, init?: RequestInit): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
    const answer = await fetch(service.baseUrl + path, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  await furnishProbe((path, body) => request(path, { method: 'POST', body: JSON.stringify(body) }), probe, others);
  if (size <= SNAPSHOT_ROWS) return;
  // The first list requests a snapshot.
  await request(`/organizations/${name}/workspaces`);
  const database = openServiceTable(service.engineEndpoint, tableName);
  for (let attempt = 0; attempt < 120; attempt++) {
    if ((await database.get(keys.organization(name)))?.['snapshotAt'] !== undefined) return;
    await sleep(500);
  }
  throw new Error(`No snapshot was taken of ${name}`);
};

/** Creates the variables and the consumers of the probe. @param post sends a request to a path of the API. */
export const furnishProbe = async (
  post: (path: string, body: unknown) => Promise<unknown>,
  probe: Pick<Workspace, 'id'>,
  others: readonly Pick<Workspace, 'id'>[],
): Promise<void> => {
  for (let index = 0; index < VARIABLES; index++) {
    await post(`/workspaces/${probe.id}/vars`, variableBody(`seeded_${index}`));
  }
  await post(`/workspaces/${probe.id}/relationships/remote-state-consumers`, {
    data: others.slice(0, CONSUMERS).map(({ id }) => ({ type: 'workspaces', id })),
  });
};

export const variableBody = (key: string) => ({
  data: { type: 'vars', attributes: { key, value: 'v'.repeat(100), category: 'terraform', description: 'd' } },
});

const startIn = (
  service: Service,
  functions: readonly FunctionDefinition[],
  name: FunctionName,
  { module, callerCacheSeconds, endpoint = service.engineEndpoint, floorClient }: StartOptions,
): Promise<FunctionProcess> => {
  const definition = functions.find((one) => one.name.endsWith(`-${name}`));
  if (definition === undefined) throw new RangeError(`There is no function ${name}`);
  const { directory, environment, memorySize } = definition;
  return startFunction(
    module ?? join(directory, 'index.mjs'),
    {
      ...environment,
      ...(callerCacheSeconds !== undefined && { CALLER_CACHE_SECONDS: String(callerCacheSeconds) }),
      ...(floorClient !== undefined && { FLOOR_CLIENT: floorClient }),
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_S3: service.bucketUrl,
      AWS_ENDPOINT_URL_LAMBDA: service.origin,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: service.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
      AWS_LAMBDA_FUNCTION_NAME: definition.name,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    },
    memorySize,
  );
};

/** Creates an unused name. */
export const freshName = (): string => `made-${base58(12)}`;
