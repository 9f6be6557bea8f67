import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, startService } from '../../../../infra/local/service/service.ts';
import { digestOf, mintToken } from '../../../../shared/access/credentials.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import { checkTable } from '../../../../shared/store/consistency-check/check-table.ts';
import { sentEvents } from '../../faults/crash-run.ts';
import { createFaultProxy, type FaultProxy } from '../../faults/fault-proxy.ts';
import { countResponses, createRunnerEventSender, openServiceTable } from '../../local/running-service.ts';
import { makeUsers } from '../locks/lock-race.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { checkHistoryOfEvents } from './event-history.ts';

/** One call of a client to a workspace. Times are milliseconds on a shared clock. */
interface Step {
  readonly workspace: string;
  readonly action: 'lock' | 'create' | 'upload' | 'unlock' | 'force-unlock' | 'safe-delete';
  readonly from: number;
  readonly to: number;
  readonly status: number | undefined;
  /** State version that was created or uploaded. */
  readonly version?: UploadedVersion;
  /** Number of the lock that the client assumes to hold. */
  readonly term?: number;
}

interface UploadedVersion {
  readonly id: string;
  readonly serial: number;
  readonly resources: number;
  readonly intermediate: boolean;
}

export interface StateRaceOptions {
  readonly clients: number;
  readonly workspaces: number;
  /** Number of runs that use the workspaces concurrently with the clients. */
  readonly runs: number;
  /** Number of locks that each client requests. */
  readonly terms: number;
  readonly seed: number;
  /** Folder of an existing cloud assembly. By default, the app is synthesized. */
  readonly assembly?: string;
}

export interface StateRace {
  readonly findings: readonly string[];
  /** Number of responses by action and status. */
  readonly responses: Readonly<Record<string, number>>;
  readonly faults: FaultProxy['counts'];
  readonly finalized: number;
  readonly discarded: number;
  /** Number of locks that runs held. */
  readonly runLocks: number;
  readonly events: number;
  readonly damage: readonly unknown[];
}

const UPLOAD_PATIENCE = 3;
const RUNNERS = 2;
const MOST_RUNS = 200;

/** Creates a state file with a number of managed resources. */
export const createState = (serial: number, resources: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      version: 4,
      terraform_version: '1.9.8',
      serial,
      lineage: 'race',
      outputs: { size: { value: serial, type: 'number' } },
      resources: Array.from({ length: resources }, (_, index) => ({
        mode: 'managed',
        type: 'terraform_data',
        name: `r${index}`,
        instances: [{ attributes: { id: String(index) } }],
      })),
    }),
  );

/**
 * Runs clients that lock, upload states (some late, some never, some after a force-unlock), unlock and delete over HTTP,
 * with lost, late and rejected engine calls. Checks that no unlock succeeds while an upload is missing, that the current
 * version is the newest, and that no workspace with managed resources is safe-deleted.
 */
export const raceStates = async ({
  clients,
  workspaces: count,
  runs,
  terms,
  seed,
  assembly,
}: StateRaceOptions): Promise<StateRace> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-states-'));
  const proxy = createFaultProxy(seed);
  let service: Service | undefined;
  try {
    const dataFolder = join(folder, 'data');
    service = await startService({ dataFolder, ...(assembly && { assembly }), engineProxy: proxy.engineProxy });
    const { origin, token, engineEndpoint, tableNames } = service;
    const steps: Step[] = [];
    const users = await makeUsers(service, clients);
    const call = async (method: string, path: string, body?: object, by = token) => {
      const response = await fetch(path.startsWith('http') ? path : `${origin}/api/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${by}`, 'content-type': 'application/vnd.api+json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
      return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as any };
    };

    /** Workspaces are deleted and replaced: each place holds one at a time. */
    let made = 0;
    const makeWorkspace = async (): Promise<string> => {
      const body = { data: { type: 'workspaces', attributes: { name: `race-${made++}` } } };
      for (;;) {
        const response = await call('POST', '/organizations/demo/workspaces', body);
        if (response.status === 201) return response.body.data.id;
        body.data.attributes.name = `race-${made++}`;
      }
    };
    const places = await Promise.all(Array.from({ length: count }, makeWorkspace));
    const all = new Set(places);
    const serials = new Map<string, number>();

    const record = async (
      workspace: string,
      action: Step['action'],
      perform: () => Promise<{ readonly status: number }>,
      more: Pick<Step, 'version' | 'term'> = {},
    ): Promise<number | undefined> => {
      const from = performance.now();
      const status = await perform().then(
        (response) => response.status,
        () => undefined,
      );
      steps.push({ workspace, action, from, to: performance.now(), status, ...more });
      return status;
    };
    const actAs = (
      by: string | undefined,
      workspace: string,
      action: 'lock' | 'unlock' | 'force-unlock' | 'safe-delete',
      term?: number,
    ) =>
      record(
        workspace,
        action,
        () => call('POST', `/workspaces/${workspace}/actions/${action}`, undefined, by),
        term === undefined ? {} : { term },
      );

    let nextTerm = 0;
    let runLocks = 0;
    const upload = (workspace: string, version: UploadedVersion, url: string, term: number): Promise<unknown> =>
      record(
        workspace,
        'upload',
        () => fetch(url, { method: 'PUT', body: createState(version.serial, version.resources) as never }),
        { version, term },
      );

    const write = async (
      workspace: string,
      term: number,
      by: string | undefined,
      random: () => number,
      stray: Promise<unknown>[],
    ): Promise<void> => {
      const serial = (serials.get(workspace) ?? 0) + 1;
      serials.set(workspace, serial);
      const resources = random() < 0.4 ? 0 : Math.ceil(random() * 3);
      const content = createState(serial, resources);
      const md5 = createHash('md5').update(content).digest('hex');
      const intermediate = random() < 0.5;
      const attributes = { serial, md5, lineage: 'race', intermediate };
      let version: UploadedVersion | undefined;
      let url = '';
      const from = performance.now();
      const body = { data: { type: 'state-versions', attributes } };
      const response = await call('POST', `/workspaces/${workspace}/state-versions`, body, by);
      if (response.status === 201) {
        version = { id: response.body.data.id, serial, resources, intermediate };
        url = response.body.data.attributes['hosted-state-upload-url'];
      }
      const to = performance.now();
      steps.push({ workspace, action: 'create', from, to, status: response.status, ...(version && { version }), term });
      if (version === undefined) return;
      const chance = random();
      // Never; after the lock may have ended; or at once.
      if (chance < 0.1) return;
      const uploaded = version;
      if (chance < 0.25) stray.push(sleep(random() * 300).then(() => upload(workspace, uploaded, url, term)));
      else await upload(workspace, version, url, term);
    };

    const client = async (index: number): Promise<void> => {
      const random = createSeededRandom(seed * 1_000 + index);
      const own = users[index]?.token;
      const act = (workspace: string, action: Parameters<typeof actAs>[2], term?: number) =>
        actAs(own, workspace, action, term);
      const stray: Promise<unknown>[] = [];

      for (let turn = 0; turn < terms; turn++) {
        const place = Math.floor(random() * count);
        const workspace = places[place] ?? '';
        const chance = random();
        if (chance < 0.15) {
          if ((await act(workspace, 'safe-delete')) === 204) {
            places[place] = await makeWorkspace();
            all.add(places[place]);
          }
          continue;
        }
        if (chance < 0.25) {
          await act(workspace, 'force-unlock');
          continue;
        }
        const term = nextTerm++;
        if ((await act(workspace, 'lock', term)) !== 200) continue;
        for (let writes = Math.floor(random() * 3); writes >= 0; writes--)
          await write(workspace, term, own, random, stray);
        for (let attempt = 0; attempt < UPLOAD_PATIENCE; attempt++) {
          if ((await act(workspace, 'unlock', term)) !== 503) break;
          await sleep(100);
        }
      }
      await Promise.all(stray);
    };

    const report = createRunnerEventSender(service);
    /** A run plans, writes a state with a token of its own if it got the lock, and ends. */
    const runner = async (index: number): Promise<void> => {
      const random = createSeededRandom(seed * 2_000 + index);
      // A run gets a lock only while no client has it, so runs may continue until one of them had one.
      for (let turn = 0; turn < runs || (runLocks === 0 && turn < MOST_RUNS); turn++) {
        const workspace = places[Math.floor(random() * count)] ?? '';
        const id = `run-${base58(16)}`;
        const text = mintToken('run');
        const tell = (status: string, seconds: number, more = {}) => {
          const at = (after: number) => new Date(Date.UTC(2026, 0, 1, index, turn) + after * 1_000).toISOString();
          const run = { id, status, at: at(seconds), 'created-at': at(0), 'plan-only': false, ...more };
          return report('run.updated', { organization: 'demo', workspace, run });
        };
        await tell('planning', 1, { 'token-sha256': digestOf(text) });
        // The token is accepted once the report is handled, unless the workspace was deleted meanwhile.
        let shown = await call('GET', `/workspaces/${workspace}`, undefined, text);
        for (let attempt = 0; shown.status === 401 && places.includes(workspace) && attempt < 100; attempt++) {
          await sleep(100);
          shown = await call('GET', `/workspaces/${workspace}`, undefined, text);
        }
        const isHeld = shown.body?.data?.relationships['locked-by'].data?.id === id;
        if (isHeld) {
          runLocks += 1;
          await write(workspace, nextTerm++, text, random, []);
        }
        // In the order that it was, or not.
        const ends = [() => tell('applying', 2), () => tell(random() < 0.8 ? 'applied' : 'errored', 3)];
        for (const end of random() < 0.5 ? ends : ends.reverse()) await end();
        await sleep(random() * 200);
      }
    };

    proxy.setPlan({
      UpdateItem: { lost: 0.03, throttled: 0.03, conflicting: 0.02, delayed: 0.05, delayMillis: 60 },
      TransactWriteItems: { lost: 0.03, throttled: 0.03, conflicting: 0.03, delayed: 0.05, delayMillis: 60 },
      '*': { delayed: 0.02, delayMillis: 20 },
    });
    await Promise.all([
      ...Array.from({ length: clients }, (_, index) => client(index)),
      ...Array.from({ length: RUNNERS }, (_, index) => runner(index)),
    ]);
    proxy.setPlan({});
    // Events of the bucket are still on their way, and so are calls that were given up.
    while (await isBusy(origin)) await sleep(100);

    const findings: string[] = checkSteps(steps);
    let finalized = 0;
    let discarded = 0;
    for (const workspace of all) {
      const { status, body } = await call('GET', `/workspaces/${workspace}`);
      if (status !== 200) continue;
      // Whoever left it locked is gone: what is finalized is to be the truth.
      if (body.data.attributes.locked) await call('POST', `/workspaces/${workspace}/actions/force-unlock`);
      const filter = `filter[organization][name]=demo&filter[workspace][name]=${body.data.attributes.name}`;
      const versions = (await call('GET', `/state-versions?${filter}&page[size]=100`)).body.data as {
        id: string;
        attributes: { serial: number; status: string };
      }[];
      const done = versions.filter(({ attributes: it }) => it.status === 'finalized');
      finalized += done.length;
      discarded += versions.filter(({ attributes: it }) => it.status === 'discarded').length;
      const newest = done.reduce((highest, { attributes: it }) => Math.max(highest, it.serial), 0);
      const current = await call('GET', `/workspaces/${workspace}/current-state-version`);
      const serial = current.status === 404 ? 0 : current.body.data.attributes.serial;
      if (serial !== newest) findings.push(`${workspace}: current is ${serial}, the newest finalized is ${newest}`);
      findings.push(...checkUploads(workspace, steps, versions));
    }
    const database = openServiceTable(engineEndpoint, tableNames[0]);
    const sent = Map.groupBy(sentEvents(dataFolder), ({ detail }) => detail.workspace.id);
    const byId = new Map(steps.flatMap(({ version }) => (version ? [[version.id, version]] : [])));
    /** A state version that was created although the client received no response. */
    const unknown = { resources: -1, intermediate: false };
    for (const events of sent.values()) {
      const once = new Map(events.map(({ detail }) => [detail.id, detail]));
      findings.push(...checkHistoryOfEvents([...once.values()], (id) => byId.get(id) ?? unknown));
    }
    return {
      findings,
      runLocks,
      events: [...sent.values()].flat().length,
      responses: countResponses(steps),
      faults: proxy.counts,
      finalized,
      discarded,
      damage: (await checkTable(database)).findings,
    };
  } finally {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Returns whether functions handle requests, or events wait for them. */
const isBusy = async (origin: string): Promise<boolean> => {
  const response = await fetch(`${origin}/_local/functions`);
  const { functions, pending } = (await response.json()) as {
    readonly functions: readonly { readonly busy: number; readonly queued: number }[];
    readonly pending: number;
  };
  return pending > 0 || functions.some(({ busy, queued }) => busy + queued > 0);
};

type Arrived = Step & { readonly version: UploadedVersion };

const ofAction = (steps: readonly Step[], action: Step['action'], status: number): Arrived[] =>
  steps.filter(
    (step): step is Arrived => step.action === action && step.status === status && step.version !== undefined,
  );

/** Finds contradictions that no order of the calls can explain. */
const checkSteps = (steps: readonly Step[]): string[] => {
  const findings: string[] = [];
  for (const [workspace, own] of Map.groupBy(steps, (step) => step.workspace)) {
    const created = ofAction(own, 'create', 201);
    const uploaded = new Map(ofAction(own, 'upload', 200).map((step) => [step.version.id, step]));

    for (const unlock of own.filter(({ action, status }) => action === 'unlock' && status === 200)) {
      const ofTerm = created.filter(({ term, to }) => term === unlock.term && to <= unlock.from);
      const newest = ofTerm.toSorted((a, b) => b.version.serial - a.version.serial)[0];
      const content = newest && uploaded.get(newest.version.id);
      // Without content when the unlock ended, it was pending when it was made.
      if (newest && (content === undefined || content.from > unlock.to)) {
        findings.push(`${workspace}: unlocked past ${newest.version.id}, whose content had not been sent`);
      }
    }

    for (const deletion of own.filter(({ action, status }) => action === 'safe-delete' && status === 204)) {
      const before = created.filter(({ to }) => to <= deletion.from);
      const newest = before.toSorted((a, b) => b.version.serial - a.version.serial)[0];
      const followed = created.some(({ from, to }) => to > deletion.from && from < deletion.to);
      if (newest === undefined || followed) continue;
      const content = uploaded.get(newest.version.id);
      const isKnown = content !== undefined && content.to <= deletion.from;
      if (!isKnown && (content === undefined || content.from > deletion.to)) {
        findings.push(`${workspace}: deleted while ${newest.version.id} was being waited for`);
      }
      if (isKnown && newest.version.resources > 0) {
        findings.push(`${workspace}: deleted with ${newest.version.resources} resources in ${newest.version.id}`);
      }
    }
  }
  return findings;
};

/** No content that was taken is lost: a version has it, unless a newer one took its place first. */
const checkUploads = (
  workspace: string,
  steps: readonly Step[],
  versions: readonly {
    readonly id: string;
    readonly attributes: { readonly status: string; readonly serial: number };
  }[],
): string[] => {
  const statuses = new Map(versions.map(({ id, attributes }) => [id, attributes.status]));
  const own = steps.filter((step) => step.workspace === workspace);
  const created = ofAction(own, 'create', 201);
  return ofAction(own, 'upload', 200).flatMap(({ version, to }) => {
    const status = statuses.get(version.id);
    const isSuperseded = created.some((step) => step.version.serial > version.serial && step.from < to);
    if (status === 'finalized' || (status === 'discarded' && isSuperseded)) return [];
    return [`${workspace}: the content of ${version.id} arrived, and it is ${status}`];
  });
};
