import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Tags } from '../../../shared/domain/tags/tag.ts';
import type { Lock } from '../../../shared/domain/workspace/workspace-record.ts';
import { now } from '../../../shared/lib/clock.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { modelRow } from '../../support/models/lists/list-model.ts';

/** Numbers of workspaces, each of which has to be the total of a list with a filter, for callers who read all or some rows. */
const ORGANIZATION = '/organizations/acme';
const ROWS = 120;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let api: Api;
let owner: string;
let projects: readonly string[];
/** Tokens of callers by who they are. */
const tokens: Record<string, string> = {};

const stored = (tags: Readonly<Record<string, string | null>>): Tags =>
  Object.entries(tags).map(([key, value]) => ({ key, ...(value !== null && { value }), at: 1 }));

/** Ages around the bounds of the spans; null stands for a workspace without a state. */
const lockAge = fc.constantFrom(0, HOUR / 2, 2 * HOUR, 2 * DAY, 6 * DAY, 8 * DAY, 400 * DAY);
const stateAge = fc.constantFrom(null, 0, 29 * DAY, 31 * DAY, 89 * DAY, 91 * DAY, 179 * DAY, 181 * DAY, 800 * DAY);
/** More than eight releases, and versions that resolve to some of them. */
const version = fc.constantFrom(
  ...['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.5.7', '1.6.0', '1.7.0', '1.8.0', '1.9.8'],
  ...['~> 1.5.0', 'latest', '~> 99.0'],
);

const createCaller = async (name: string, teams: readonly string[]): Promise<void> => {
  await api.admin('create-user', { username: name, email: `${name}@example.com` });
  for (const team of teams) await api.admin('add-member', { organization: 'acme', team, username: name });
  ({ token: tokens[name] } = await api.admin('create-token', { kind: 'user', username: name }));
};

beforeAll(async () => {
  api = await startApi();
  const admin = async (command: string, parameters: object) =>
    api.admin(command, { organization: 'acme', ...parameters });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  tokens['owner'] = owner;
  const created: string[] = [];
  for (const tagBindings of ['', 'env=prod', 'env=dev,Env=prod']) {
    created.push((await admin('create-project', { name: `project-${created.length}`, tagBindings })).project.id);
  }
  projects = created;
  const ids: Record<string, string> = {};
  for (const name of ['team-a', 'team-b', 'nobody']) ids[name] = (await admin('create-team', { name })).team.id;
  await createCaller('reader-of-a-project', ['team-a']);
  await createCaller('reader-of-workspaces', ['team-b']);
  await createCaller('reader-of-both', ['team-a', 'team-b']);
  await createCaller('reader-of-nothing', ['nobody']);
  await createCaller('stranger', []);
  await admin('grant-access', { team: 'team-a', project: 'project-1', access: 'write' });

  const at = now();
  const names = new Set<string>();
  const models = fc
    .sample(fc.tuple(modelRow(projects), lockAge, stateAge, version), { numRuns: ROWS * 3, seed: 11 })
    .filter(([{ name }]) => !names.has(name) && names.add(name))
    .slice(0, ROWS);
  await seedWorkspaces(
    api.engine,
    models.map(([model, lockAge, stateAge, infraVersion]) => {
      const { name, project, tags, runStatus, runAt, lockedBy, executionMode, deletionProtection, teams } = model;
      const lock: Lock | undefined =
        lockedBy === null
          ? undefined
          : { id: 'lock-1', kind: 'User', by: lockedBy, name: 'ada', reason: '', at: at - lockAge };
      const base = newWorkspace({ organization: 'acme', project }, { name });
      return {
        name,
        project,
        ...(stateAge !== null && { latestChangeAt: at - stateAge }),
        ...(lock && { lock, fence: 1 }),
        settings: { ...base.settings, executionMode, deletionProtection, infraVersion },
        organization: 'acme',
        tags: stored(tags),
        access: Object.fromEntries(teams.map((team) => [ids[team], 'read'])),
        ...(runStatus !== null && { runStatus }),
        ...(runAt !== null && { runAt }),
      };
    }),
  );
});
afterEach(() => vi.useRealTimers());
afterAll(() => api.stop());

const showStatistics = (token: string) => api.request('GET', `${ORGANIZATION}/statistics`, { token });

const change = async (path: string, type: string, attributes: object): Promise<void> => {
  const body = { data: { type, attributes } };
  expect((await api.request('PATCH', path, { token: owner, body })).status).toBe(200);
};

/** Reads the total of a list with filters. A filter without a value narrows nothing. */
const totalOf = async (token: string, query: Readonly<Record<string, string | null>>): Promise<number> => {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, value ?? '']),
  );
  const { body } = await api.request('GET', `${ORGANIZATION}/workspaces?${parameters}&page[size]=1`, { token });
  return body.meta.pagination['total-count'];
};

interface Span {
  readonly since: string | null;
  readonly before: string | null;
  readonly count: number;
}

const expectTotals = async (token: string, production: Readonly<Record<string, string>> | undefined) => {
  const { status, body } = await showStatistics(token);
  expect(status).toBe(200);
  const { attributes } = body.data;
  const expectTotal = async (query: Readonly<Record<string, string | null>>, count: number) =>
    expect(await totalOf(token, query), JSON.stringify(query)).toBe(count);
  const total = (spans: readonly { readonly count: number }[]) => spans.reduce((sum, { count }) => sum + count, 0);

  await expectTotal({}, attributes['workspace-count']);
  await expectTotal({ 'filter[locked]': 'true' }, total(attributes.locks));
  await expectTotal({ 'filter[changed-since]': new Date(0).toISOString() }, total(attributes['state-changes']));
  for (const { since, before, count } of attributes.locks as Span[]) {
    await expectTotal(
      { 'filter[locked]': 'true', 'filter[locked-since]': since, 'filter[locked-before]': before },
      count,
    );
  }
  for (const { since, before, count } of attributes['state-changes'] as Span[]) {
    await expectTotal({ 'filter[changed-since]': since, 'filter[changed-before]': before }, count);
  }
  for (const { 'infra-version': version, count } of attributes['infra-versions']) {
    await expectTotal({ 'filter[infra-version]': version }, count);
  }
  await expectTotal({}, total(attributes['infra-versions']) + attributes['other-infra-version-count']);
  for (const { status, count } of attributes['current-run-statuses']) {
    await expectTotal({ 'filter[current-run][status]': status }, count);
  }
  const { body: page } = await api.request('GET', `${ORGANIZATION}/workspaces`, { token });
  const { total: _, ...statuses } = page.meta['status-counts'];
  expect(Object.keys(statuses).sort()).toEqual(
    attributes['current-run-statuses'].map(({ status }: { status: string }) => status).sort(),
  );
  await expectTotal({ 'filter[deletion-protection]': 'false' }, attributes['unprotected-count']);
  if (production === undefined) {
    expect(attributes).toMatchObject({
      'production-tag': null,
      'production-count': null,
      'unprotected-production-count': null,
    });
  } else {
    await expectTotal(production, attributes['production-count']);
    await expectTotal(
      { ...production, 'filter[deletion-protection]': 'false' },
      attributes['unprotected-production-count'],
    );
  }
  return attributes;
};

const tagged = (key: string, value?: string) => ({
  'filter[tagged][0][key]': key,
  ...(value !== undefined && { 'filter[tagged][0][value]': value }),
});

describe('GET /organizations/:name/statistics', () => {
  it.each(['owner', 'reader-of-a-project', 'reader-of-workspaces', 'reader-of-both', 'reader-of-nothing'])(
    'counts what a list with the same filter counts, for the caller %s',
    async (caller) => {
      const token = tokens[caller] ?? '';
      const attributes = await expectTotals(token, undefined);
      expect(attributes['workspace-count'] > 0).toBe(caller !== 'reader-of-nothing');
      if (caller === 'owner') expect(attributes['workspace-count']).toBe(ROWS);
    },
  );

  it('counts workspaces of a project, of an organization and of their own that are not protected', async () => {
    await change(`/projects/${projects[1]}`, 'projects', { 'default-deletion-protection': true });
    for (const isProtected of [true, false]) {
      await change(ORGANIZATION, 'organizations', { 'default-deletion-protection': isProtected });
      for (const token of [owner, tokens['reader-of-both'] ?? '']) await expectTotals(token, undefined);
    }
  });

  it.each([
    ['env=prod', tagged('env', 'prod')],
    ['env', tagged('env')],
    ['Env=prod', tagged('Env', 'prod')],
    ['absent', tagged('absent')],
  ])('counts the workspaces of the production tag %s', async (tag, filter) => {
    await change(ORGANIZATION, 'organizations', { 'production-tag': tag });
    for (const token of [owner, tokens['reader-of-both'] ?? '']) {
      const attributes = await expectTotals(token, filter);
      expect(attributes['production-tag']).toBe(tag);
      expect(attributes['production-count'] > 0).toBe(tag !== 'absent');
    }
    await change(ORGANIZATION, 'organizations', { 'production-tag': null });
  });

  it('shows the production tag of the organization to every member, and rejects what is no tag', async () => {
    await change(ORGANIZATION, 'organizations', { 'production-tag': 'env=prod' });
    const { body } = await api.request('GET', ORGANIZATION, { token: tokens['reader-of-nothing'] ?? '' });
    expect(body.data.attributes['production-tag']).toBe('env=prod');
    for (const tag of ['', '=prod', 'env=', 'two words', 'x'.repeat(257), 7]) {
      const attributes = { 'production-tag': tag };
      const rejected = await api.request('PATCH', ORGANIZATION, {
        token: owner,
        body: { data: { type: 'organizations', attributes } },
      });
      expect(rejected.status, String(tag)).toBe(422);
      expect(rejected.body.errors[0].source).toEqual({ pointer: '/data/attributes/production-tag' });
    }
    await change(ORGANIZATION, 'organizations', { 'production-tag': null });
  });

  it('responds with 404 to callers outside of the organization', async () => {
    expect((await showStatistics(tokens['stranger'] ?? '')).status).toBe(404);
    expect((await api.request('GET', '/organizations/absent/statistics', { token: owner })).status).toBe(404);
  });

  it('counts a new workspace until it is deleted, and a lock until its lease expires', async () => {
    const body = (attributes: object) => ({ data: { type: 'workspaces', attributes } });
    const before = await expectTotals(owner, undefined);
    const created = await api.request('POST', `${ORGANIZATION}/workspaces`, {
      token: owner,
      body: body({ name: 'leased' }),
    });
    const path = `/workspaces/${created.body.data.id}`;
    await api.request('POST', `${path}/actions/lock`, { token: owner, body: { 'lease-seconds': 60 } });
    const locked = await expectTotals(owner, undefined);
    expect(locked['workspace-count']).toBe(before['workspace-count'] + 1);
    expect(locked.locks[0].count).toBe(before.locks[0].count + 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    const expired = await expectTotals(owner, undefined);
    expect(expired.locks[0].count).toBe(before.locks[0].count);
    await api.request('POST', `${path}/actions/safe-delete`, { token: owner });
    const after = await expectTotals(owner, undefined);
    expect(after['workspace-count']).toBe(before['workspace-count']);
  });

  it('counts nothing of a project any more whose grant was taken away', async () => {
    const token = tokens['reader-of-a-project'] ?? '';
    const before = await expectTotals(token, undefined);
    await api.admin('revoke-access', { organization: 'acme', team: 'team-a', project: 'project-1' });
    const after = await expectTotals(token, undefined);
    expect(after['workspace-count']).toBeLessThan(before['workspace-count']);
    await api.admin('grant-access', { organization: 'acme', team: 'team-a', project: 'project-1', access: 'write' });
  });
});
