import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** Numbers of changes and runs by day, from requests and reports of runners to the statistics of the organization. */
const HOUR = 3_600_000;

let api: Api;
let owner: string;
let history: Awaited<ReturnType<typeof followHistory>>;

beforeAll(async () => {
  api = await startApi();
  history = await followHistory(api);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterEach(() => vi.useRealTimers());
afterAll(() => api.stop());

const send = async (method: string, path: string, body?: object, token = owner) => {
  const reply = await api.request(method, path, { token, ...(body && { body }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
const readActivity = async (token = owner) =>
  (await send('GET', '/organizations/acme/statistics', undefined, token)).data.attributes.activity;

/** Writes the history, and counts all days that are due some hours later. */
const count = async (hours: number): Promise<void> => {
  await history.record();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR });
  await api.cleanup();
};

const report = (workspace: string, id: string, status: string, minute: number) => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 8, minutes)).toISOString();
  const run = { id, status, at: at(minute), 'created-at': at(0), 'plan-only': false };
  return api.ingest('run.updated', { organization: 'acme', workspace, run });
};

/** Counts the entries of the audit trail of a day, as the link of the home to the trail does. */
const countTrail = async (date: string): Promise<number> => {
  let entries = 0;
  const range = `filter[since]=${date}T00:00:00Z&filter[until]=${date}T23:59:59.999Z`;
  for (let path: string | null = `/organizations/acme/audit-trail?${range}`; path !== null; ) {
    const body = await send('GET', path);
    entries += body.data.length;
    path = body.links.next?.replace(/^.*\/api\/v2/, '') ?? null;
  }
  return entries;
};

const total = (days: readonly Record<string, number>[], name: string): number =>
  days.reduce((sum, day) => sum + (day[name] ?? 0), 0);

describe('the activity of an organization', () => {
  it('each day has the number of entries of the audit trail, and each run once on the day on which it ended', async () => {
    const create = { data: { type: 'workspaces', attributes: { name: 'network' } } };
    const { data } = await send('POST', '/organizations/acme/workspaces', create);
    const [applied, errored, planned] = [0, 1, 2].map(() => `run-${base58(16)}`) as [string, string, string];
    for (const [minute, status] of ['planning', 'applying', 'applied', 'applied'].entries()) {
      await report(data.id, applied, status, minute);
    }
    // A run ends once, also if the report that it errored is followed by an older one.
    await report(data.id, errored, 'planning', 10);
    await report(data.id, errored, 'errored', 12);
    await report(data.id, errored, 'planned', 11);
    await report(data.id, planned, 'planning', 20);
    expect(await readActivity()).toEqual([]);
    await count(2);
    const days = await readActivity();
    expect(days.length).toBeGreaterThan(0);
    expect(total(days, 'run-count')).toBe(2);
    expect(total(days, 'failed-run-count')).toBe(1);
    for (const day of days) expect(await countTrail(day.date)).toBe(day['change-count']);
  });

  it('the numbers by day are null for callers who are no owners, also if they read all workspaces and the audit trail', async () => {
    const permissions = 'manage-workspaces,manage-projects,read-audit-trail,manage-teams';
    await api.admin('create-team', { organization: 'acme', name: 'platform', permissions });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'platform' });
    const { data } = await send('GET', '/organizations/acme/statistics', undefined, token);
    expect(data.attributes).toMatchObject({ 'workspace-count': 1, activity: null });
    expect(await readActivity()).not.toBeNull();
  });
});
