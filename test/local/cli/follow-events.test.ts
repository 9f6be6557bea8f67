import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEventFormatter } from '../../../infra/local/cli/event-line.ts';
import { startService } from '../../../infra/local/service/service.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';
import { synthesizedOnce } from '../../support/setup/build-once.ts';
import { compileCache } from '../../support/setup/compile-cache.ts';

const program = fileURLToPath(new URL('../../../infra/local/follow-events.ts', import.meta.url));

const follow = (dataFolder: string, ...words: string[]) => {
  const child: ChildProcess = spawn(process.execPath, [program, ...words], {
    env: { PATH: '/usr/bin:/bin', HOLDFAST_DATA: dataFolder, ...compileCache() },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(output)));
  return { ended, lines: () => output.trim().split('\n').filter(Boolean) };
};

describe('createEventFormatter', () => {
  const time = '2026-11-21T08:30:00.000Z';
  const workspace = { id: 'ws-1', name: 'network', project: 'prj-1' };
  const base = { sequence: 7, workspace, actor: { kind: 'user', id: 'user-1' } };
  const format = createEventFormatter(async (_, id) => (id === 'user-1' ? 'ada' : id));
  const line = (type: string, detail: object, source = 'holdfast') =>
    format({ time, source, 'detail-type': type, detail: detail as Record<string, unknown> });

  it.each<[string, object, string]>([
    ['workspace.created', {}, 'created'],
    ['workspace.locked', { lock: { reason: 'mi\u001bgrating' } }, 'locked: "mi grating"'],
    [
      'workspace.updated',
      { keys: ['auto-apply', 'name'], previous: { name: 'old' } },
      'updated: auto-apply, name, was old',
    ],
    ['workspace.variable-created', { variable: { category: 'env', key: 'region' } }, 'variable created: env region'],
    [
      'workspace.state-version-finalized',
      { stateVersion: { id: 'sv-1', serial: 3 } },
      'state version finalized: sv-1, serial 3',
    ],
    ['workspace.deleted', { forced: true }, 'deleted: by force'],
    ['workspace.of-a-later-version', { other: 1 }, 'of a later version'],
  ])('formats %s', async (type, detail, action) => {
    const [, name, number, shownAction, actor] = (await line(type, { ...base, ...detail })).split(/ {2,}/);
    expect([name, number, shownAction, actor]).toEqual(['network', '#7', action, 'by user ada']);
  });

  it('prints the workspace name of a runner event after an event with the name', async () => {
    const run = { workspace: 'ws-1', run: { id: 'run-1', status: 'planning' } };
    expect(await line('run.updated', run, 'holdfast.runner')).toMatch(
      /network .*run updated: run-1 planning {2}from holdfast\.runner$/,
    );
  });
});

describe('npm run events', () => {
  it('prints new events of the whole service, and archived events with --all', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const service = await startService({ dataFolder, assembly: await synthesizedOnce() });
    onTestFinished(() => service.stop());
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/vnd.api+json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return JSON.parse((await response.text()) || '{}');
    };
    const created = await call('POST', '/organizations/demo/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'network' } },
    });
    const { id } = created.data;
    // The events of the demo organization may be archived long before the event of the workspace.
    await expect
      .poll(async () => await follow(dataFolder, '--all', '--once').ended, { interval: 200 })
      .toMatch(/network +#1 +created/);

    const following = follow(dataFolder);
    let probes = 0;
    const probe = async () => {
      const attributes = { name: `probe-${++probes}` };
      await call('POST', '/organizations/demo/workspaces', { data: { type: 'workspaces', attributes } });
      return following.lines();
    };
    // The program prints only events after its start. The event of a probe workspace shows that it has started.
    await expect.poll(probe, { interval: 200 }).not.toEqual([]);
    const linesOfNetwork = () => following.lines().filter((line) => line.includes('network'));
    await call('POST', `/workspaces/${id}/actions/lock`, { reason: 'migrating' });
    await call('POST', `/workspaces/${id}/actions/unlock`);
    await expect
      .poll(linesOfNetwork)
      .toEqual([
        expect.stringMatching(/network +#2 +locked: "migrating" {2}by user owner\S*$/),
        expect.stringMatching(/network +#3 +unlocked {2}by user/),
      ]);

    // A run that a runner reports locks and unlocks the workspace.
    const bridge = new EventBridgeClient({
      endpoint: service.origin,
      region: 'us-east-1',
      credentials: service.credentials,
    });
    onTestFinished(() => bridge.destroy());
    const at = new Date().toISOString();
    const run = { id: 'run-1111111111111111', at, 'created-at': at, 'plan-only': false };
    for (const status of ['planning', 'errored']) {
      const Detail = JSON.stringify({ organization: 'demo', workspace: id, run: { ...run, status } });
      const entry = { EventBusName: 'holdfast', Source: 'holdfast.runner', DetailType: 'run.updated', Detail };
      await bridge.send(new PutEventsCommand({ Entries: [entry] }));
      await expect
        .poll(() => linesOfNetwork().join('\n'))
        .toMatch(status === 'planning' ? /#4 .*locked: .*by run run-1/ : /#5 .*unlocked: .*by run run-1/);
    }

    const all = (await follow(dataFolder, '--all', '--once', '--json').ended)
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    const ours = all.filter(({ source, detail }) => source === 'holdfast' && detail.workspace?.id === id);
    expect(ours.map(({ detail }) => detail.sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(ours.map(({ detail }) => detail.id)).size).toBe(5);
    expect(JSON.stringify(all)).not.toContain(service.token);
  });

  it('prints the folder that it searched when there are no events', async () => {
    expect(await follow(join(temporaryFolder(), 'none')).ended).toMatch(/^There are no events in .*npm start\n$/);
  });
});
