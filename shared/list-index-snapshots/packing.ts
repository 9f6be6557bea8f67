import { promisify } from 'node:util';
import { zlib } from '../lib/zlib.ts';
import { SNAPSHOT_FORMAT_VERSION } from '../list-index/columns.ts';

/**
 * The object that holds a snapshot: a header of four 32-bit words (magic number, format version, length and CRC-32 of
 * the uncompressed bytes), then the snapshot compressed with zstd.
 */

const MAGIC = 0x54464c48;
const HEADER_BYTES = 16;
/** Maximum uncompressed size in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Compresses an encoded snapshot and adds the header.
 * @throws RangeError for more than 512 MiB.
 */
export const pack = async (bytes: Uint8Array): Promise<Uint8Array> => {
  if (bytes.length > MAX_BYTES) throw new RangeError(`A snapshot of ${bytes.length} bytes is too large`);
  const { constants, crc32, zstdCompress } = zlib();
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, word] of [MAGIC, SNAPSHOT_FORMAT_VERSION, bytes.length, crc32(bytes)].entries())
    header.writeUInt32LE(word, 4 * index);
  const params = { [constants.ZSTD_c_compressionLevel]: 3 };
  return Buffer.concat([header, await promisify(zstdCompress)(bytes, { params })]);
};

/** Returns the encoded snapshot; undefined if the object is damaged or has another format version. */
export const unpack = async (object: Buffer): Promise<Uint8Array | undefined> => {
  if (object.length < HEADER_BYTES) return undefined;
  const [magic, version, length = 0, checksum] = [0, 4, 8, 12].map((at) => object.readUInt32LE(at));
  if (magic !== MAGIC || version !== SNAPSHOT_FORMAT_VERSION || length > MAX_BYTES) return undefined;
  const { crc32, zstdDecompress } = zlib();
  try {
    const bytes = await promisify(zstdDecompress)(object.subarray(HEADER_BYTES), {
      maxOutputLength: Math.max(1, length),
    });
    return bytes.length === length && crc32(bytes) === checksum ? bytes : undefined;
  } catch {
    return undefined;
  }
};
