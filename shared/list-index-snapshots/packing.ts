import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompress } from 'node:zlib';

/** A snapshot as an object of the bucket: compressed, and told from everything else by what stands before it. */

const MAGIC = 0x54464c48;
/** Grows with every change of what the bytes mean: who reads another one takes it for none. */
const FORMAT = 1;
const HEAD = 16;
/** Bytes that an object may unpack to, at most. */
const LARGEST = 512 * 1024 * 1024;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export const pack = async (bytes: Uint8Array): Promise<Uint8Array> => {
  if (bytes.length > LARGEST) throw new RangeError(`A snapshot of ${bytes.length} bytes is too large`);
  const head = Buffer.alloc(HEAD);
  for (const [index, word] of [MAGIC, FORMAT, bytes.length, crc32(bytes)].entries())
    head.writeUInt32LE(word, 4 * index);
  return Buffer.concat([head, await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })]);
};

/** Undefined for an object that is none, of another format, or not as it was written. */
export const unpack = async (object: Buffer): Promise<Uint8Array | undefined> => {
  if (object.length < HEAD) return undefined;
  const [magic, format, length = 0, sum] = [0, 4, 8, 12].map((at) => object.readUInt32LE(at));
  if (magic !== MAGIC || format !== FORMAT || length > LARGEST) return undefined;
  try {
    const bytes = await decompress(object.subarray(HEAD), { maxOutputLength: Math.max(1, length) });
    return bytes.length === length && crc32(bytes) === sum ? bytes : undefined;
  } catch {
    // Neither is what cannot be decompressed.
    return undefined;
  }
};
