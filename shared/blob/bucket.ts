import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { unavailable } from '../domain/errors.ts';
import { isTransientError } from '../lib/transient-errors.ts';

/** A version of an object. */
export interface StoredObject {
  readonly version: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Blob storage for content that is too large for the table. Objects are versioned, so each version can be read as it was
 * written. Methods throw DomainError 503 if S3 is not available.
 */
export interface Bucket {
  /** Creates a presigned URL for an upload without `Authorization` header, valid for a number of seconds. */
  readonly uploadUrl: (key: string, seconds: number) => Promise<string>;
  /** Creates a presigned URL for a download, valid for a number of seconds. */
  readonly downloadUrl: (key: string, version: string | undefined, seconds: number) => Promise<string>;
  /** Writes a new version of an object. */
  readonly put: (key: string, content: Uint8Array) => Promise<StoredObject>;
  /** Copies a version to a new version of another object; undefined if the version does not exist. */
  readonly copy: (from: string, version: string, to: string) => Promise<string | undefined>;
  /** Returns the newest version; undefined if the object does not exist. */
  readonly find: (key: string) => Promise<StoredObject | undefined>;
  /** Reads the content of a version as a stream. */
  readonly read: (key: string, version: string) => Promise<AsyncIterable<Uint8Array>>;
  /** Deletes an object. Its versions can be restored until the bucket expires them. */
  readonly remove: (key: string) => Promise<void>;
  /** Deletes an object with all its versions permanently. */
  readonly removeWithVersions: (key: string) => Promise<void>;
  /** Deletes a version permanently. */
  readonly removeVersion: (key: string, version: string) => Promise<void>;
}

/** Timeouts of one attempt. The second one limits the silence of the connection, not the duration of a transfer. */
const CONNECTION_MILLISECONDS = 1_000;
const SILENCE_MILLISECONDS = 5_000;

/** Converts transient errors of S3 to the 503 error. */
const toFailure = (error: unknown) =>
  isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;

const send = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
};

/** Converts errors of the stream: a connection can break in the middle of the content. */
const convertErrors = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw toFailure(error);
  }
};

/**
 * Opens the bucket with this name. Only this module uses the S3 client.
 * @param presignedOrigin origin of presigned URLs, if clients do not reach the endpoint of S3 that functions use.
 */
export const openBucket = (name: string, configuration: S3ClientConfig = {}, presignedOrigin?: string): Bucket => {
  const settings: S3ClientConfig = {
    maxAttempts: 3,
    requestHandler: { connectionTimeout: CONNECTION_MILLISECONDS, requestTimeout: SILENCE_MILLISECONDS },
    // By default, the client signs the checksum of an empty body into every URL, and S3 then rejects the upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...configuration,
  };
  const client = new S3Client(settings);
  const presigner =
    presignedOrigin === undefined
      ? client
      : new S3Client({ ...settings, endpoint: presignedOrigin, forcePathStyle: true });
  const requireVersion = ({ VersionId }: { readonly VersionId?: string | undefined }): string => {
    if (VersionId === undefined) throw new TypeError(`The bucket ${name} is not versioned`);
    return VersionId;
  };

  return {
    uploadUrl: (Key, expiresIn) => getSignedUrl(presigner, new PutObjectCommand({ Bucket: name, Key }), { expiresIn }),

    downloadUrl: (Key, VersionId, expiresIn) =>
      getSignedUrl(presigner, new GetObjectCommand({ Bucket: name, Key, VersionId }), { expiresIn }),

    put: (Key, Body) =>
      send(async () => {
        const output = await client.send(new PutObjectCommand({ Bucket: name, Key, Body }));
        return { version: requireVersion(output), size: Body.length };
      }),

    copy: (from, version, Key) =>
      send(async () => {
        const CopySource = `${name}/${from}?versionId=${encodeURIComponent(version)}`;
        try {
          return requireVersion(await client.send(new CopyObjectCommand({ Bucket: name, Key, CopySource })));
        } catch (error) {
          const isMissing = error instanceof NoSuchKey || (error as Error).name === 'NoSuchVersion';
          if (isMissing) return undefined;
          throw error;
        }
      }),

    find: (Key) =>
      send(async () => {
        try {
          const output = await client.send(new HeadObjectCommand({ Bucket: name, Key }));
          return { version: requireVersion(output), size: output.ContentLength ?? 0 };
        } catch (error) {
          if (error instanceof NotFound) return undefined;
          throw error;
        }
      }),

    read: (Key, VersionId) =>
      send(async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key, VersionId }));
        return convertErrors(Body as unknown as AsyncIterable<Uint8Array>);
      }),

    remove: async (Key) => {
      await send(() => client.send(new DeleteObjectCommand({ Bucket: name, Key })));
    },

    removeWithVersions: async (key) => {
      let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
      while (from !== undefined) {
        const page: ListObjectVersionsCommandOutput = await send(() =>
          client.send(new ListObjectVersionsCommand({ Bucket: name, Prefix: key, ...from })),
        );
        const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
        const found = [...Versions, ...DeleteMarkers].filter(({ Key }) => Key === key);
        await Promise.all(
          found.map(({ VersionId }) =>
            send(() => client.send(new DeleteObjectCommand({ Bucket: name, Key: key, VersionId }))),
          ),
        );
        from = IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
      }
    },

    removeVersion: async (Key, VersionId) => {
      await send(() => client.send(new DeleteObjectCommand({ Bucket: name, Key, VersionId })));
    },
  };
};
