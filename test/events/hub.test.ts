import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listPage, MAX_READ } from '../../functions/hub/reader/pages.ts';
import { addTags } from '../../shared/domain/tags/tag.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import { forceDelete } from '../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { StoredRow } from '../../shared/store/hub/hub-items.ts';
import type { HubStore } from '../../shared/store/hub/hub-store.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { validateEvent } from '../support/events/event-schemas.ts';
import { type ForwardedEvent, startHub, startMember, type TestHub, type TestMember } from '../support/events/hub.ts';

/** A hub and two deployments with organizations of the same name, in miniature: their tables are on one engine. */
const paris = { account: '111111111111', region: 'eu-west-3' };
const tokyo = { account: '222222222222', region: 'ap-northeast-1' };

let engine: TestEngine;
let hub: TestHub;
let first: TestMember;
let second: TestMember;
let network: Workspace;
let twin: Workspace;

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  engine = await startEngine();
  [hub, first, second] = await Promise.all([
    startHub(engine),
    startMember(engine, paris),
    startMember(engine, tokyo, 'prod'),
  ]);
  network = await first.create('acme', 'network');
  twin = await second.create('acme', 'network');
});
afterAll(async () => {
  await Promise.all([hub, first, second].map(({ stop }) => stop()));
  await engine.stop();
});

const ingestAll = async (events: readonly ForwardedEvent[]): Promise<void> => {
  for (const event of events) await hub.ingest(event);
};
const show = ({ id }: Workspace, member = paris) => hub.query({ query: 'show', ...member, workspace: id });
const tagged = (name: string) => () => changeTags((tags) => addTags(tags, [name], Date.now()));

describe('hub', () => {
  it('keeps workspaces of the same name in two accounts apart (HUB-1)', async () => {
    await first.lock(network.id, 'migrating');
    await ingestAll([...(await first.forward()), ...(await second.forward())]);
    const { data, next } = await hub.query({ query: 'list', name: 'network' });
    expect(next).toBeNull();
    expect(data).toEqual([
      {
        ...paris,
        ...{ deployment: 'holdfast', organization: 'acme', id: network.id, name: 'network', project: 'prj-x' },
        ...{ version: network.settings.infraVersion, tags: [], locked: true, sequence: 2, incomplete: false },
        lock: {
          id: expect.stringMatching(/^lock-/),
          ...{ kind: 'User', holder: 'user-ada', name: 'ada', reason: 'migrating', since: expect.any(String) },
        },
        'changed-at': expect.any(String),
      },
      expect.objectContaining({ ...tokyo, deployment: 'prod', id: twin.id, name: 'network', locked: false }),
    ]);
    expect(await show(network)).toEqual({ data: data[0] });
    expect(await show(network, tokyo)).toMatchObject({ errors: [{ status: '404' }] });
  });

  it('keys rows by the account and region of the envelope, whatever the detail contains (HUB-1)', async () => {
    await first.apply(network.id, tagged('core'));
    const events = await first.forward();
    const forged = events.map((event) => ({
      ...event,
      ...tokyo,
      detail: { ...(event['detail'] as object), ...paris },
    }));
    await ingestAll(forged);
    expect((await show(network)).data.tags).toEqual([]);
    expect((await show(network, tokyo)).data.tags).toEqual([{ key: 'core', value: null }]);
    await ingestAll(events);
    expect((await show(network)).data.tags).toEqual([{ key: 'core', value: null }]);
  });

  it('lists the workspaces of ten accounts, with the same names and ids, in ten rows (HUB-1)', async () => {
    const workspace = await first.create('acme', 'everywhere');
    await first.lock(workspace.id);
    const events = await first.forward();
    const accounts = Array.from({ length: 10 }, (_, digit) => `30000000000${digit}`);
    for (const account of accounts) await ingestAll(events.map((event) => ({ ...event, account })));
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await hub.query({ query: 'list', name: 'everywhere', limit: 3, ...(cursor && { cursor }) });
      found.push(...page.data.map(({ account }: { account: string }) => account));
      cursor = page.next;
    }
    expect(found).toEqual(accounts);
    const locks = await hub.query({ query: 'locks', account: '300000000007' });
    expect(locks.data).toMatchObject([{ account: '300000000007', id: workspace.id }]);
  });

  it('stores and shows names, projects, tags, locks and versions only (HUB-5)', async () => {
    const item = await hub.store.findRow(paris, network.id);
    expect(Object.keys(item?.content ?? {}).sort()).toEqual(
      ['lock', 'name', 'organization', 'project', 'tags', 'version'].sort(),
    );
  });

  it('applies events in any order and any number of times (HUB-2, HUB-3)', async () => {
    const workspace = await first.create('acme', 'shuffled');
    await first.lock(workspace.id);
    await first.unlock(workspace.id);
    await first.lock(workspace.id, 'the last');
    const [created, locked, unlocked, last] = (await first.forward()) as [ForwardedEvent, ...ForwardedEvent[]] & {
      length: 4;
    };
    await hub.ingest(created);
    await hub.ingest(last as ForwardedEvent);
    expect((await show(workspace)).data).toMatchObject({ incomplete: true, lock: { reason: 'the last' } });
    await ingestAll([unlocked, created, locked, unlocked] as ForwardedEvent[]);
    expect((await show(workspace)).data).toMatchObject({
      sequence: 4,
      incomplete: false,
      lock: { reason: 'the last' },
    });
  });

  it('applies concurrent events of one workspace', async () => {
    const workspace = await first.create('acme', 'concurrent');
    for (const name of ['a', 'b', 'c']) await first.apply(workspace.id, tagged(name));
    await Promise.all((await first.forward()).map(hub.ingest));
    const { data } = await show(workspace);
    expect(data).toMatchObject({ sequence: 4 });
    expect(data.tags.map(({ key }: { key: string }) => key)).toEqual(['a', 'b', 'c']);
  });

  it('does not show a deleted workspace again when an older event arrives late (HUB-4)', async () => {
    const workspace = await second.create('acme', 'doomed');
    await second.lock(workspace.id);
    const late = await second.forward();
    await second.apply(workspace.id, (request) => forceDelete(request, Date.now()));
    await ingestAll([...(await second.forward()), ...late]);
    expect(await show(workspace, tokyo)).toMatchObject({ errors: [{ status: '404' }] });
    expect((await hub.query({ query: 'list', ...tokyo, name: 'doomed' })).data).toEqual([]);
    expect((await hub.query({ query: 'locks', deployment: 'prod' })).data).toEqual([]);
  });

  it('forwards no replayed event and nothing but events of workspaces', async () => {
    const { compilePattern } = await import('../../infra/local/assembly/event-pattern.ts');
    const { forwardedEvents } = await import('../../shared/events/sources.ts');
    const matches = compilePattern(forwardedEvents);
    const event = { source: 'holdfast', 'detail-type': 'workspace.locked' };
    expect(matches(event)).toBe(true);
    expect(matches({ ...event, 'replay-name': 'replay' })).toBe(false);
    expect(matches({ ...event, 'detail-type': 'token.created' })).toBe(false);
    expect(matches({ ...event, source: 'holdfast.commands', 'detail-type': 'command' })).toBe(false);
  });

  it.each<[name: string, change: object, reason: RegExp]>([
    ['without an account', { account: undefined }, /Account/],
    ['with a region that is none', { region: 'eu#1' }, /Region/],
    ['without a detail', { detail: undefined }, /document|Document/],
    ['with a workspace id that is none', { detail: { workspace: { id: 'ws-1' } } }, /./],
  ])('sends an event %s to the dead-letter queue', async (_, change, reason) => {
    const event = { source: 'holdfast', 'detail-type': 'workspace.created', ...paris, detail: {}, ...change };
    const before = hub.letters.length;
    await hub.ingest(event);
    expect(hub.letters).toHaveLength(before + 1);
    expect(hub.letters.at(-1)?.reason).toMatch(reason);
  });
});

describe('snapshot', () => {
  it('loads what was created before the deployment joined, in parts (HUB-7)', async () => {
    const [joined, member] = [await startHub(engine), await startMember(engine, paris)];
    try {
      const [workspace] = [await member.create('acme', 'older'), await member.create('acme', 'other')];
      await member.lock(workspace.id, 'before the hub');
      const held = (await member.forward()).length;
      expect(held).toBe(3);
      const { events, invocations } = await member.snapshot(0);
      expect(invocations).toBeGreaterThan(1);
      for (const { detail } of events) expect(validateEvent(detail as never)).toEqual([]);
      for (const event of [...events].reverse()) await joined.ingest(event);
      const { data } = await joined.query({ query: 'list' });
      expect(data).toMatchObject([
        { name: 'older', locked: true, sequence: 2 },
        { name: 'other', locked: false, sequence: 1 },
      ]);
      expect((await joined.query({ query: 'members' })).data).toEqual([
        { ...paris, snapshots: { holdfast: expect.any(String) } },
      ]);
    } finally {
      await Promise.all([joined.stop(), member.stop()]);
    }
  });

  it('repairs a gap (HUB-7)', async () => {
    const workspace = await first.create('acme', 'gap');
    await first.lock(workspace.id);
    await first.unlock(workspace.id);
    const [created, , unlocked] = await first.forward();
    await ingestAll([created, unlocked] as ForwardedEvent[]);
    expect((await hub.query({ query: 'list', incomplete: true })).data).toMatchObject([{ name: 'gap' }]);
    await ingestAll((await first.snapshot()).events);
    expect((await hub.query({ query: 'list', incomplete: true })).data).toEqual([]);
  });

  it('hides a workspace whose deletion was lost, and no workspace of another deployment (HUB-7)', async () => {
    const staging = await startMember(engine, paris, 'staging');
    try {
      const [lost, kept] = [await staging.create('acme', 'lost'), await first.create('acme', 'kept')];
      await ingestAll([...(await staging.forward()), ...(await first.forward())]);
      await hub.store.completeSnapshot(paris, 'staging', Date.UTC(2050, 0));
      expect(await show(lost)).toMatchObject({ errors: [{ status: '404' }] });
      expect((await show(kept)).data.name).toBe('kept');
      await hub.store.completeSnapshot(paris, 'staging', 1);
      expect(await show(lost)).toMatchObject({ errors: [{ status: '404' }] });
    } finally {
      await staging.stop();
    }
  });

  it.each([{ start: 'x' }, { snapshotAt: 'today' }, { workspaces: -0.5 }, { other: 1 }])(
    'sends a command with the detail %j to the dead-letter queue',
    async (detail) => {
      const before = first.letters.length;
      await first.snapshotCommand(detail);
      expect(first.letters).toHaveLength(before + 1);
    },
  );
});

describe('query', () => {
  it('lists the holders of locks, the oldest lock first, and finds them by name (HUB-6)', async () => {
    await second.lock(twin.id, 'later');
    await ingestAll(await second.forward());
    const { data } = await hub.query({ query: 'locks', holder: 'ada' });
    const times = data.map(({ lock }: { lock: { since: string } }) => lock.since);
    expect(times).toEqual([...times].sort());
    expect(data.at(-1)).toMatchObject({ ...tokyo, id: twin.id, lock: { reason: 'later' } });
    expect((await hub.query({ query: 'locks', holder: 'user-none' })).data).toEqual([]);
  });

  it('returns every workspace once over pages of any size, in order (HUB-6)', async () => {
    const all = (await hub.query({ query: 'list' })).data as { account: string; name: string; id: string }[];
    expect(all.length).toBeGreaterThan(4);
    for (const query of ['list', 'locks']) {
      const whole = (await hub.query({ query })).data.map(({ id }: { id: string }) => id);
      const paged: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await hub.query({ query, limit: 1, ...(cursor && { cursor }) });
        paged.push(...page.data.map(({ id }: { id: string }) => id));
        cursor = page.next;
      }
      expect(paged, query).toEqual(whole);
    }
  });

  it('ends after a limited number of rows, with a cursor that continues after the last one (HUB-6)', async () => {
    const content = { organization: 'acme', project: 'prj-1', version: '1', tags: [], lock: null };
    const rows = Array.from({ length: MAX_READ + 1 }, (_, index) => ({
      ...{ member: paris, id: `ws-${String(index).padStart(16, '1')}`, deployment: null, sequence: 1, missing: [] },
      ...{ changedAt: 1, confirmedAt: 1, content: { ...content, name: String(index).padStart(5, '0') } },
    }));
    const starts: unknown[] = [];
    const findByName: HubStore['findByName'] = async (_, start) => {
      starts.push(start?.['nk']);
      return { rows: start === undefined ? rows : rows.slice(MAX_READ), next: undefined };
    };
    const isLast = ({ content: shown }: StoredRow): boolean => shown?.name === String(MAX_READ);
    const page = await listPage({ findByName }, [paris], isLast, {});
    expect(page).toEqual({ rows: [], next: expect.any(String) });
    const rest = await listPage({ findByName }, [paris], isLast, { cursor: String(page.next) });
    expect(rest).toEqual({ rows: [rows.at(-1)], next: null });
    expect(starts).toEqual([undefined, `acme#${String(MAX_READ - 1)}#${rows.at(-2)?.id}`]);
  });

  it.each([{ account: tokyo.account }, { region: tokyo.region }, { deployment: 'prod' }])(
    'lists only the members of %j',
    async (filter) => {
      const { data } = await hub.query({ query: 'list', ...filter });
      expect(data.length).toBeGreaterThan(0);
      for (const row of data) expect(row).toMatchObject(tokyo);
    },
  );

  it.each([
    [{ tag: 'core' }, ['network']],
    [{ tag: 'core=x' }, []],
    [{ name: 'shuffle' }, ['shuffled']],
    [{ organization: 'other' }, []],
    [{ project: 'prj-none' }, []],
    [{ version: '0.0.1' }, []],
    [{ locked: true, name: 'net' }, ['network']],
  ])('lists the workspaces that match %j', async (filter, names) => {
    const { data } = await hub.query({ query: 'list', ...paris, ...filter });
    expect(data.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it.each([
    [{}, '/query'],
    [{ query: 'toString' }, '/query'],
    [null, '/query'],
    [{ query: 'list', limit: 0 }, '/limit'],
    [{ query: 'list', cursor: 'bm9uZQ' }, '/cursor'],
    [{ query: 'locks', cursor: Buffer.from('0#').toString('base64url') }, '/cursor'],
    [{ query: 'show', ...paris, workspace: 'ws-1' }, '/workspace'],
    [{ query: 'show', ...paris }, '/workspace'],
    [{ query: 'list', secret: true }, '/secret'],
  ])('rejects %j and names %s', async (query, pointer) => {
    const { errors } = await hub.query(query as object);
    expect(errors[0]).toMatchObject({ status: expect.stringMatching(/^4/), source: { pointer } });
  });
});
