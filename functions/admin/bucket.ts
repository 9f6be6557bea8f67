import { readStateKey, statesPrefix } from '../../shared/blob/blob-keys.ts';
import { retry } from '../../shared/lib/retry.ts';
import { openSigned } from '../../shared/lib/signed-request.ts';
import { isTransientError } from '../../shared/lib/transient-errors.ts';
import { readService } from '../../shared/runtime/environment.ts';
import type { AdminOptions } from './dependencies.ts';

const READ_MILLISECONDS = 5_000;
/** Timeout of an attempt to write an object of a few megabytes. */
const WRITE_MILLISECONDS = 15_000;
const ATTEMPTS = 3;

const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';

/** Opens what the admin commands do with objects in the bucket. It throws the last error if S3 does not respond. */
export const openObjects = (bucket: string) => {
  const send = openSigned('s3', readService('S3'));
  const place = { host: `${bucket}.s3`, pathPrefix: `/${bucket}` };

  /**
   * Lists the object versions with the state of a workspace, without their JSON forms. Keys and versions consist of
   * characters that XML does not escape.
   */
  const listStates = async (workspace: string) => {
    const found: { id: string; createdAt: number; key: string; version: string }[] = [];
    let markers: Readonly<Record<string, string>> | undefined = {};
    while (markers !== undefined) {
      const query: Readonly<Record<string, string>> = { versions: '', prefix: statesPrefix(workspace), ...markers };
      const xml = String((await send({ method: 'GET', ...place, path: '/', query }, READ_MILLISECONDS)).content);
      for (const [, element = ''] of xml.matchAll(/<Version>(.*?)<\/Version>/gs)) {
        const [key, version] = [textIn(element, 'Key'), textIn(element, 'VersionId')];
        const parsed = readStateKey(key);
        if (parsed !== undefined) found.push({ id: parsed.id, createdAt: parsed.createdAt, key, version });
      }
      markers =
        textIn(xml, 'IsTruncated') === 'true'
          ? { 'key-marker': textIn(xml, 'NextKeyMarker'), 'version-id-marker': textIn(xml, 'NextVersionIdMarker') }
          : undefined;
    }
    return found;
  };

  /** Writes a part of an exported history. */
  const storeExport: NonNullable<AdminOptions['storeExport']> = async (key, body) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    await retry(() => send({ method: 'PUT', ...place, path: `/${key}`, headers, body }, WRITE_MILLISECONDS), {
      attempts: ATTEMPTS,
      retryOn: isTransientError,
    });
  };

  return { listStates, storeExport };
};
