import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DecryptCommand, DescribeKeyCommand, EncryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../../infra/local/service/data-folder.ts';
import { secretBytes } from '../../../shared/lib/random.ts';
import { keyArnFromName, startKeyService, type TestKeyService } from '../../support/api/key-service.ts';
import { signedHeaders } from '../../support/local/signed-headers.ts';

const masterKey = secretBytes(32);
let service: TestKeyService;
beforeAll(async () => {
  service = await startKeyService(masterKey);
});
afterAll(() => service.stop());

const context = { a: '1', b: '2' };
const generate = (NumberOfBytes = 32) =>
  service.client.send(new GenerateDataKeyCommand({ KeyId: service.keyArn, NumberOfBytes, EncryptionContext: context }));
const decrypt = (CiphertextBlob: Uint8Array | undefined, EncryptionContext: Record<string, string>, KeyId?: string) =>
  service.client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, KeyId }));

describe('KMS emulation, called by the SDK', () => {
  test('decrypts a ciphertext with the same encryption context in any order', async () => {
    const { CiphertextBlob, KeyId, Plaintext } = await generate();
    expect(KeyId).toBe(service.keyArn);
    const decrypted = await decrypt(CiphertextBlob, { b: '2', a: '1' });
    expect(decrypted.KeyId).toBe(service.keyArn);
    expect(decrypted.Plaintext).toEqual(Plaintext);
  });

  test('generates a data key of the requested length, in plaintext and encrypted', async () => {
    for (const length of [16, 32, 64]) {
      const dataKey = await generate(length);
      expect(dataKey.Plaintext).toHaveLength(length);
      const decrypted = await decrypt(dataKey.CiphertextBlob, context, service.keyArn);
      expect(decrypted.Plaintext).toEqual(dataKey.Plaintext);
    }
  });

  test.each([
    ['another context', { a: '1' }, undefined],
    ['no context', {}, undefined],
    ['another key', context, keyArnFromName('other')],
  ])('does not decrypt a ciphertext with %s', async (_, other, key) => {
    const { CiphertextBlob } = await generate();
    await expect(decrypt(CiphertextBlob, other, key)).rejects.toThrow(
      expect.objectContaining({ name: 'InvalidCiphertextException' }),
    );
  });

  test('does not decrypt text that is not a ciphertext, or a ciphertext that was changed', async () => {
    const { CiphertextBlob = new Uint8Array() } = await generate();
    for (const blob of [Buffer.from('x'), Uint8Array.from(CiphertextBlob, (byte) => byte ^ 1)]) {
      await expect(decrypt(blob, context)).rejects.toThrow(
        expect.objectContaining({ name: 'InvalidCiphertextException' }),
      );
    }
  });

  test('returns the error names of KMS for invalid requests', async () => {
    const { client, keyArn: KeyId } = service;
    const invalidRequests = [
      [new GenerateDataKeyCommand({ KeyId: 'unknown', NumberOfBytes: 32 }), 'NotFoundException'],
      [new DecryptCommand({ KeyId, CiphertextBlob: undefined }), 'ValidationException'],
      [new GenerateDataKeyCommand({ KeyId }), 'ValidationException'],
      [new GenerateDataKeyCommand({ KeyId, NumberOfBytes: 1_025 }), 'ValidationException'],
      [new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }), 'UnknownOperationException'],
    ] as const;
    for (const [command, name] of invalidRequests) {
      await expect(client.send(command as DecryptCommand)).rejects.toThrow(expect.objectContaining({ name }));
    }
    await expect(client.send(new DescribeKeyCommand({ KeyId }))).rejects.toThrow(
      expect.objectContaining({ name: 'UnknownOperationException' }),
    );
  });
});

describe('access to the KMS emulation', () => {
  const call = async (more: Record<string, string>, text = '{}', method = 'POST') => {
    const content = method === 'POST' ? { body: text } : {};
    const { host } = new URL(service.endpoint);
    const headers = { 'x-amz-target': 'TrentService.Decrypt', ...more };
    const signed = await signedHeaders({ service: 'kms', host, path: '/', method, headers, ...content });
    return fetch(service.endpoint, { method, headers: signed, ...content });
  };

  test('rejects a request without a signature', async () => {
    const headers = { 'x-amz-target': 'TrentService.Decrypt' };
    expect((await fetch(service.endpoint, { method: 'POST', headers, body: '{}' })).status).toBe(403);
  });

  test('rejects a request of a web page, which has an Origin header', async () => {
    expect((await call({ origin: 'https://evil.example' })).status).toBe(403);
  });

  test('rejects a request with a foreign Host header, as after DNS rebinding', async () => {
    const status = await new Promise((resolve, reject) => {
      request(service.endpoint, { method: 'POST', headers: { host: 'evil.example' } }, (response) =>
        resolve(response.statusCode),
      )
        .on('error', reject)
        .end('{}');
    });
    expect(status).toBe(403);
  });

  test('returns an error for another service, another method, or a body that is not a JSON object', async () => {
    expect((await call({ 'x-amz-target': 'DynamoDB_20120810.GetItem' })).status).toBe(404);
    expect((await call({}, '', 'GET')).status).toBe(404);
    expect(await (await call({}, 'no json')).json()).toMatchObject({ __type: 'SerializationException' });
    expect(await (await call({}, 'null')).json()).toMatchObject({ __type: 'ValidationException' });
  });
});

describe('master key of the data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is created once, is readable by its owner only, and decrypts older secrets after a restart', async () => {
    const first = openDataFolder(join(folder, 'data'));
    const created = first.readMasterKey();
    expect(created).toHaveLength(32);
    expect(statSync(first.paths.masterKey).mode & 0o777).toBe(0o600);
    first.release();
    const second = openDataFolder(join(folder, 'data'));
    expect(second.readMasterKey()).toEqual(created);
    second.release();

    const { CiphertextBlob, Plaintext: encrypted } = await generate();
    const restarted = await startKeyService(masterKey);
    const { Plaintext } = await restarted.client.send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: context }),
    );
    expect(Plaintext).toEqual(encrypted);
    await restarted.stop();
  });

  test('stops the start when the file is damaged, because a new key could not decrypt older secrets', () => {
    const { paths, readMasterKey, release } = openDataFolder(join(folder, 'damaged'));
    writeFileSync(paths.masterKey, 'x');
    expect(readMasterKey).toThrow('master.key is not a key');
    release();
  });
});
