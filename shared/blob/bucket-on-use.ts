import { startEarly } from '../lib/start-early.ts';
import type { Bucket } from './bucket.ts';

/** Loads the bucket with the client of S3. */
const loadBucket = () => import('./bucket.ts');

/** Starts to load the client of S3, for a request that will use the bucket. A failure is thrown by the use. */
export const preloadBucket = (): void => {
  startEarly(loadBucket());
};

/**
 * Opens the bucket with this name when it is first used, for functions of which most requests do not use it: the client of
 * S3 makes their cold starts slower.
 * @param presignedOrigin see `openBucket`.
 */
export const openBucketOnUse = (name: string, presignedOrigin?: string): Bucket => {
  let bucket: Bucket | undefined;
  const open = async (): Promise<Bucket> => {
    const { openBucket } = await loadBucket();
    bucket ??= openBucket(name, {}, presignedOrigin);
    return bucket;
  };
  return {
    uploadUrl: async (...parameters) => (await open()).uploadUrl(...parameters),
    downloadUrl: async (...parameters) => (await open()).downloadUrl(...parameters),
    put: async (...parameters) => (await open()).put(...parameters),
    copy: async (...parameters) => (await open()).copy(...parameters),
    find: async (...parameters) => (await open()).find(...parameters),
    read: async (...parameters) => (await open()).read(...parameters),
    remove: async (...parameters) => (await open()).remove(...parameters),
    removeWithVersions: async (...parameters) => (await open()).removeWithVersions(...parameters),
    removeVersion: async (...parameters) => (await open()).removeVersion(...parameters),
  };
};
