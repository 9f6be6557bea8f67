import { readStateKey, statesPrefix } from '../../shared/blob/blob-keys.ts';
import { openSigned } from '../../shared/lib/signed-request.ts';
import { readService } from '../../shared/runtime/environment.ts';

const READ_MILLISECONDS = 5_000;

const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';

/**
 * Opens the list of the object versions with the state of a workspace, without their JSON forms. Keys and versions consist of
 * characters that XML does not escape. The list throws an error if S3 does not respond.
 */
export const openStateList = (bucket: string) => {
  const objects = openSigned('s3', readService('S3'));
  return async (workspace: string) => {
    const found: { id: string; createdAt: number; key: string; version: string }[] = [];
    let markers: Readonly<Record<string, string>> | undefined = {};
    while (markers !== undefined) {
      const query: Readonly<Record<string, string>> = { versions: '', prefix: statesPrefix(workspace), ...markers };
      const place = { host: `${bucket}.s3`, path: '/', pathPrefix: `/${bucket}` };
      const xml = String((await objects({ method: 'GET', ...place, query }, READ_MILLISECONDS)).content);
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
};
