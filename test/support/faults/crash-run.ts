import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { synthesize } from '../../../infra/build/synthesize.ts';
import type { OutgoingEvent } from '../../../shared/events/schemas/outgoing.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { scanItems } from '../engine/scan-items.ts';
import { createRunnerEventSender, openServiceTable } from '../local/running-service.ts';
import { compileCache } from '../setup/compile-cache.ts';
import { POLL_DEADLINE } from '../setup/deadline.ts';
import type { CrashChildJob, Doom, Running, Spared } from './crash-child.ts';

/** Requests of a scenario to the running service. */
export interface CrashApi {
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  readonly call: (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>;
  /** Sends a form to a path of the origin, without a token. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<{ status: number; body: any }>;
  /** Sends a request with a token. @returns the status. */
  readonly statusOf: (token: string, path: string) => Promise<number>;
  readonly put: (url: string, content: Buffer) => Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
  readonly invoke: (name: string, event: object) => Promise<any>;
  /** Puts an event of a runner on the bus. */
  readonly tell: (type: string, detail: object) => Promise<void>;
  /** The table of the service. Calls to it kill nothing. */
  readonly table: Database;
}

/** One operation: its preparation, the operation, and the recovery by a client that got no response. */
export interface Scenario {
  readonly name: string;
  readonly prepare: (api: CrashApi, name: string) => Promise<object>;
  // biome-ignore lint/suspicious/noExplicitAny: what `prepare` gave.
  readonly act: (api: CrashApi, context: any) => Promise<unknown>;
  /** Retries the operation after a restart and checks the result. Repeated until it succeeds or the deadline passes. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly recover: (api: CrashApi, context: any) => Promise<void>;
}

export interface CrashOptions {
  readonly scenarios: readonly Scenario[];
  /**
   * Distance between the calls at which the process is killed. If it is 1, the process is killed before and after each call;
   * otherwise alternately before one and after the next.
   */
  readonly every?: number;
  readonly onPoint?: (line: string) => void;
  /** Folder of an existing cloud assembly. By default, the app is synthesized. */
  readonly assembly?: string;
}

export interface CrashResult {
  /** Number of kills by scenario. */
  readonly kills: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
  readonly events: number;
  /** Number of events that were published more than once. */
  readonly repeated: number;
}

const program = fileURLToPath(new URL('crash-child.ts', import.meta.url));
/** Time after which an operation without a kill is considered complete, including its background work. */
const QUIET = 1_500;
const SIDES: readonly Doom['when'][] = ['before', 'after'];

/** A service in a process of its own. */
export interface CrashChild {
  readonly running: Running;
  readonly api: CrashApi;
  readonly process: ChildProcess;
}

/** Starts the service in a process of its own. @throws Error if the process ends before the service has started. */
export const startCrashChild = async (job: CrashChildJob): Promise<CrashChild> => {
  const started = fork(program, [], { execArgv: [], env: compileCache() });
  const reported = Promise.race([
    once(started, 'message'),
    once(started, 'exit').then(() => Promise.reject(new Error('The service does not start'))),
  ]);
  started.send(job);
  const [running] = (await reported) as [Running];
  return { running, api: apiOf(running), process: started };
};

/** Ends the wait of a process for the call at which it dies. @returns false if it has died. */
export const spare = (process: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.exitCode !== null || process.signalCode !== null) resolve(false);
    process.once('exit', () => resolve(false));
    process.on('message', (message) => message === ('spared' satisfies Spared) && resolve(true));
    // The process may die before it receives the message.
    process.send('spare', () => {});
  });

export const crash = async ({ scenarios, every = 1, onPoint, assembly: given }: CrashOptions): Promise<CrashResult> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
  const assembly = given ?? (await synthesize({ outdir: join(folder, 'assembly') })).directory;
  const job: CrashChildJob = { dataFolder: join(folder, 'data'), assembly, signIn: true };
  const findings: string[] = [];
  const kills: Record<string, number> = {};
  let child: ChildProcess | undefined;
  let made = 0;

  const start = async (): Promise<CrashChild> => {
    const started = await startCrashChild(job);
    child = started.process;
    return started;
  };

  try {
    let now = await start();
    for (const scenario of scenarios) {
      kills[scenario.name] = 0;
      let isKilled = true;
      for (let calls = 0; isKilled; calls += every) {
        isKilled = false;
        for (const when of every === 1 ? SIDES : [SIDES[made % SIDES.length] ?? 'before']) {
          const context = await scenario.prepare(now.api, `crash-${made++}`);
          const dead = once(now.process, 'exit');
          now.process.send({ calls, when } satisfies Doom);
          await Promise.race([scenario.act(now.api, context).catch(() => undefined), dead]);
          await Promise.race([dead, sleep(QUIET)]);
          if (!(await spare(now.process))) {
            isKilled = true;
            kills[scenario.name] = (kills[scenario.name] ?? 0) + 1;
            now = await start();
          }
          const point = `${scenario.name}, ${when} call ${calls}`;
          const problem = await eventually(() => scenario.recover(now.api, context));
          if (problem !== undefined) findings.push(`${point}: ${problem}`);
          onPoint?.(point);
        }
      }
      findings.push(...(await checkEverything(now.running, job.dataFolder)).map((it) => `${scenario.name}: ${it}`));
    }
    return { kills, findings, ...countEvents(job.dataFolder) };
  } finally {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
};

const apiOf = ({ baseUrl, token, origin, credentials, engineEndpoint, tableName }: Running): CrashApi => {
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const lambda = new LambdaClient({ endpoint: origin, region: 'us-east-1', credentials, maxAttempts: 1 });
  const invoke: CrashApi['invoke'] = async (name, event) => {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: `holdfast-${name}`, Payload: JSON.stringify(event) }),
    );
    const result = parse(Payload?.transformToString() ?? '');
    if (FunctionError !== undefined) throw new Error(JSON.stringify(result));
    return result;
  };
  return {
    post: async (path, form) => {
      const response = await fetch(origin + path, { method: 'POST', body: new URLSearchParams(form) });
      return { status: response.status, body: parse(await response.text()) };
    },
    statusOf: async (other, path) =>
      (await fetch(baseUrl + path, { headers: { authorization: `Bearer ${other}` } })).status,
    call: async (method, path, body) => {
      const response = await fetch(path.startsWith('/oauth2/') ? origin + path : baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': path.startsWith('/oauth2/') ? 'application/json' : 'application/vnd.api+json',
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: parse(await response.text()) };
    },
    put: async (url, content) => (await fetch(url, { method: 'PUT', body: content as never })).status,
    invoke,
    tell: createRunnerEventSender({ origin, credentials }),
    table: openServiceTable(engineEndpoint, tableName),
  };
};

/** Repeats a check until it succeeds. @returns the last error message; undefined when the check succeeded. */
export const eventually = async (holds: () => Promise<unknown>): Promise<string | undefined> => {
  const deadline = performance.now() + POLL_DEADLINE;
  for (;;) {
    try {
      await holds();
      return undefined;
    } catch (error) {
      if (performance.now() > deadline) return (error as Error).message;
      await sleep(100);
    }
  }
};

interface Sent {
  readonly source: string;
  readonly detail: OutgoingEvent;
}

/** Reads the published events of workspaces from the archive in order. Events of other resources name no workspace. */
export const sentEvents = (dataFolder: string): Sent[] => {
  const file = join(dataFolder, 'events', 'holdfast.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as Sent);
  return all.filter(({ source, detail }) => source === 'holdfast' && detail.workspace !== undefined);
};

const countEvents = (dataFolder: string): Pick<CrashResult, 'events' | 'repeated'> => {
  const all = sentEvents(dataFolder);
  const events = new Set(all.map(({ detail }) => detail.id)).size;
  return { events, repeated: all.length - events };
};

/** Checks table, bucket and event log, and compares them. */
const checkEverything = async ({ engineEndpoint, tableName, baseUrl, token }: Running, dataFolder: string) => {
  const database = openServiceTable(engineEndpoint, tableName);
  const findings: string[] = [];
  const damage = await eventually(async () => {
    const found = (await checkTable(database)).findings;
    if (found.length > 0) throw new Error(JSON.stringify(found));
  });
  if (damage !== undefined) findings.push(damage);

  const items: Item[] = [];
  for await (const page of scanItems(database)) items.push(page);
  const workspaces = items.filter(({ ty }) => ty === 'workspace');
  const log = await eventually(async () => {
    const problems = checkLog(workspaces, sentEvents(dataFolder));
    if (problems.length > 0) throw new Error(problems.join('; '));
  });
  if (log !== undefined) findings.push(log);

  const versions = items.filter(({ ty }) => ty === 'state-version');
  const known = new Set(versions.map(({ id }) => id));
  const alive = new Set(workspaces.flatMap(({ id, gone }) => (gone === undefined ? [id] : [])));
  for (const key of objectKeys(dataFolder)) {
    const [kind, workspace, , version] = key.split('/');
    const isExpected = kind?.endsWith('states') && known.has(version);
    if (alive.has(workspace) && !isExpected) findings.push(`the object ${key} does not belong to a state version`);
  }
  for (const { id, md5, workspace } of versions.filter(({ status }) => status === 'finalized')) {
    if (!alive.has(workspace)) continue;
    const response = await fetch(`${baseUrl}/state-versions/${id}/download`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const content = Buffer.from(await response.arrayBuffer());
    const found = createHash('md5').update(content).digest('hex');
    if (found !== md5) findings.push(`the content of ${id} does not match its MD5 digest: status ${response.status}`);
  }
  return findings;
};

/** Lists the keys of all versions of objects in the bucket. */
const objectKeys = (dataFolder: string): string[] => {
  const folder = join(dataFolder, 'objects');
  return globSync('*/**/@*v*.json', { cwd: folder }).map((file) => {
    const { key } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { key: string };
    return key;
  });
};

/** Checks that every change was published in order, without gaps and inventions, and that repeated events are equal. */
const checkLog = (workspaces: readonly Item[], sent: readonly Sent[]): string[] => {
  const problems: string[] = [];
  const known = new Set(workspaces.map(({ id }) => String(id)));
  const byWorkspace = Map.groupBy(sent, ({ detail }) => detail.workspace.id);
  for (const id of byWorkspace.keys()) if (!known.has(id)) problems.push(`events of ${id}, which does not exist`);
  for (const { id, seq, chg } of workspaces) {
    const ids = new Map<number, string>();
    let last = 0;
    for (const { detail } of byWorkspace.get(String(id)) ?? []) {
      const before = ids.get(detail.sequence);
      if (before === undefined) {
        if (detail.sequence !== last + 1) problems.push(`${id}: sequence ${detail.sequence} follows ${last}`);
        last = detail.sequence;
      } else if (before !== detail.id) problems.push(`${id}: two events have the sequence ${detail.sequence}`);
      ids.set(detail.sequence, detail.id);
    }
    if (last !== seq) problems.push(`${id}: ${seq} changes, of which ${last} were published`);
    if (ids.get(Number(seq)) !== (chg as { id: string }).id)
      problems.push(`${id}: the last event is not its last change`);
  }
  return problems;
};
