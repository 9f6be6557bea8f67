import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBucket } from '../../../shared/blob/bucket.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { at, configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { createFaultProxy, type FaultProxy } from '../../support/faults/fault-proxy.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';
import { createSeededRandom } from '../../support/models/seeded-random.ts';

/** Runner events from the bus to the resulting API responses. */
let engine: TestEngine;
let proxy: FaultProxy;
let stopProxy: () => Promise<void>;
let fixture: OrganizationFixture;

beforeAll(async () => {
  engine = await startEngine();
  proxy = createFaultProxy(7);
  const { endpoint, stop } = await proxy.engineProxy(engine.endpoint);
  stopProxy = stop;
  fixture = await createOrganizationFixture({ engine, endpoint });
});
afterAll(async () => {
  await fixture.api.stop();
  await stopProxy();
  await engine.stop();
});
afterEach(async () => {
  proxy.setPlan({});
  const { findings } = await fixture.admin('check-table', {});
  expect(findings).toEqual([]);
});

let createdCount = 0;
const newRun = (): string => runId(++createdCount);
const newConfiguration = (): string => configurationId(++createdCount);

const report = (...of: Parameters<typeof runEvent>) => fixture.api.ingest('run.updated', runEvent(...of));

const get = async (path: string) => {
  const { status, body } = await fixture.api.request('GET', path, { token: fixture.owner });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const show = async ({ id }: Workspace) => (await get(`/workspaces/${id}`)).data;
const getSequence = async ({ id }: Workspace) => (await engine.database.get(keys.workspace(id), true))?.['seq'];
const LIST = `/organizations/${ORGANIZATION}/workspaces`;
const post = ({ id }: Workspace, action: string) =>
  fixture.api.request('POST', `/workspaces/${id}/actions/${action}`, { token: fixture.owner });

describe('run event', () => {
  it('gives the workspace a run status by which lists filter, sort and count', async () => {
    const [early, late] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    const [one, other] = [newRun(), newRun()];
    await report(late, other, 'plan_queued', 1, { 'created-at': at(50) });
    await report(early, one, 'planning', 3);
    const listed = async (query: string) => (await get(`${LIST}?${query}`)).data.map(({ id }: Workspace) => id);
    expect(await listed('filter[current-run][status]=planning')).toEqual([early.id]);
    expect(await listed('filter[current-run][status]=planning,plan_queued&sort=-current-run.created-at')).toEqual([
      late.id,
      early.id,
    ]);
    expect((await listed('sort=current-run.created-at')).slice(0, 2)).toEqual([early.id, late.id]);
    const { meta } = await get(LIST);
    expect(meta['status-counts']).toMatchObject({ planning: 1, plan_queued: 1 });
    await report(early, one, 'errored', 9);
    expect(await listed('filter[current-run][status]=planning')).toEqual([]);
    expect(await listed('filter[current-run][status]=errored')).toEqual([early.id]);
  });

  it('locks the workspace from plan to end, and nobody else can unlock it', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    await report(workspace, run, 'pending', 1);
    expect((await show(workspace)).attributes.locked).toBe(false);
    await report(workspace, run, 'planning', 2);
    const held = await show(workspace);
    expect(held.attributes).toMatchObject({ locked: true, 'locked-reason': '' });
    expect(held.relationships['locked-by'].data).toEqual({ type: 'runs', id: run });
    const rejected = await post(workspace, 'unlock');
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].detail).toContain(`is locked by Run ${run}`);
    expect((await post(workspace, 'safe-delete')).status).toBe(409);
    await report(workspace, run, 'applied', 9);
    expect((await show(workspace)).attributes.locked).toBe(false);
    expect((await post(workspace, 'lock')).status).toBe(200);
    await report(workspace, run, 'planning', 2);
    expect((await show(workspace)).relationships['locked-by'].data.type).toBe('users');
  });

  it('does not lock the workspace again after an administrator has force-unlocked it', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    await report(workspace, run, 'planning', 2);
    expect((await post(workspace, 'force-unlock')).status).toBe(200);
    await report(workspace, run, 'planned', 3);
    expect((await show(workspace)).attributes.locked).toBe(false);
  });

  it('writes one change record in the name of the run for each report with news', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const steps = [
      ['pending', 1, 'workspace.run-updated'],
      ['planning', 2, 'workspace.locked'],
      ['applied', 3, 'workspace.unlocked'],
    ] as const;
    for (const [index, [status, seconds, type]] of steps.entries()) {
      for (let repeated = 0; repeated < 2; repeated++) await report(workspace, run, status, seconds);
      const item = await engine.database.get(keys.workspace(workspace.id), true);
      expect(item).toMatchObject({
        seq: index + 2,
        chg: { type, actor: { kind: 'run', id: run }, run: { id: run, status } },
      });
    }
  });

  it('has the same result in any order, under concurrency, lost responses, throttling and conflicts', async () => {
    const workspace = await fixture.createWorkspace();
    const lives = Array.from({ length: 6 }, (_, index) => {
      const run = newRun();
      const from = 100 * index;
      const created = { 'created-at': at(from), 'configuration-version': null };
      return [
        [run, 'pending', from, created],
        [run, 'planning', from + 10, created],
        [run, 'planned', from + 20 + index, created],
        [run, 'applying', from + 30, created],
        [run, index % 2 ? 'applied' : 'errored', from + 50, created],
      ] as const;
    });
    const draw = createSeededRandom(20_261_122);
    const reports = [...lives.flat(), ...lives.flat()].toSorted(() => draw() - 0.5);
    proxy.setPlan({ TransactWriteItems: { lost: 0.1, throttled: 0.1, conflicting: 0.1, delayed: 0.2 } });
    const before = await getSequence(workspace);
    let retried = 0;
    const deliver = async (of: (typeof reports)[number]): Promise<void> => {
      for (;;) {
        try {
          return await report(workspace, of[0], of[1], of[2], of[3]);
        } catch {
          // Lambda retries in the same way.
          retried += 1;
        }
      }
    };
    const queue = [...reports];
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) await deliver(next);
      }),
    );
    proxy.setPlan({});
    const { attributes, relationships } = await show(workspace);
    expect(attributes).toMatchObject({
      locked: false,
      'plan-duration-average': 12_500,
      'apply-duration-average': 20_000,
      'policy-check-failures': 0,
      'run-failures': 3,
      'workspace-kpis-run-count': 6,
      'workspace-kpis-runs-count': 6,
    });
    expect(relationships['current-run'].data).toEqual({ type: 'runs', id: lives.at(-1)?.[0]?.[0] });
    const list = await fixture.api.request('GET', `/workspaces/${workspace.id}/runs?page[size]=4`, {
      token: fixture.owner,
    });
    expect(list.body.meta.pagination['total-count']).toBe(6);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual(
      lives
        .toReversed()
        .slice(0, 4)
        .map((life) => life[0][0]),
    );
    // Each report was applied once. A repeated report may apply what another run's lock prevented before.
    const changeCount = Number(await getSequence(workspace)) - Number(before);
    expect(changeCount).toBeGreaterThanOrEqual(30);
    expect(changeCount).toBeLessThanOrEqual(36);
    expect(proxy.counts.lost + proxy.counts.throttled + proxy.counts.conflicting).toBeGreaterThan(0);
    expect(fixture.api.deadLetters.received()).toEqual([]);
    console.info(`60 reports, ${JSON.stringify(proxy.counts)}, ${retried} invocations made again`);
  });

  it('leaves records that are deleted together with the workspace', async () => {
    const workspace = await fixture.createWorkspace();
    const [run, version] = [newRun(), newConfiguration()];
    await report(workspace, run, 'planning', 2, { 'token-sha256': 'ab'.repeat(32) });
    await report(workspace, newRun(), 'errored', 2);
    await fixture.api.ingest(
      'configuration-version.updated',
      configurationEvent(workspace, version, 'pending', { readme: 'text' }),
    );
    const { status } = await fixture.api.request('DELETE', `/workspaces/${workspace.id}`, { token: fixture.owner });
    expect(status).toBe(204);
    const left = async () =>
      (
        await Promise.all([
          engine.database.query({ partition: keys.workspace(workspace.id).pk, consistent: true }),
          engine.database.getAll([keys.pointer(run), keys.pointer(version), keys.token('ab'.repeat(32))], true),
        ])
      ).flat().length;
    expect(await left()).toBeGreaterThan(6);
    await fixture.api.cleanup();
    expect(await left()).toBe(1);
    await report(workspace, run, 'applied', 5);
    expect(fixture.api.deadLetters.received()).toMatchObject([{ reason: `There is no workspace ${workspace.id}.` }]);
  });
});

describe('configuration version event', () => {
  it('sets the current configuration version when it is uploaded, unless it is speculative', async () => {
    const workspace = await fixture.createWorkspace();
    const [version, branch] = [newConfiguration(), newConfiguration()];
    const current = async () => (await show(workspace)).relationships['current-configuration-version'].data;
    const report = (id: string, status: string, more?: object) =>
      fixture.api.ingest('configuration-version.updated', configurationEvent(workspace, id, status, more));
    await report(version, 'pending');
    expect(await current()).toBeNull();
    await report(version, 'uploaded');
    await report(branch, 'uploaded', { 'created-at': at(60), speculative: true });
    expect(await current()).toEqual({ type: 'configuration-versions', id: version });
    await report(version, 'uploaded');
    expect(await getSequence(workspace)).toBe(4);
  });
});

describe('configuration version event with a README in the bucket', () => {
  const report = (workspace: Workspace, id: string) =>
    fixture.api.ingest(
      'configuration-version.updated',
      configurationEvent(workspace, id, 'uploaded', { 'readme-object': true }),
    );
  const shown = async ({ id }: Workspace) =>
    (await get(`/workspaces/${id}?include=readme`)).included[0]?.attributes['raw-markdown'];

  it('stores the README, truncates a longer one and deletes both with their workspaces', async () => {
    const [workspace, longer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    const [id, another] = [newConfiguration(), newConfiguration()];
    const bucket = openBucket(fixture.api.bucket.name);
    const text = '# Größe\n'.repeat(15_000);
    await bucket.put(`readmes/${workspace.id}/${id}`, Buffer.from(text));
    await bucket.put(`readmes/${longer.id}/${another}`, Buffer.from(text.repeat(3)));
    await report(workspace, id);
    await report(longer, another);
    expect(await shown(workspace)).toBe(text);
    const [kept = '', word] = (await shown(longer)).split('\n\n…');
    expect([text.repeat(3).startsWith(kept), kept.length > text.length]).toEqual([true, true]);
    expect(word).toContain('256 KB');
    expect([...fixture.api.bucket.objects().keys()]).toContain(`readmes/${longer.id}/${another}`);
    await fixture.api.request('DELETE', `/workspaces/${longer.id}`, { token: fixture.owner });
    await fixture.api.cleanup();
    expect([...fixture.api.bucket.objects().keys()]).toEqual([`readmes/${workspace.id}/${id}`]);
  });

  it('is rejected when the README is missing, and is retried when the bucket is unavailable', async () => {
    const workspace = await fixture.createWorkspace();
    const id = newConfiguration();
    await report(workspace, id);
    const [{ reason }] = fixture.api.deadLetters.received();
    expect(reason).toBe(`There is no object readmes/${workspace.id}/${id}.`);
    expect((await show(workspace)).relationships['current-configuration-version'].data).toBeNull();
    fixture.api.bucket.fail(true);
    await expect(report(workspace, id)).rejects.toThrow('busy');
    fixture.api.bucket.fail(false);
    expect(fixture.api.deadLetters.received()).toEqual([]);
  });
});

describe('release event', () => {
  it('makes the version available to workspaces unless an administrator has deleted it', async () => {
    await fixture.api.ingest('release.published', { version: '1.98.0' });
    await fixture.admin('delete-release', { version: '1.99.0' });
    await fixture.api.ingest('release.published', { version: '1.99.0' });
    // An exact version is accepted whether a release is known or not; a constraint needs a release.
    expect((await fixture.create({ 'infra-version': '~> 1.98.0' })).status).toBe(201);
    expect((await fixture.create({ 'infra-version': '~> 1.99.0' })).status).toBe(422);
    expect(fixture.api.deadLetters.received()).toEqual([]);
  });
});

describe('invalid event', () => {
  const getDeadLetterReason = async (type: string, detail: unknown, event?: object): Promise<string> => {
    await fixture.api.ingest(type, detail, event);
    const [letter, another] = fixture.api.deadLetters.received();
    expect(another).toBeUndefined();
    expect(letter.event).toMatchObject({ detail, ...event });
    return letter.reason;
  };

  it('goes to the dead-letter queue unchanged, with the reason', async () => {
    const workspace = await fixture.createWorkspace();
    const other = await fixture.createWorkspace();
    const good = runEvent(workspace, newRun(), 'planning', 1);
    const knownRun = newRun();
    await report(other, knownRun, 'pending', 1, { 'token-sha256': 'cd'.repeat(32) });
    const before = await getSequence(workspace);
    const run = (more: object) => ({ ...good, run: { ...good.run, ...more } });
    const cases: readonly [string, string, unknown, object?][] = [
      ['Its source is not holdfast.runner.', 'run.updated', good, { source: 'holdfast' }],
      ['Its detail-type is none of', 'run.started', good],
      ['Its detail-type is none of', 'constructor', good],
      ['must be an object', 'run.updated', 'text'],
      ["Organization can't be blank", 'run.updated', { workspace: workspace.id, run: good.run }],
      ['Status must be one of', 'run.updated', run({ status: 'exploded' })],
      ['(/run/id)', 'run.updated', run({ id: 'run-0' })],
      ['(/run/at)', 'run.updated', run({ at: 'yesterday' })],
      ['at is not a valid time', 'run.updated', run({ at: '2026-02-30T00:00:00Z' })],
      ['(/run/message)', 'run.updated', run({ message: 'x'.repeat(1_001) })],
      ['There is no workspace', 'run.updated', { ...good, workspace: 'ws-1111111111111111' }],
      ['is not one of elsewhere', 'run.updated', { ...good, organization: 'elsewhere' }],
      [`with the id ${knownRun}`, 'run.updated', run({ id: knownRun })],
      ['with the token', 'run.updated', run({ 'token-sha256': 'cd'.repeat(32) })],
      [
        '(/configuration-version/readme)',
        'configuration-version.updated',
        configurationEvent(workspace, newConfiguration(), 'pending', { readme: 'x'.repeat(100 * 1024 + 1) }),
      ],
      ['not a full version', 'release.published', { version: '~> 1.9' }],
    ];
    for (const [reason, ...event] of cases) expect(await getDeadLetterReason(...event)).toContain(reason);
    expect(await getSequence(workspace)).toBe(before);
    expect((await show(workspace)).relationships['current-run'].data).toBeNull();
  });

  it('makes the invocation fail while the dead-letter queue is unavailable, so that it is not lost', async () => {
    fixture.api.deadLetters.reject(3);
    await expect(fixture.api.ingest('run.started', {})).rejects.toThrow();
    expect(await getDeadLetterReason('run.started', {})).toContain('detail-type');
  });
});

describe('event during a transient error', () => {
  it('makes the invocation fail and does not go to the dead-letter queue', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    proxy.setPlan({ TransactWriteItems: { throttled: 1 } });
    await expect(report(workspace, run, 'planning', 1)).rejects.toThrow('busy');
    proxy.setPlan({});
    expect(fixture.api.deadLetters.received()).toEqual([]);
    await report(workspace, run, 'planning', 1);
    expect((await show(workspace)).attributes.locked).toBe(true);
  });
});
