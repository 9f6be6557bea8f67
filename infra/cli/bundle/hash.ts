import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Computes the SHA-256 of a file, in hexadecimal digits. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
};
