import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { createStates } from '../support/cli/samples/states.ts';
import { followHistory } from '../support/history/history-follower.ts';

let bed: CliBed;
let record: () => Promise<unknown>;
beforeAll(async () => {
  bed = await startCliBed();
  ({ record } = await followHistory(bed.api));
});
afterAll(() => bed.stop());

/** Calls a function before each request of a list, with the number of the request. */
const beforeRequests = (act: (count: number) => Promise<unknown>, path: string): typeof fetch => {
  let count = 0;
  return async (input, init) => {
    if (String(input).includes(path)) await act(++count);
    if (init?.signal?.aborted) throw init.signal.reason;
    return bed.fetch(input, init);
  };
};

test('shows who changed what, with the values before and after', async () => {
  const workspace = await bed.createWorkspace();
  await bed.update(workspace, { 'auto-apply': true, description: 'new' });
  await record();
  const [entry, ...others] = await bed.json(['ws', 'history', workspace.name, '--action', 'workspace.updated']);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ actor: 'ada', 'actor-kind': 'user', 'resource-name': workspace.name });
  expect(entry.changed).toContain('auto-apply: false → true');
  expect(await bed.json(['ws', 'history', workspace.name, '--until', '1h'])).toEqual([]);
  await bed.run(['var', 'set', workspace.name, 'region'], { stdin: 'eu' });
  await bed.run(['var', 'set', workspace.name, 'region'], { stdin: 'us' });
  await bed.run(['var', 'set', workspace.name, 'token', '--sensitive'], { stdin: 'secret-value' });
  await bed.run(['lock', workspace.name, '--reason', 'migrating']);
  await record();
  const { stdout } = await bed.run(['ws', 'history', workspace.name]);
  expect(stdout).toContain('variables region value: eu → us');
  expect(stdout).toContain('lock reason: null → migrating');
  await bed.run(['unlock', workspace.name, '--force', '--reason', 'crashed']);
  await record();
  expect((await bed.run(['ws', 'history', workspace.name])).stdout).toContain('reason: crashed');
  expect(stdout).not.toContain('secret-value');
});

test('names the state version that a rollback has copied', async () => {
  const { name, ids } = await createStates(bed, 2);
  expect((await bed.run(['state', 'rollback', name, '1', '--yes'])).code).toBe(0);
  await record();
  const [entry] = await bed.json(['ws', 'history', name, '--action', 'workspace.state-version-created']);
  expect(entry.changed).toContain(`rolled back to: ${ids[0]}, serial 1`);
});

test('reads all pages of the audit trail of an organization', async () => {
  for (let count = 0; count < 101; count += 1) await bed.createWorkspace();
  await record();
  const rows: readonly { id: string }[] = await bed.json(['audit', 'list', '--action', 'workspace.created']);
  expect(rows.length).toBeGreaterThan(100);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

test('follows only what is new, the oldest first, as one JSON object in each line', async () => {
  const workspace = await bed.createWorkspace();
  await record();
  const fetch = beforeRequests(async (count) => {
    // The first two requests find what is there already.
    if (count !== 3) return;
    await bed.update(workspace, { description: 'first' });
    await bed.update(workspace, { description: 'second' });
    await record();
  }, '/history');
  const { code, stdout } = await bed.run(
    ['ws', 'history', workspace.name, '--follow', '--limit', '2', '--json=action,changed'],
    { fetch },
  );
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { action: 'workspace.updated', changed: [expect.stringContaining('first')] },
    { action: 'workspace.updated', changed: [expect.stringContaining('first → second')] },
  ]);
});

test('ends with 130 when the user interrupts a followed history', async () => {
  const { name } = await bed.createWorkspace();
  const interruption = new AbortController();
  const fetch = beforeRequests(async (count) => {
    if (count === 4) interruption.abort();
  }, '/history');
  const { code, stderr } = await bed.run(['ws', 'history', name, '--follow'], { fetch, signal: interruption.signal });
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
});

/** Entry of the synthetic audit trail, which is written so many polls after its change. */
interface Planned {
  readonly id: string;
  readonly at: number;
  readonly poll: number;
}

test('prints each entry once, also if entries are written late and out of order', async () => {
  const start = Date.parse('2026-11-23T08:00:00Z');
  // The entries of one poll have times within the last ten minutes.
  const planned: readonly Planned[] = Array.from({ length: 600 }, (_, index) => ({
    id: `evt-${index}`,
    at: start + index * 60_000 - ((index * 7_919) % 540) * 1_000,
    poll: 1 + Math.floor(index / 3),
  }));
  let poll = 0;
  let largest = 0;
  const fetch: typeof globalThis.fetch = async (input) => {
    const { searchParams } = new URL(String(input));
    if (!searchParams.has('page[after]')) poll += 1;
    const since = Date.parse(searchParams.get('filter[since]') ?? '');
    const written = planned.filter((entry) => entry.poll <= poll && entry.at >= since).sort((a, b) => b.at - a.at);
    largest = Math.max(largest, written.length);
    const offset = Number(searchParams.get('page[after]') ?? 0);
    const data = written.slice(offset, offset + 5).map(({ id, at }) => ({
      id,
      type: 'history-entries',
      attributes: {
        'created-at': new Date(at).toISOString(),
        action: 'workspace.updated',
        actor: {},
        changes: [],
        details: {},
      },
      relationships: { resource: { data: { type: 'workspaces', id: 'ws-1' } } },
    }));
    const next = offset + 5 < written.length ? `https://holdfast.test/x?page%5Bafter%5D=${offset + 5}` : null;
    return Response.json({ data, links: { next } });
  };
  const { code, stdout } = await bed.run(
    ['audit', 'list', '--follow', '--since', new Date(start - 3_600_000).toISOString(), '--limit', '600', '--json=id'],
    { fetch },
  );
  expect(code).toBe(0);
  const printed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(printed.toSorted()).toEqual(planned.map(({ id }) => id).toSorted());
  // Each poll reads the last minutes, not the whole trail.
  expect(largest).toBeLessThan(60);
});
