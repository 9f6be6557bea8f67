import { createHash } from 'node:crypto';
import { Failure, usageError } from '../../failure.ts';
import { type SendToBucket, textOf } from './s3-requests.ts';

/** Version of an object, or a delete marker. */
export interface ObjectVersion {
  /** `null` where the bucket had no versions when it was stored. */
  readonly id: string;
  readonly isDeleted: boolean;
  /** Time as ISO 8601 writes it. */
  readonly modified: string;
  readonly size: number;
  readonly etag: string;
  readonly storageClass: string;
}

/** Object with all of its versions, the newest first. */
export interface ListedObject {
  readonly key: string;
  readonly versions: readonly ObjectVersion[];
}

/** Which version of an object is read, and how much of it. */
interface Selection {
  /** Absent: the current one. */
  readonly versionId?: string | undefined;
  /** Entity tag that the version must have. */
  readonly etag?: string | undefined;
  /** Number of bytes from the start. */
  readonly first?: number | undefined;
}

/** Result of a conditional write. */
export type Written = 'written' | 'refused';

/** Objects of a bucket. All methods throw a `Failure`, and repeat requests while S3 is busy or does not respond. */
export interface Bucket {
  /**
   * Lists the objects with a prefix in the order of their keys, with all versions.
   * @param onWithoutVersions called with the reason if only the current versions can be listed.
   */
  readonly list: (prefix: string, onWithoutVersions: (reason: Denied) => Promise<void>) => AsyncGenerator<ListedObject>;
  /** Reads an object. @returns undefined if it does not exist, or has another entity tag. */
  readonly get: (key: string, selection?: Selection) => Promise<Response | undefined>;
  /** Writes an object if the condition in the headers is met. */
  readonly put: (key: string, body: Uint8Array, headers: Readonly<Record<string, string>>) => Promise<Written>;
  readonly remove: (key: string) => Promise<void>;
}

/** Why versions cannot be listed: the caller may not, or the server has none. */
export type Denied = 'not-permitted' | 'not-offered';

const toVersion = (xml: string, isDeleted: boolean): ObjectVersion => ({
  id: textOf(xml, 'VersionId') ?? 'null',
  isDeleted,
  modified: textOf(xml, 'LastModified') ?? '',
  size: Number(textOf(xml, 'Size') ?? 0),
  etag: textOf(xml, 'ETag') ?? '',
  storageClass: textOf(xml, 'StorageClass') ?? 'STANDARD',
});

/** Page of a list. */
interface Page {
  readonly entries: readonly {
    readonly key: string;
    readonly version: ObjectVersion;
    /** Whether it is the newest version of its object. */
    readonly isLatest: boolean;
  }[];
  /** Key at which the next page starts or goes on. */
  readonly next: string | undefined;
}

/** Reads a page of a list. Both kinds of lists are flat, so that no parser of XML is needed. */
const readPage = (xml: string): Page => ({
  entries: [...xml.matchAll(/<(Version|DeleteMarker|Contents)>(.*?)<\/\1>/gs)].map(([, element, entry = '']) => ({
    key: textOf(entry, 'Key') ?? '',
    version: toVersion(entry, element === 'DeleteMarker'),
    isLatest: textOf(entry, 'IsLatest') === 'true',
  })),
  next: textOf(xml, 'NextKeyMarker'),
});

/**
 * Yields the objects of pages with all of their versions. Some servers list delete markers behind all versions of a page, so that the
 * versions of an object need not follow each other.
 */
async function* groupByKey(pages: AsyncIterable<Page>): AsyncGenerator<ListedObject> {
  const open = new Map<string, ObjectVersion[]>();
  for await (const { entries, next } of pages) {
    for (const { key, version, isLatest } of entries) {
      const versions = open.get(key) ?? [];
      open.set(key, versions);
      if (isLatest) versions.unshift(version);
      else versions.push(version);
    }
    for (const [key, versions] of open) {
      if (key === next) continue;
      yield { key, versions };
      open.delete(key);
    }
  }
  for (const [key, versions] of open) yield { key, versions };
}

/** Opens the objects of a bucket. */
export const openBucket = (name: string, request: SendToBucket): Bucket => {
  /**
   * Yields the pages of a list.
   * @param markers names in a page of what the next page starts with, by the parameters that take it.
   * @param onDenied called if the first page is not permitted or not offered. Absent: that is a failure.
   */
  async function* pages(
    query: Readonly<Record<string, string>>,
    markers: Readonly<Record<string, string>>,
    onDenied?: (reason: Denied) => void,
  ): AsyncGenerator<Page> {
    for (let more: Readonly<Record<string, string>> | undefined = {}; more !== undefined; ) {
      const response: Response = await request(
        'GET',
        '',
        { ...query, ...more },
        onDenied === undefined ? [] : [403, 501],
      );
      if (!response.ok) {
        await response.body?.cancel();
        onDenied?.(response.status === 403 ? 'not-permitted' : 'not-offered');
        return;
      }
      const xml = await response.text();
      yield readPage(xml);
      if (textOf(xml, 'IsTruncated') !== 'true') return;
      const found = Object.entries(markers).flatMap(([parameter, element]) => {
        const value = textOf(xml, element);
        return value === undefined ? [] : [[parameter, value] as const];
      });
      if (found.length === 0)
        throw new Failure('failed', `S3 returned a part of the list of ${name}, and not where it goes on.`);
      more = Object.fromEntries(found);
    }
  }

  return {
    async *list(prefix, onWithoutVersions) {
      let denied: Denied | undefined;
      const versionMarkers = { 'key-marker': 'NextKeyMarker', 'version-id-marker': 'NextVersionIdMarker' };
      yield* groupByKey(
        pages({ versions: '', prefix }, versionMarkers, (reason) => {
          denied = reason;
        }),
      );
      if (denied === undefined) return;
      await onWithoutVersions(denied);
      yield* groupByKey(pages({ 'list-type': '2', prefix }, { 'continuation-token': 'NextContinuationToken' }));
    },
    get: async (key, { versionId, etag, first } = {}) => {
      const headers = {
        ...(etag !== undefined && { 'if-match': etag }),
        ...(first !== undefined && { range: `bytes=0-${first - 1}` }),
      };
      const query = versionId === undefined ? {} : { versionId };
      const response = await request('GET', key, query, [404, 412], { headers });
      if (response.ok) return response;
      await response.body?.cancel();
      return undefined;
    },
    put: async (key, body, headers) => {
      const digest = createHash('md5').update(body).digest('base64');
      const content = {
        headers: { 'content-type': 'application/json', 'content-md5': digest, ...headers },
        body,
      };
      const response = await request('PUT', key, {}, [412], content);
      await response.body?.cancel();
      return response.ok ? 'written' : 'refused';
    },
    remove: async (key) => {
      const response = await request('DELETE', key, {}, [404]);
      await response.body?.cancel();
    },
  };
};

/** Reads the name of a bucket and a prefix: `BUCKET/PREFIX`. @throws Failure `usage` for a name that no bucket has. */
export const parsePlace = (place: string): { readonly bucket: string; readonly prefix: string } => {
  const [, bucket = '', prefix = ''] = /^([^/]*)\/?(.*)$/s.exec(place) ?? [];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket)) {
    throw usageError(`"${bucket}" is not the name of a bucket.`, 'Write s3://BUCKET/PREFIX.');
  }
  return { bucket, prefix: prefix.replace(/\/+$/, '') };
};
