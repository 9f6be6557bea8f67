import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../shared/domain/errors.ts';
import { createDecryption } from '../../shared/encryption/decrypt.ts';
import { type Encrypt, openEncryption } from '../../shared/encryption/encrypt.ts';
import { keyArnFromName, startKeyService, type TestKeyService } from '../support/api/key-service.ts';

const context = { workspace: 'ws-1111111111111111', variable: 'var-2222222222222222' };
const secret = 'correct horse battery staple';

const environment = (endpoint: string): void => {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
};

let service: TestKeyService;
let encrypt: Encrypt;
beforeAll(async () => {
  service = await startKeyService();
});
beforeEach(() => {
  environment(service.endpoint);
  encrypt = openEncryption(service.keyArn);
  service.requested();
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => service.stop());

/** Replaces a text in bytes by another one of the same length. */
const exchange = (bytes: Uint8Array, from: string, to: string): Uint8Array => {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(from);
  expect(at).toBeGreaterThan(0);
  copy.write(to, at);
  return copy;
};

describe('an encrypted text', () => {
  it.each([
    ['text', secret],
    ['the empty text', ''],
    ['characters of one to four bytes', 'ä€𝄞\u0000'],
    ['256 KiB', 'x'.repeat(256 * 1024)],
  ])('can be decrypted in its context: %s', async (_, text) => {
    const ciphertext = await encrypt(text, context);
    expect(await service.open(ciphertext, context)).toBe(text);
    // Room for it in an item of 400 KB.
    expect(ciphertext.length).toBeLessThan(Buffer.byteLength(text) + 4_096);
  });

  it('commits to its key and needs one call, which generates a data key', async () => {
    const ciphertext = await encrypt(secret, context);
    // Message format 2, AES-256-GCM with HKDF and key commitment, unsigned.
    expect([...ciphertext.subarray(0, 3)]).toEqual([0x02, 0x04, 0x78]);
    expect(service.requested()).toEqual(['GenerateDataKey']);
  });

  it('differs each time and never contains the plain text', async () => {
    const [one, two] = await Promise.all([encrypt(secret, context), encrypt(secret, context)]);
    expect(Buffer.from(one).equals(two)).toBe(false);
    expect(Buffer.from(one).includes(secret)).toBe(false);
  });

  it('cannot be decrypted in another context, even if its own is rewritten', async () => {
    const ciphertext = await encrypt(secret, context);
    const { workspace, variable } = context;
    await expect(service.open(ciphertext, { workspace })).rejects.toThrow('another context');
    await expect(service.open(ciphertext, { ...context, variable: 'var-3333333333333333' })).rejects.toThrow();
    await expect(service.open(ciphertext, { ...context, more: 'x' })).rejects.toThrow();
    const moved = exchange(ciphertext, workspace, 'ws-9999999999999999');
    await expect(service.open(moved, { workspace: 'ws-9999999999999999', variable })).rejects.toThrow();
  });

  it('cannot be decrypted with another key', async () => {
    const ciphertext = await encrypt(secret, context);
    await expect(
      createDecryption([keyArnFromName('other')], () => service.client)(ciphertext, context),
    ).rejects.toThrow();
    const stranger = await startKeyService();
    await expect(stranger.open(ciphertext, context)).rejects.toThrow();
    await stranger.stop();
  });

  it('can be decrypted with a further key, in the region of that key', async () => {
    const ciphertext = await encrypt(secret, context);
    const regions: string[] = [];
    const decrypt = createDecryption(['arn:aws:kms:eu-west-1:000000000000:key/other', service.keyArn], (region) => {
      regions.push(region);
      return service.client;
    });
    expect(await decrypt(ciphertext, context)).toBe(secret);
    expect(await decrypt(ciphertext, context)).toBe(secret);
    expect(regions).toEqual(['eu-central-1']);
  });

  it('cannot be decrypted after any change of its bytes', async () => {
    const ciphertext = await encrypt(secret, context);
    const places = [0, 2, 20, Math.floor(ciphertext.length / 2), ciphertext.length - 1];
    for (const place of places) {
      const changed = Uint8Array.from(ciphertext, (byte, index) => (index === place ? byte ^ 1 : byte));
      await expect(service.open(changed, context), `byte ${place}`).rejects.toThrow();
    }
  });
});

describe('when the key service', () => {
  const failing = async (status: number, body: object, work: (calls: () => number) => Promise<void>): Promise<void> => {
    let calls = 0;
    const server = createServer((_, response) => {
      calls++;
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    environment(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await work(() => calls);
    server.closeAllConnections();
    server.close();
  };
  const failure = () => openEncryption(service.keyArn)(secret, context).catch((error: unknown) => error);

  it.each([
    ['fails', 500, { __type: 'KMSInternalException' }],
    ['throttles', 400, { __type: 'ThrottlingException' }],
  ])('%s, two attempts are made and the client may retry', async (_, status, body) => {
    await failing(status, body, async (calls) => {
      const error = await failure();
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1 });
      expect(calls()).toBe(2);
    });
  });

  it('cannot be reached, the client may retry', async () => {
    environment('http://127.0.0.1:1');
    expect(await failure()).toMatchObject({ code: 'unavailable' });
  });

  it('denies access, the error is unexpected and does not contain the text', async () => {
    await failing(400, { __type: 'AccessDeniedException', message: 'not you' }, async () => {
      const error = await failure();
      expect(error).not.toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ name: 'AccessDeniedException' });
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(secret);
    });
  });
});
