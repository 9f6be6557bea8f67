import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { synthesizedOnce } from '../../support/setup/build-once.ts';

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
  await expect.poll(show).toBeDefined();
  await put('lock', { command: 'lock', workspace: 'edge', reason: 'by event' });
  await expect.poll(show).toMatchObject({ 'locked-reason': 'by event' });
  expect((await show())['tag-names']).toEqual([]);
  await put('unlock', { command: 'unlock', workspace: 'edge' });
  await expect.poll(show).toMatchObject({ 'tag-names': ['unlocked'], locked: false });
  bridge.destroy();
});
