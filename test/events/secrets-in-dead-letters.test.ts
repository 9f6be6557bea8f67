import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishBatch } from '../../functions/publish/publish.ts';
import { recordBatch } from '../../functions/record-history/record.ts';
import { digestOf } from '../../shared/access/credentials.ts';
import type { DeadLetter } from '../../shared/events/dead-letters.ts';
import type { Logger } from '../../shared/logging/log.ts';
import { historyFilters } from '../../shared/store/dynamodb/table-definition.ts';
import type { HistoryWriter } from '../../shared/store/history/history-writer.ts';
import { type Api, startApi } from '../support/api/api.ts';
import { deliver } from '../support/engine/stream-mapping.ts';
import { followStream } from '../support/engine/table-stream.ts';

const SECRET = 'planted-secret';
const logger = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Logger;

let api: Api;
/** Records of changes of everything that has a secret. */
let records: readonly DynamoDBRecord[];
let variable: string;
const secrets: string[] = [SECRET];

beforeAll(async () => {
  api = await startApi({ hasUnusedTokens: true });
  const stream = await followStream(api.engine);
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  const create = async (path: string, type: string, attributes: object) => {
    const { status, body } = await api.request('POST', path, { token, body: { data: { type, attributes } } });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data;
  };
  const organization = '/organizations/acme';
  const workspace = await create(`${organization}/workspaces`, 'workspaces', { name: 'network' });
  const sensitive = { key: 'password', value: `${SECRET}-1`, category: 'env', sensitive: true };
  variable = (await create(`/workspaces/${workspace.id}/vars`, 'vars', sensitive)).id;
  await create(`/workspaces/${workspace.id}/vars`, 'vars', { ...sensitive, key: 'plain', sensitive: false });
  const set = await create(`${organization}/varsets`, 'varsets', { name: 'set' });
  await create(`/varsets/${set.id}/relationships/vars`, 'vars', sensitive);
  await create(`${organization}/ssh-keys`, 'ssh-keys', { name: 'deploy', value: `${SECRET}-2` });
  const connection = { 'service-provider': 'github', 'http-url': 'https://github.com' };
  await create(`${organization}/oauth-clients`, 'oauth-clients', {
    ...connection,
    'oauth-token-string': `${SECRET}-3`,
  });
  const created = await create(`${organization}/authentication-token`, 'authentication-tokens', {});
  for (const text of [token, created.attributes.token]) secrets.push(text, digestOf(text));
  records = await stream.sinceLast();
});
afterAll(() => api.stop());

const expectNoSecrets = (letters: readonly DeadLetter[]): void => {
  const text = JSON.stringify(letters);
  for (const secret of secrets) expect(text).not.toContain(secret);
};

/** Publishes records to a bus that rejects every event. @returns the dead letters. */
const publish = async (these: readonly DynamoDBRecord[]): Promise<readonly DeadLetter[]> => {
  const letters: DeadLetter[] = [];
  const handler = publishBatch({
    bus: { send: async (entries) => entries.map(() => ({ kind: 'rejected', reason: 'The bus rejects it' })) },
    deadLetters: async (letter) => void letters.push(letter),
    clock: Date.now,
    logger,
  });
  await deliver(handler, these);
  return letters;
};

it('events that the bus rejects reach the dead-letter queue without secrets', async () => {
  const letters = await publish(records);
  expect(JSON.stringify(letters)).toContain(variable);
  expectNoSecrets(letters);
});

it('changes of which no event can be made reach the dead-letter queue without secrets', async () => {
  const unknown = structuredClone(records).flatMap((record) => {
    const change = record.dynamodb?.NewImage?.['chg']?.M;
    return change === undefined ? [] : [Object.assign(change, { type: { S: 'workspace.unknown' } }) && record];
  });
  const letters = await publish(unknown);
  expect(JSON.stringify(letters)).toContain(variable);
  expectNoSecrets(letters);
});

it('history entries that cannot be written reach the dead-letter queue without secrets', async () => {
  const letters: DeadLetter[] = [];
  const fail = () => Promise.reject(new Error('The item is too large'));
  const history: HistoryWriter = {
    writeEntry: fail,
    writeValue: fail,
    keepValue: fail,
    writeText: fail,
    writeConsumers: fail,
    removeValues: fail,
  };
  const handler = recordBatch({
    history,
    recordFirstUse: fail,
    fingerprints: { compute: async () => 'fingerprint' },
    deadLetters: async (letter) => void letters.push(letter),
    clock: Date.now,
    logger,
  });
  await deliver(handler, records, { filters: historyFilters });
  expect(JSON.stringify(letters)).toContain(variable);
  expect(JSON.stringify(letters)).toContain('USED#');
  expectNoSecrets(letters);
});
