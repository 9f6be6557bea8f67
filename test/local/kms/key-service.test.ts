import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DecryptCommand, DescribeKeyCommand, EncryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../../infra/local/service/data-folder.ts';
import { secretBytes } from '../../../shared/lib/random.ts';
import { keyArnOf, startKeyService, type TestKeyService } from '../../support/api/key-service.ts';

const masterKey = secretBytes(32);
let service: TestKeyService;
beforeAll(async () => {
  service = await startKeyService(masterKey);
});
afterAll(() => service.stop());

const context = { a: '1', b: '2' };
const encrypt = (text: string, EncryptionContext: Record<string, string> = context) =>
  service.client.send(new EncryptCommand({ KeyId: service.keyArn, Plaintext: Buffer.from(text), EncryptionContext }));
const decrypt = (CiphertextBlob: Uint8Array | undefined, EncryptionContext: Record<string, string>, KeyId?: string) =>
  service.client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, KeyId }));

describe('the local key service speaks to the SDK as KMS does', () => {
  test('what it encrypts, it decrypts: in the same context, in any order', async () => {
    const { CiphertextBlob, KeyId } = await encrypt('text');
    expect(KeyId).toBe(service.keyArn);
    const opened = await decrypt(CiphertextBlob, { b: '2', a: '1' });
    expect(opened.KeyId).toBe(service.keyArn);
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('text');
  });

  test('a data key comes in the clear and encrypted, of the length that was asked for', async () => {
    for (const [asked, length] of [
      [{ NumberOfBytes: 64 }, 64],
      [{ KeySpec: 'AES_256' as const }, 32],
      [{ KeySpec: 'AES_128' as const }, 16],
    ] as const) {
      const made = await service.client.send(
        new GenerateDataKeyCommand({ KeyId: service.keyArn, EncryptionContext: context, ...asked }),
      );
      expect(made.Plaintext).toHaveLength(length);
      const opened = await decrypt(made.CiphertextBlob, context, service.keyArn);
      expect(opened.Plaintext).toEqual(made.Plaintext);
    }
  });

  test.each([
    ['another context', { a: '1' }, undefined],
    ['no context', {}, undefined],
    ['another key', context, keyArnOf('other')],
  ])('%s opens nothing', async (_, other, key) => {
    const { CiphertextBlob } = await encrypt('text');
    await expect(decrypt(CiphertextBlob, other, key)).rejects.toThrow(
      expect.objectContaining({ name: 'InvalidCiphertextException' }),
    );
  });

  test('what is no ciphertext, or was changed, is not opened', async () => {
    const { CiphertextBlob = new Uint8Array() } = await encrypt('text');
    for (const blob of [Buffer.from('x'), Uint8Array.from(CiphertextBlob, (byte) => byte ^ 1)]) {
      await expect(decrypt(blob, context)).rejects.toThrow(
        expect.objectContaining({ name: 'InvalidCiphertextException' }),
      );
    }
  });

  test('refuses by the names that KMS has for it', async () => {
    const { client, keyArn: KeyId } = service;
    const refusals = [
      [new EncryptCommand({ KeyId: 'unknown', Plaintext: Buffer.from('x') }), 'NotFoundException'],
      [new EncryptCommand({ KeyId, Plaintext: secretBytes(4_097) }), 'ValidationException'],
      [new EncryptCommand({ KeyId, Plaintext: undefined }), 'ValidationException'],
      [new GenerateDataKeyCommand({ KeyId }), 'ValidationException'],
      [new GenerateDataKeyCommand({ KeyId, NumberOfBytes: 1_025 }), 'ValidationException'],
    ] as const;
    for (const [command, name] of refusals) {
      await expect(client.send(command as EncryptCommand)).rejects.toThrow(expect.objectContaining({ name }));
    }
    await expect(client.send(new DescribeKeyCommand({ KeyId }))).rejects.toThrow(
      expect.objectContaining({ name: 'UnknownOperationException' }),
    );
  });
});

describe('it answers programs on this computer only', () => {
  const call = (headers: Record<string, string>, body = '{}', method = 'POST') =>
    fetch(service.endpoint, {
      method,
      headers: { 'x-amz-target': 'TrentService.Decrypt', ...headers },
      ...(method === 'POST' && { body }),
    });

  test('a page in a browser, which sends an Origin, is refused', async () => {
    expect((await call({ origin: 'https://evil.example' })).status).toBe(403);
  });

  test('a name that leads here by DNS, with its own Host, is refused', async () => {
    const status = await new Promise((resolve, reject) => {
      request(service.endpoint, { method: 'POST', headers: { host: 'evil.example' } }, (answer) =>
        resolve(answer.statusCode),
      )
        .on('error', reject)
        .end('{}');
    });
    expect(status).toBe(403);
  });

  test('what is none of its calls is not answered', async () => {
    expect((await call({ 'x-amz-target': 'DynamoDB_20120810.GetItem' })).status).toBe(404);
    expect((await call({}, '', 'GET')).status).toBe(404);
    expect(await (await call({}, 'no json')).json()).toMatchObject({ __type: 'SerializationException' });
    expect(await (await call({}, 'null')).json()).toMatchObject({ __type: 'ValidationException' });
  });
});

describe('the master key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is made once, for its owner only, and stays: what was sealed before a restart is opened after it', async () => {
    const first = openDataFolder(join(folder, 'data'));
    const made = first.readMasterKey();
    expect(made).toHaveLength(32);
    expect(statSync(join(first.path, 'master.key')).mode & 0o777).toBe(0o600);
    first.release();
    const second = openDataFolder(join(folder, 'data'));
    expect(second.readMasterKey()).toEqual(made);
    second.release();

    const { CiphertextBlob } = await encrypt('text');
    const again = await startKeyService(masterKey);
    const { Plaintext } = await again.client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: context }));
    expect(Buffer.from(Plaintext ?? []).toString()).toBe('text');
    await again.stop();
  });

  test('that is none stops the start: what it had sealed would be lost with another', () => {
    const { path, readMasterKey, release } = openDataFolder(join(folder, 'damaged'));
    writeFileSync(join(path, 'master.key'), 'x');
    expect(readMasterKey).toThrow('master.key is not a key');
    release();
  });
});
