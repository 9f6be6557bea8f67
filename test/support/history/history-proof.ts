import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { synthesize } from '../../../infra/build/synthesize.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import type { CrashChildJob, Doom, FaultOrder, FaultReport, Spared } from '../faults/crash-child.ts';
import { type CrashChild, eventually, sentEvents, spare, startCrashChild } from '../faults/crash-run.ts';
import type { FaultPlan } from '../faults/fault-proxy.ts';
import { createRunnerEventSender, openServiceTable } from '../local/running-service.ts';
import { createSeededRandom } from '../models/seeded-random.ts';
import {
  createChangedWorkspace,
  openHistoryClient,
  readStoredWorkspace,
  type Send,
  setEverything,
} from './history-clients.ts';
import type { ShownEntry } from './history-follower.ts';
import { replay } from './replay.ts';

export interface HistoryProofOptions {
  readonly clients: number;
  /** Number of successful requests after which the clients stop. */
  readonly changes: number;
  /** Number of times that the process of the service is killed. */
  readonly kills: number;
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

export interface HistoryProof {
  /** Number of changes of the workspace. */
  readonly changes: number;
  readonly kills: number;
  /** Number of requests without a response, because the service was killed. */
  readonly lost: number;
  /** Number of injected faults, at least. */
  readonly faults: FaultReport['counts'];
  /** Number of responses by status. */
  readonly responses: Readonly<Record<string, number>>;
  /** Number of entries by action. */
  readonly actions: Readonly<Record<string, number>>;
  readonly events: number;
  readonly repeatedEvents: number;
  readonly findings: readonly string[];
}

/** Faults of the calls of all functions to the engine, also of those that write the history and publish the events. */
export const historyFaults: FaultPlan = {
  UpdateItem: { lost: 0.03, throttled: 0.03, conflicting: 0.02, delayed: 0.05 },
  PutItem: { lost: 0.05, throttled: 0.05 },
  TransactWriteItems: { lost: 0.03, throttled: 0.03, conflicting: 0.03, delayed: 0.05 },
  '*': { throttled: 0.01, delayed: 0.02, delayMillis: 20 },
};

/** Number of times that the history must be complete, half a second apart, before it is replayed. */
const SETTLED = 6;
/** Number of calls to the engine and to AWS within which a request to die takes effect. */
const DOOM_CALLS = 30;

/**
 * Changes one workspace by several clients over HTTP, while calls to the engine fail and the service is killed and started
 * again. Then replays its history and its events, and compares both with the workspace in the table.
 */
export const proveHistory = async (options: HistoryProofOptions): Promise<HistoryProof> => {
  const { clients, changes, kills, seed, onProgress = () => {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-history-'));
  const random = createSeededRandom(seed);
  const responses: Record<string, number> = {};
  const count = { changes: 0, kills: 0, lost: 0 };
  /** The newest report of each process. */
  const reports: FaultReport['counts'][] = [];
  let service: CrashChild | undefined;
  let isOver = false;
  try {
    const { directory: assembly } = await synthesize({ outdir: join(folder, 'assembly') });
    const dataFolder = join(folder, 'data');
    let up: Promise<CrashChild>;
    /** Starts the service, and again whenever it has been killed. */
    const start = async (): Promise<CrashChild> => {
      const job: CrashChildJob = { dataFolder, assembly, seed: seed + count.kills };
      const started = await startCrashChild(job);
      service = started;
      const number = reports.push({ calls: 0, lost: 0, throttled: 0, conflicting: 0, delayed: 0 }) - 1;
      started.process.on('message', (message: FaultReport | Spared) => {
        if (message !== 'spared') reports[number] = message.counts;
      });
      started.process.once('exit', () => {
        if (isOver) return;
        count.kills += 1;
        onProgress(`killed after ${count.changes} changes`);
        up = start().then((again) => {
          again.process.send({ faults: historyFaults } satisfies FaultOrder);
          return again;
        });
      });
      return started;
    };
    up = start();

    const sendAs =
      (token: string | undefined): Send =>
      async (method, path, body) => {
        const { running } = await up;
        const response = await fetch(running.baseUrl + path, {
          method,
          headers: { authorization: `Bearer ${token ?? running.token}`, 'content-type': 'application/vnd.api+json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : undefined };
      };
    const owner = sendAs(undefined);
    const { api } = await up;
    const workspace = await createChangedWorkspace(owner, 'demo');
    const tokens = await Promise.all(
      Array.from({ length: clients }, async (_, client): Promise<string> => {
        const username = `client${client}`;
        await api.invoke('admin', { command: 'create-user', username, email: `${username}@example.com` });
        await api.invoke('admin', { command: 'add-member', organization: 'demo', team: 'owners', username });
        return (await api.invoke('admin', { command: 'create-token', kind: 'user', username })).token;
      }),
    );

    (await up).process.send({ faults: historyFaults } satisfies FaultOrder);
    const killAt = Array.from({ length: kills }, (_, kill) => Math.floor(((kill + 1) * changes) / (kills + 1)));
    const change = async (client: number): Promise<void> => {
      const plain = sendAs(tokens[client]);
      const send: Send = async (method, path, body) => {
        const response = await plain(method, path, body);
        responses[response.status] = (responses[response.status] ?? 0) + 1;
        if (method === 'GET' || response.status >= 300) return response;
        count.changes += 1;
        if (count.changes >= (killAt[0] ?? Number.POSITIVE_INFINITY)) {
          killAt.shift();
          const doom: Doom = { calls: Math.floor(random() * DOOM_CALLS), when: random() < 0.5 ? 'before' : 'after' };
          (await up).process.send(doom);
        }
        return response;
      };
      const tell = async (type: string, detail: object) => {
        await createRunnerEventSender((await up).running as never)(type, detail);
      };
      const perform = openHistoryClient(workspace, { send, tell }, client);
      for (let step = 0; count.changes < changes; step++) {
        await perform(step).catch(async () => {
          count.lost += 1;
          // The process may still be ending.
          await sleep(200);
          await up;
        });
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => change(client)));

    let survivor = await up;
    while (!(await spare(survivor.process))) survivor = await up;
    const { running, process } = survivor;
    process.send({ faults: {} } satisfies FaultOrder);
    const database = openServiceTable(running.engineEndpoint, running.tableName);
    const path = `/workspaces/${workspace.id}`;
    const readEntries = async (): Promise<readonly ShownEntry[]> => {
      const entries: ShownEntry[] = [];
      let next: string | null = `${path}/history?page[size]=100`;
      while (next !== null) {
        const { body } = await owner('GET', next);
        entries.push(...body.data);
        next = body.links.next?.replace(/^.*\/api\/v2/, '') ?? null;
      }
      return entries.toReversed();
    };
    const readEvents = () =>
      sentEvents(dataFolder).flatMap(({ detail }) => (detail.workspace.id === workspace.id ? [detail] : []));
    /** Waits for entries and events, which follow the changes, and for reports of the runner on their way. */
    const settle = async (): Promise<string | undefined> => {
      let [settled, last] = [0, -1];
      return eventually(async () => {
        await sleep(500);
        const sequence = Number((await database.get(keys.workspace(workspace.id), true))?.['seq']);
        const events = new Set(readEvents().map(({ id }) => id)).size;
        const [newest] = (await owner('GET', `${path}/history?page[size]=1`)).body.data;
        const isComplete = sequence === newest.attributes.sequence && sequence === events;
        settled = isComplete && sequence === last ? settled + 1 : 0;
        last = sequence;
        if (settled < SETTLED)
          throw new Error(`${sequence} changes, newest entry ${newest.attributes.sequence}, ${events} events`);
      });
    };
    const unsettled = await settle();
    if (unsettled === undefined) await setEverything(workspace, owner);
    const late = unsettled ?? (await settle());
    const entries = await readEntries();
    const events = readEvents();
    const findings = replay({ entries, events }, await readStoredWorkspace(database, owner, workspace.id));
    const actions = Object.groupBy(entries, ({ attributes }) => attributes.action);

    await owner('PATCH', path, { data: { type: 'workspaces', attributes: { 'deletion-protection': false } } });
    const deletion = await owner('DELETE', path);
    const undeleted = await eventually(async () => {
      const last = readEvents().at(-1);
      if (deletion.status !== 204 || last?.row.deleted !== true)
        throw new Error(`The deletion (${deletion.status}) has no event that says so: ${JSON.stringify(last)}`);
    });
    const damage = (await checkTable(database)).findings;
    return {
      changes: entries.length,
      kills: count.kills,
      lost: count.lost,
      faults: reports.reduce((sum, one) => {
        const { calls, lost, throttled, conflicting, delayed } = one;
        return {
          calls: sum.calls + calls,
          lost: sum.lost + lost,
          throttled: sum.throttled + throttled,
          conflicting: sum.conflicting + conflicting,
          delayed: sum.delayed + delayed,
        };
      }),
      responses,
      actions: Object.fromEntries(Object.entries(actions).map(([action, all = []]) => [action, all.length])),
      events: events.length,
      repeatedEvents: events.length - new Set(events.map(({ id }) => id)).size,
      findings: [late ?? [], findings, undeleted ?? [], damage.map((one) => JSON.stringify(one))].flat(),
    };
  } finally {
    isOver = true;
    service?.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
};
