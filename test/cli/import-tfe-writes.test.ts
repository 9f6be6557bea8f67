import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '../../infra/cli/import/source.ts';
import { computeMd5 } from '../support/api/states.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';
import { openHcp } from '../support/import/open-hcp.ts';

let context: ContextBed;
beforeAll(() => {
  context = createContextBed();
});
afterAll(() => context.remove());

describe('locks of a source', () => {
  const REASON = 'Moves to Holdfast (import imp-1)';
  let server: HcpServer;
  let source: Source;
  beforeAll(async () => {
    const workspaces = ['free', 'taken', 'running', 'starting', 'done'].map((name) => ({ name }));
    server = await startHcpServer({ workspaces });
    server.workspace('running').run = 'planning';
    server.workspace('done').run = 'applied';
    source = await openHcp(context, server);
  });
  afterAll(() => server.stop());

  test('are taken with the reason, kept by the same import, and released', async () => {
    await source.locks?.acquire('free', REASON);
    expect(server.workspace('free').lock).toEqual({ reason: REASON, by: 'user-importer' });
    await source.locks?.acquire('free', REASON);
    await source.locks?.release('free', REASON);
    expect(server.workspace('free').lock).toBeUndefined();
    await source.locks?.release('free', REASON);
    expect(server.workspace('free').lock).toBeUndefined();
  });

  test('are not taken from somebody else, not even from the same user with another reason', async () => {
    server.workspace('taken').lock = { reason: 'Maintenance', by: 'user-importer' };
    await expect(source.locks?.acquire('taken', REASON)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringMatching(
        /^taken is locked at .*, by somebody else\. The reason of the lock is: Maintenance$/,
      ),
    });
    await source.locks?.release('taken', REASON);
    expect(server.workspace('taken').lock).toEqual({ reason: 'Maintenance', by: 'user-importer' });
  });

  test('are not taken while a run can write a state', async () => {
    await expect(source.locks?.acquire('running', REASON)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringMatching(/^The run run-running of running is planning at /),
    });
    expect(server.workspace('running').lock).toBeUndefined();
    await source.locks?.acquire('done', REASON);
    expect(server.workspace('done').lock?.reason).toBe(REASON);
  });

  test('are released at once if a run has started in the meantime', async () => {
    const workspace = server.workspace('starting');
    const racing = await openHcp(context, server, async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'POST' && String(input).endsWith('/lock')) workspace.run = 'plan_queued';
      return response;
    });
    await expect(racing.locks?.acquire('starting', REASON)).rejects.toMatchObject({ exit: 'conflict' });
    expect(workspace.lock).toBeUndefined();
  });

  test('are recognized after a lost response', async () => {
    const workspace = server.workspace('free');
    let lost = 0;
    const losing = await openHcp(context, server, async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== 'POST' || lost > 0) return response;
      lost += 1;
      throw new TypeError('fetch failed');
    });
    await losing.locks?.acquire('free', REASON);
    expect([lost, workspace.lock?.reason]).toEqual([1, REASON]);
  });

  test('of a workspace that does not exist are an error', async () => {
    await expect(source.locks?.acquire('missing', REASON)).rejects.toMatchObject({ exit: 'notFound' });
  });
});

describe('a state that is pushed to a source', () => {
  const LARGE = 3.1 * 2 ** 20;
  let server: HcpServer;
  let source: Source;
  beforeAll(async () => {
    server = await startHcpServer({ workspaces: [{ name: 'network', versions: [{ content: hcpState(4, 'a') }] }] });
    source = await openHcp(context, server);
  });
  afterAll(() => server.stop());

  const digests = () =>
    server.workspace('network').versions.map(({ content = Buffer.alloc(0) }) => computeMd5(content));

  test('needs the lock', async () => {
    await expect(source.push('network', hcpState(5, 'a'))).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringMatching(/^network is not locked at /),
    });
    server.workspace('network').lock = { reason: 'other', by: 'user-other' };
    await expect(source.push('network', hcpState(5, 'a'))).rejects.toMatchObject({ exit: 'conflict' });
    server.workspace('network').lock = undefined;
    expect(digests()).toHaveLength(1);
  });

  test('becomes the current one, also one that is too large for a request', async () => {
    await source.locks?.acquire('network', 'imp-1');
    await source.push('network', hcpState(5, 'a'));
    const large = hcpState(6, 'a', LARGE);
    await source.push('network', large);
    expect(digests()).toEqual([hcpState(4, 'a'), hcpState(5, 'a'), large].map(computeMd5));
    expect(server.violations).toEqual([]);
  });

  test('is not added twice, and not after a newer one', async () => {
    const present = digests();
    await source.push('network', hcpState(6, 'a', LARGE));
    await expect(source.push('network', hcpState(5, 'a'))).rejects.toMatchObject({ exit: 'conflict' });
    expect(digests()).toEqual(present);
  });

  test('is not sent if it is no state', async () => {
    const before = server.requests.length;
    await expect(source.push('network', Buffer.from('{}'))).rejects.toMatchObject({ exit: 'failed' });
    expect(server.requests).toHaveLength(before);
  });
});
