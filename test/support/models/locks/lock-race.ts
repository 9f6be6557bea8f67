import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { synthesize } from '../../../../infra/build/synthesize.ts';
import { type Service, startService } from '../../../../infra/local/service/service.ts';
import { all, equals } from '../../../../shared/domain/changes/conditions.ts';
import type { Lock } from '../../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import { checkTable } from '../../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../../shared/store/dynamodb/database.ts';
import { keys } from '../../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../../shared/store/items/item-write.ts';
import { createFaultProxy, type FaultProxy } from '../../faults/fault-proxy.ts';
import { chained, createLateProxy } from '../../faults/lock-late-proxy.ts';
import { createSkewedAssembly } from '../../faults/skewed-assembly.ts';
import { countResponses, openServiceTable } from '../../local/running-service.ts';
import { compileCache } from '../../setup/compile-cache.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { checkHistory, type Finding, type LockCall, type LockState } from './history.ts';
import { type LockClientJob, now, parseResponse } from './lock-client.ts';

export interface RaceOptions {
  /** Number of client processes, each with its own user and token. */
  readonly clients: number;
  readonly workspaces: number;
  /** Total number of calls. */
  readonly calls: number;
  readonly seed: number;
  /** Folder of an existing cloud assembly. By default, the app is synthesized. */
  readonly assembly?: string;
  /** Maximum number of workers per function. */
  readonly concurrency?: number;
  /** Fractions of writes that get each fault. */
  readonly lost?: number;
  readonly late?: number;
  readonly throttled?: number;
  readonly conflicting?: number;
  readonly delayed?: number;
}

export interface Race {
  readonly calls: readonly LockCall[];
  readonly findings: readonly Finding[];
  /** Number of responses by action and status. */
  readonly responses: Readonly<Record<string, number>>;
  /** Maximum number of concurrently busy workers of the locks function. */
  readonly maxBusy: number;
  readonly faults: FaultProxy['counts'] & { readonly late: number };
  readonly milliseconds: number;
  /** Final items of the workspaces, after every lock was released. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Ids of the workspaces that were locked with leases. */
  readonly leased: readonly string[];
  /** Number of leases that were shortened, so that they expired during the race. */
  readonly shortened: number;
  /** Findings of the final consistency check. */
  readonly damage: readonly unknown[];
  readonly lockedInTheEnd: number;
  /** Status of the final force-unlock of each workspace, and whether it was locked before. */
  readonly cleared: readonly { readonly wasLocked: boolean; readonly status: number | undefined }[];
}

/** Upper limit for calls that continue after their client disconnected: the timeout of the function. */
const LATE_MILLIS = 12_000;
/** Maximum delay of an update that reaches the engine after its sender gave up. */
const LATEST_UPDATE_MILLIS = 250;
/** Pause before a request that a busy machine did not serve is repeated. */
const PAUSE_MILLIS = 100;

/** Maximum time by which the clocks of functions, and delays of writes, move the end of a lease (LOCK-21). */
const UNCERTAINTY_MILLIS = 9_000;
/**
 * Number of calls to the engine between two leases that are shortened, so that a fast computer has as many of them, and the
 * longest time until their new end, in milliseconds.
 */
const SHORTENING = { calls: 20, longest: 300 };
/** Longer than a shortened lease lasts by any clock, in milliseconds. */
const EXPIRED_MILLIS = 1_000;

const clientProgram = fileURLToPath(new URL('lock-client.ts', import.meta.url));

/**
 * Runs concurrent lock clients over HTTP on a local service, with faults between its store and its engine, and with clocks
 * that differ. On every other workspace, locks have leases, some of which end early, as if their holder had stopped long ago.
 */
export const raceLocks = async (options: RaceOptions): Promise<Race> => {
  const { clients, workspaces: count, calls, seed, concurrency = 8 } = options;
  const { lost = 0.04, late = 0.03, throttled = 0.03, conflicting = 0.02, delayed = 0.05 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-race-'));
  const proxy = createFaultProxy(seed, {});
  const lateProxy = createLateProxy(seed + 1, LATEST_UPDATE_MILLIS);
  const children: ChildProcess[] = [];
  let service: Service | undefined;
  try {
    const assembly = options.assembly ?? (await synthesize({ outdir: join(folder, 'assembly') })).directory;
    service = await startService({
      dataFolder: join(folder, 'data'),
      assembly: createSkewedAssembly(assembly, join(folder, 'skewed')),
      concurrency,
      engineProxy: chained(proxy.engineProxy, lateProxy.engineProxy),
    });
    const { origin, engineEndpoint, tableNames } = service;
    const owner = service.token ?? '';
    const call = createCaller(origin, owner);
    const users = await makeUsers(service, clients);
    const workspaces: string[] = [];
    for (let index = 0; index < count; index++) {
      const attributes = { name: `race-${index}` };
      const { body } = await call('POST', '/organizations/demo/workspaces', {
        data: { type: 'workspaces', attributes },
      });
      workspaces.push(String(JSON.parse(body).data.id));
    }

    const leased = workspaces.filter((_, index) => index % 2 === 1);
    for (const [index, user] of users.entries()) {
      const job: LockClientJob = {
        ...user,
        origin,
        workspaces,
        leased,
        calls: Math.floor(calls / clients) + (index < calls % clients ? 1 : 0),
        lanes: 2,
        crowd: 3,
        impatience: 0.01,
        seed: seed + 100 + index,
      };
      const child = fork(clientProgram, [], { execArgv: [], env: compileCache() });
      children.push(child);
      const ready = once(child, 'message');
      child.send(job);
      await ready;
    }

    proxy.setPlan({
      UpdateItem: { lost, throttled, conflicting, delayed, delayMillis: 60 },
      '*': { delayed: delayed / 2, delayMillis: 20 },
    });
    lateProxy.setFraction(late);
    const database = openServiceTable(engineEndpoint, tableNames[0]);
    const shortening = startShortening(database, leased, createSeededRandom(seed + 2), () => proxy.counts.calls);
    const began = performance.now();
    const made = (
      await Promise.all(
        children.map(async (child) => {
          const message = once(child, 'message');
          child.send('go');
          return (await message)[0] as LockCall[];
        }),
      )
    ).flat();
    const milliseconds = performance.now() - began;
    const shortened = await shortening.stop();
    const { maxBusy } = await readLockStatistics(origin);
    proxy.setPlan({});
    lateProxy.setFraction(0);
    // Waits for calls of disconnected clients and for late updates.
    while ((await readLockStatistics(origin)).busy > 0) await sleep(50);
    await lateProxy.settled();
    await sleep(EXPIRED_MILLIS);

    const usernames = new Map(users.map(({ id, name }) => [id, name]));
    const named = (state: LockState): LockState =>
      state && { ...state, holder: usernames.get(state.holder) ?? state.holder };
    const history = [...made, ...shortened].map((it) =>
      it.shown ? { ...it, shown: named(it.shown) } : it,
    ) as LockCall[];
    const finalAt = now();
    const final = new Map<string, LockState>();
    const cleared: Race['cleared'][number][] = [];
    for (const id of workspaces) {
      const { body } = await call('GET', `/workspaces/${id}`);
      const state = named(parseResponse(200, body).shown);
      final.set(id, state);
      const { status } = await call('POST', `/workspaces/${id}/actions/force-unlock`);
      cleared.push({ wasLocked: state !== undefined, status });
    }
    const items = await database.getAll(workspaces.map(keys.workspace), true);
    return {
      calls: made,
      findings: checkHistory(history, {
        final,
        finalAt,
        lateMillis: LATE_MILLIS,
        uncertaintyMillis: UNCERTAINTY_MILLIS,
      }),
      leased,
      shortened: shortened.length,
      responses: countResponses(made),
      maxBusy,
      faults: { ...proxy.counts, late: lateProxy.count() },
      milliseconds,
      items,
      damage: (await checkTable(database)).findings,
      lockedInTheEnd: [...final.values()].filter((state) => state !== undefined).length,
      cleared,
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Shortens the leases of random workspaces until it is stopped, by writing to the table.
 * @param countCalls returns the number of calls to the engine so far.
 * @returns a function that stops and returns each shortened lease as a renewal by its holder, which it amounts to.
 */
const startShortening = (
  database: Database,
  leased: readonly string[],
  random: () => number,
  countCalls: () => number,
) => {
  const renewals: LockCall[] = [];
  let isStopped = false;
  const shorten = async (workspace: string): Promise<void> => {
    const lock = (await database.get(keys.workspace(workspace), true))?.['lock'] as Lock | undefined;
    if (lock?.expiresAt === undefined || lock.expiresAt < Date.now() + EXPIRED_MILLIS) return;
    const { id, name, reason, expiresAt } = lock;
    // Most are so short that they end before the next call of their holder.
    const lease = random() ** 2 * SHORTENING.longest;
    const invokedAt = now();
    const change = { set: { 'lock.expiresAt': Math.round(Date.now() + lease) } };
    const isUnchanged = all(equals('lock.id', id), equals('lock.expiresAt', expiresAt));
    await database.write(update(keys.workspace(workspace), change, isUnchanged));
    const shown = { holder: name, token: reason };
    const times = { invokedAt, completedAt: now() };
    renewals.push({ client: name, workspace, action: 'renew', lease, ...times, status: 200, shown });
  };
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const next = countCalls() + SHORTENING.calls;
      const workspace = leased[Math.floor(random() * leased.length)] ?? '';
      // The holder may have released the lock meanwhile.
      await shorten(workspace).catch(() => {});
      while (!isStopped && countCalls() < next) await sleep(5);
    }
  };
  const running = run();
  return {
    stop: async (): Promise<readonly LockCall[]> => {
      isStopped = true;
      await running;
      return renewals;
    },
  };
};

/**
 * Creates a function that sends requests before and after a race. A busy machine responds with 503 at any time, so a
 * request is repeated until it gets another status. Its key makes a repeated change take effect once (HTTP-39).
 * The requests throw an error for any status but 2xx and 409.
 */
const createCaller = (origin: string, token: string) => async (method: string, path: string, body?: object) => {
  const key = base58(16);
  for (;;) {
    const response = await fetch(`${origin}/api/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method !== 'GET' && { 'idempotency-key': `"${key}"` }),
        ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok || response.status === 409) return { status: response.status, body: text };
    if (response.status !== 503) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    await sleep(PAUSE_MILLIS);
  }
};

interface RaceUser {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/**
 * Creates users in the owners team, so that each may force-unlock. A command that fails on a busy machine is repeated: a
 * user that exists already is returned.
 */
export const makeUsers = async ({ functions }: Service, count: number): Promise<RaceUser[]> => {
  const name = functions.names.find((it) => it.endsWith('admin')) ?? '';
  const admin = async (command: string, parameters: object) => {
    for (;;) {
      const outcome = await functions.invoke(name, JSON.stringify({ command, ...parameters }));
      if (outcome.kind !== 'succeeded') throw new Error(`${command}: ${JSON.stringify(outcome)}`);
      const response = JSON.parse(outcome.payload);
      if (response.errors === undefined) return response;
      if (response.errors[0].status !== '503') throw new Error(`${command}: ${outcome.payload}`);
      await sleep(PAUSE_MILLIS);
    }
  };
  const users: RaceUser[] = [];
  for (let index = 0; index < count; index++) {
    const username = `racer${index}`;
    const { user } = await admin('create-user', { username, email: `${username}@example.com` });
    await admin('add-member', { organization: 'demo', team: 'owners', username });
    const { token } = await admin('create-token', { kind: 'user', username });
    users.push({ id: String(user.id), name: username, token: String(token) });
  }
  return users;
};

const readLockStatistics = async (origin: string): Promise<{ busy: number; maxBusy: number }> => {
  const response = await fetch(`${origin}/_local/functions`);
  const { functions } = (await response.json()) as { functions: { name: string; busy: number; maxBusy: number }[] };
  const found = functions.find(({ name }) => name.endsWith('workspace-locks'));
  if (found === undefined) throw new Error('The service has no workspace-locks function');
  return found;
};
