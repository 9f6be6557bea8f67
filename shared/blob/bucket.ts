import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  NotFound,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { unavailable } from '../domain/errors.ts';
import { isTransientError } from '../lib/transient-errors.ts';

/** One version of an object. */
export interface StoredObject {
  readonly version: string;
  /** In bytes. */
  readonly size: number;
}

/** Where what is too large for the table lies. Objects have versions: what was written once can be read as it was. */
export interface Bucket {
  /** A URL to which anybody may write the object, for so many seconds; without an `Authorization` header. */
  readonly uploadUrl: (key: string, seconds: number) => Promise<string>;
  /** A URL from which anybody may read it. */
  readonly downloadUrl: (key: string, version: string | undefined, seconds: number) => Promise<string>;
  readonly put: (key: string, content: Uint8Array) => Promise<StoredObject>;
  /** The newest version; undefined when there is none. */
  readonly find: (key: string) => Promise<StoredObject | undefined>;
  /** The content, as it comes. */
  readonly read: (key: string, version: string) => Promise<AsyncIterable<Uint8Array>>;
  /** Takes an object away; its versions can be brought back for a while. */
  readonly remove: (key: string) => Promise<void>;
  /** Takes an object away with all its versions, for good. */
  readonly removeWhole: (key: string) => Promise<void>;
  /** Takes one version away, for good. */
  readonly removeVersion: (key: string, version: string) => Promise<void>;
}

/** One try, and a large object takes its time between its pieces only. */
const CONNECTION_MILLISECONDS = 1_000;
const SILENCE_MILLISECONDS = 5_000;

/** The only place that knows S3. */
export const openBucket = (name: string, configuration: S3ClientConfig = {}): Bucket => {
  const client = new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: CONNECTION_MILLISECONDS, requestTimeout: SILENCE_MILLISECONDS },
    // Unless asked to, it would sign a checksum of nothing into every URL, and refuse what is uploaded to it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...configuration,
  });
  const toFailure = (error: unknown) =>
    isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error);
    }
  };
  /** Content may also end before it is whole: that is no answer either. */
  const whole = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* content;
    } catch (error) {
      throw toFailure(error);
    }
  };
  const requireVersion = ({ VersionId }: { readonly VersionId?: string | undefined }): string => {
    if (VersionId === undefined) throw new TypeError(`The bucket ${name} keeps no versions`);
    return VersionId;
  };

  return {
    uploadUrl: (Key, expiresIn) => getSignedUrl(client, new PutObjectCommand({ Bucket: name, Key }), { expiresIn }),

    downloadUrl: (Key, VersionId, expiresIn) =>
      getSignedUrl(client, new GetObjectCommand({ Bucket: name, Key, VersionId }), { expiresIn }),

    put: (Key, Body) =>
      ask(async () => {
        const output = await client.send(new PutObjectCommand({ Bucket: name, Key, Body }));
        return { version: requireVersion(output), size: Body.length };
      }),

    find: (Key) =>
      ask(async () => {
        try {
          const output = await client.send(new HeadObjectCommand({ Bucket: name, Key }));
          return { version: requireVersion(output), size: output.ContentLength ?? 0 };
        } catch (error) {
          if (error instanceof NotFound) return undefined;
          throw error;
        }
      }),

    read: (Key, VersionId) =>
      ask(async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key, VersionId }));
        return whole(Body as unknown as AsyncIterable<Uint8Array>);
      }),

    remove: async (Key) => {
      await ask(() => client.send(new DeleteObjectCommand({ Bucket: name, Key })));
    },

    removeWhole: async (key) => {
      let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
      while (from !== undefined) {
        const page: ListObjectVersionsCommandOutput = await ask(() =>
          client.send(new ListObjectVersionsCommand({ Bucket: name, Prefix: key, ...from })),
        );
        const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
        const found = [...Versions, ...DeleteMarkers].filter(({ Key }) => Key === key);
        await Promise.all(
          found.map(({ VersionId }) =>
            ask(() => client.send(new DeleteObjectCommand({ Bucket: name, Key: key, VersionId }))),
          ),
        );
        from = IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
      }
    },

    removeVersion: async (Key, VersionId) => {
      await ask(() => client.send(new DeleteObjectCommand({ Bucket: name, Key, VersionId })));
    },
  };
};
