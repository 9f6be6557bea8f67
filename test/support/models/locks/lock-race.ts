import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Service, startService } from '../../../../infra/local/service/service.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import { checkTable } from '../../../../shared/store/consistency-check/check-table.ts';
import { keys } from '../../../../shared/store/dynamodb/keys.ts';
import { createFaultProxy, type FaultProxy } from '../../faults/fault-proxy.ts';
import { chained, createLateProxy } from '../../faults/lock-late-proxy.ts';
import { countResponses, openServiceTable } from '../../local/running-service.ts';
import { compileCache } from '../../setup/compile-cache.ts';
import { checkHistory, type Finding, type LockCall, type LockState } from './history.ts';
import { type LockClientJob, parseResponse } from './lock-client.ts';

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
  readonly answers: Readonly<Record<string, number>>;
  /** Maximum number of concurrently busy workers of the locks function. */
  readonly maxBusy: number;
  readonly faults: FaultProxy['counts'] & { readonly late: number };
  readonly milliseconds: number;
  /** Final items of the workspaces, after every lock was released. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
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

const clientProgram = fileURLToPath(new URL('lock-client.ts', import.meta.url));

/** Runs concurrent lock clients over HTTP on a local service, with faults between its store and its engine. */
export const raceLocks = async (options: RaceOptions): Promise<Race> => {
  const { clients, workspaces: count, calls, seed, concurrency = 8 } = options;
  const { lost = 0.04, late = 0.03, throttled = 0.03, conflicting = 0.02, delayed = 0.05 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-race-'));
  const proxy = createFaultProxy(seed, {});
  const lateProxy = createLateProxy(seed + 1, LATEST_UPDATE_MILLIS);
  const children: ChildProcess[] = [];
  let service: Service | undefined;
  try {
    service = await startService({
      dataFolder: join(folder, 'data'),
      ...(options.assembly && { assembly: options.assembly }),
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

    for (const [index, user] of users.entries()) {
      const job: LockClientJob = {
        ...user,
        origin,
        workspaces,
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
    const { maxBusy } = await readLockStatistics(origin);
    proxy.setPlan({});
    lateProxy.setFraction(0);
    // Waits for calls of disconnected clients and for late updates.
    while ((await readLockStatistics(origin)).busy > 0) await sleep(50);
    await sleep(2 * LATEST_UPDATE_MILLIS);

    const usernames = new Map(users.map(({ id, name }) => [id, name]));
    const named = (state: LockState): LockState =>
      state && { ...state, holder: usernames.get(state.holder) ?? state.holder };
    const history = made.map((it) => (it.shown ? { ...it, shown: named(it.shown) } : it)) as LockCall[];
    const final = new Map<string, LockState>();
    const cleared: Race['cleared'][number][] = [];
    for (const id of workspaces) {
      const { body } = await call('GET', `/workspaces/${id}`);
      const state = named(parseResponse(200, body).shown);
      final.set(id, state);
      const { status } = await call('POST', `/workspaces/${id}/actions/force-unlock`);
      cleared.push({ wasLocked: state !== undefined, status });
    }
    const database = openServiceTable(engineEndpoint, tableNames[0]);
    const items = await database.getAll(workspaces.map(keys.workspace), true);
    return {
      calls: history,
      findings: checkHistory(history, { final, lateMillis: LATE_MILLIS }),
      answers: countResponses(history),
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
 * Creates a function that sends requests before and after a race. A busy machine responds with 503 at any time, so a
 * request is repeated until it gets another status. Its key makes a repeated change take effect once (HTTP-39).
 * The requests throw an error for any status but 2xx and 409.
 */
const createCaller = (origin: string, token: string) => async (method: string, path: string, body?: object) => {
  const key = base58(16);
  for (;;) {
    const answer = await fetch(`${origin}/api/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method !== 'GET' && { 'idempotency-key': `"${key}"` }),
        ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok || answer.status === 409) return { status: answer.status, body: text };
    if (answer.status !== 503) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
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
      const answer = JSON.parse(outcome.payload);
      if (answer.errors === undefined) return answer;
      if (answer.errors[0].status !== '503') throw new Error(`${command}: ${outcome.payload}`);
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
  const answer = await fetch(`${origin}/_local/functions`);
  const { functions } = (await answer.json()) as { functions: { name: string; busy: number; maxBusy: number }[] };
  const found = functions.find(({ name }) => name.endsWith('workspace-locks'));
  if (found === undefined) throw new Error('The service has no workspace-locks function');
  return found;
};
