import { readmeKey } from '../../shared/blob/blob-keys.ts';
import type { Bucket } from '../../shared/blob/bucket.ts';
import { limits } from '../../shared/domain/limits.ts';

/** Creates the reader of README.md objects. It stops as soon as an object exceeds the allowed size. */
export const readmeReader =
  ({ find, read }: Pick<Bucket, 'find' | 'read'>) =>
  async (workspace: string, configurationVersion: string): Promise<string | undefined> => {
    const key = readmeKey(workspace, configurationVersion);
    const object = await find(key);
    if (object === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of await read(key, object.version)) {
      pieces.push(piece);
      size += piece.length;
      if (size > limits.readme) break;
    }
    return Buffer.concat(pieces).toString('utf8');
  };
