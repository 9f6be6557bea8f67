import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fingerprints, openFingerprints } from '../../shared/encryption/fingerprint.ts';
import { keyArnFromName, startKeyService, type TestKeyService } from '../support/api/key-service.ts';

const subject = { owner: 'ws-1111111111111111', id: 'var-2222222222222222', value: 'correct horse battery staple' };

let service: TestKeyService;
let fingerprints: Fingerprints;
let stored: string;
beforeAll(async () => {
  service = await startKeyService();
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', service.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  fingerprints = openFingerprints(service.macKeyArn);
  stored = await fingerprints.compute(subject);
});
beforeEach(() => void service.requested());
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.stop();
});

describe('openFingerprints', () => {
  it('a fingerprint is computed with one request to KMS and has the same short form for any value', async () => {
    for (const value of ['', subject.value, 'ä€𝄞\u0000', 'x'.repeat(256 * 1024)]) {
      expect(await fingerprints.compute({ ...subject, value })).toMatch(/^[0-9a-f]{8}\.[\w-]{43}$/);
      expect(service.requested()).toEqual(['GenerateMac']);
    }
  });

  it('a fingerprint is the same each time, also in another instance', async () => {
    expect(await fingerprints.compute({ ...subject })).toBe(stored);
    expect(await openFingerprints(service.macKeyArn).compute(subject)).toBe(stored);
  });

  it.each([
    ['another workspace', { ...subject, owner: 'ws-1111111111111112' }],
    ['another variable', { ...subject, id: 'var-2222222222222223' }],
    ['another value', { ...subject, value: 'correct horse battery stable' }],
    ['parts with other boundaries', { ...subject, id: `${subject.id}c`, value: subject.value.slice(1) }],
  ])('differs for %s', async (_, other) => {
    expect(await fingerprints.compute(other)).not.toBe(stored);
    expect(await fingerprints.verify(stored, other)).toBe(false);
  });

  it('a fingerprint is verified against the value that it was computed from', async () => {
    expect(await fingerprints.verify(stored, subject)).toBe(true);
  });

  it('a fingerprint of another key cannot be verified, and KMS is not called for it', async () => {
    const other = openFingerprints(keyArnFromName('other-fingerprints'));
    expect(await other.compute(subject)).not.toBe(stored);
    service.requested();
    expect(await other.verify(stored, subject)).toBeUndefined();
    expect(service.requested()).toEqual([]);
  });

  it('cannot be computed with a key for encryption', async () => {
    await expect(openFingerprints(service.keyArn).compute(subject)).rejects.toThrow('GENERATE_VERIFY_MAC');
  });
});
