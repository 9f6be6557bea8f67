import { afterEach, expect, it, vi } from 'vitest';
import { openEncryption, preloadEncryption } from '../../shared/encryption/encrypt.ts';

vi.mock('../../shared/encryption/encryption-library.ts', () => {
  throw new Error('the file is missing');
});
const unhandled = vi.fn();
process.on('unhandledRejection', unhandled);
afterEach(() => void process.off('unhandledRejection', unhandled));

it('rejects the encryption if the library cannot be loaded, and ignores a failure of the early load', async () => {
  preloadEncryption();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unhandled).not.toHaveBeenCalled();
  await expect(openEncryption('arn:aws:kms:eu-central-1:111122223333:key/1')('secret', {})).rejects.toThrow();
});
