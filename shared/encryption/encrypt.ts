import { startEarly } from '../lib/start-early.ts';
import type { Encrypt } from './encryption-library.ts';

export type { Encrypt };

/** Loads the encryption library and the client of KMS. Most requests encrypt nothing, and need neither. */
const loadLibrary = () => import('./encryption-library.ts');

/** Starts to load the encryption library, for a request that will encrypt. A failure is thrown by the encryption. */
export const preloadEncryption = (): void => {
  startEarly(loadLibrary());
};

/** Opens the encryption with a KMS key. @param keyArn ARN of the key. */
export const openEncryption = (keyArn: string): Encrypt => {
  let encrypt: Encrypt | undefined;
  return async (plaintext, context) => {
    const { createEncryption } = await loadLibrary();
    encrypt ??= createEncryption(keyArn);
    return encrypt(plaintext, context);
  };
};
