import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { synthesizedOnce } from '../../support/setup/build-once.ts';
import { DEADLINE } from '../../support/setup/deadline.ts';

let folder: string;
let service: Service;

const command = { organization: 'demo', principal: 'robot' };

const admin = async (name: string, parameters: object) => {
  const outcome = await service.functions.invoke('holdfast-admin', JSON.stringify({ command: name, ...parameters }));
  expect(outcome.kind).toBe('succeeded');
};
const api = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/vnd.api+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return JSON.parse(await response.text());
};
const waitUntil = async (holds: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + DEADLINE;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('The condition was not met in time');
    await sleep(100);
  }
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-automation-'));
  const assembly = await synthesizedOnce({
    automations: [
      {
        name: 'MarkUnlocked',
        on: { source: ['holdfast'], 'detail-type': ['workspace.unlocked'] },
        command: { ...command, command: 'add-tags', workspace: '$.detail.workspace.id', tags: ['unlocked'] },
      },
    ],
  });
  service = await startService({ dataFolder: join(folder, 'data'), assembly });
  await admin('create-team', {
    organization: 'demo',
    name: 'robot',
    permissions: 'manage-workspaces',
    service: true,
  });
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a command on the bus is executed, and an automation executes another command when its event occurs', async () => {
  const bridge = new EventBridgeClient({
    endpoint: service.origin,
    region: 'us-east-1',
    credentials: service.credentials,
  });
  const put = async (id: string, detail: object) => {
    const Detail = JSON.stringify({ ...command, id, ...detail });
    const entry = { EventBusName: 'holdfast', Source: 'holdfast.commands', DetailType: 'command', Detail };
    expect((await bridge.send(new PutEventsCommand({ Entries: [entry] }))).FailedEntryCount).toBe(0);
  };
  const show = async () => (await api('GET', '/organizations/demo/workspaces/edge')).data?.attributes;

  await put('create', { command: 'create', attributes: { name: 'edge' } });
  await waitUntil(async () => (await show()) !== undefined);
  await put('lock', { command: 'lock', workspace: 'edge', reason: 'by event' });
  await waitUntil(async () => (await show())['locked-reason'] === 'by event');
  expect((await show())['tag-names']).toEqual([]);
  await put('unlock', { command: 'unlock', workspace: 'edge' });
  await waitUntil(async () => (await show())['tag-names'].includes('unlocked'));
  expect((await show()).locked).toBe(false);
  bridge.destroy();
});
