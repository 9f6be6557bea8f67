import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A body that is not what the request says of it, by the name that S3 has for it. */
export class BodyRefused extends Error {
  readonly code: 'BadDigest' | 'IncompleteBody' | 'InvalidRequest';

  constructor(code: 'BadDigest' | 'IncompleteBody' | 'InvalidRequest', message: string) {
    super(message);
    this.code = code;
  }
}

type Header = (name: string) => string | undefined;

/** A digest that grows with the body, in base64. */
interface Digest {
  readonly update: (chunk: Buffer) => void;
  readonly value: () => string;
}

const ofHash = (hash: Hash): Digest => ({
  update: (chunk) => void hash.update(chunk),
  value: () => hash.digest('base64'),
});
const ofCrc32 = (): Digest => {
  let value = 0;
  return {
    update: (chunk) => {
      value = crc32(chunk, value);
    },
    value: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes.toString('base64');
    },
  };
};

/** The headers that carry a digest of the body, and those of them that can be checked here. */
const digests: Readonly<Record<string, () => Digest>> = {
  'content-md5': () => ofHash(createHash('md5')),
  'x-amz-checksum-crc32': ofCrc32,
  'x-amz-checksum-sha1': () => ofHash(createHash('sha1')),
  'x-amz-checksum-sha256': () => ofHash(createHash('sha256')),
};

/**
 * The bytes of an uploaded object, chunk by chunk, out of what was sent: freed of the SDK's own framing where it has one
 * (`aws-chunked`), and compared with the digests that came with it.
 * @throws BodyRefused at its end, when a digest does not fit.
 */
export async function* uploadBody(source: AsyncIterable<Buffer>, header: Header): AsyncGenerator<Buffer> {
  const isFramed = (header('x-amz-content-sha256') ?? '').startsWith('STREAMING-');
  const announced = (header('x-amz-trailer') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const wanted = Object.keys(digests).filter((name) => header(name) !== undefined || announced.includes(name));
  const running = wanted.map((name): [string, Digest] => [name, (digests[name] as () => Digest)()]);
  const trailers = new Map<string, string>();
  for await (const chunk of isFramed ? unframed(source, trailers) : source) {
    for (const [, digest] of running) digest.update(chunk);
    yield chunk;
  }
  for (const [name, digest] of running) {
    if ((header(name) ?? trailers.get(name)) !== digest.value())
      throw new BodyRefused('BadDigest', `The ${name} you specified did not match what we received.`);
  }
}

const LONGEST_LINE = 8_192;

/** `<size in hex>[;extensions]\r\n<bytes>\r\n`, again and again to the chunk of size 0, which trailers follow. */
async function* unframed(source: AsyncIterable<Buffer>, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk that are still to come; undefined while a line is read. */
  let left: number | undefined;
  let isAtEnd = false;
  for await (const part of source) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    while (rest.length > 0) {
      if (left !== undefined && left > 0) {
        const bytes = rest.subarray(0, left);
        left -= bytes.length;
        rest = rest.subarray(bytes.length);
        yield bytes;
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) {
        if (rest.length > LONGEST_LINE) throw new BodyRefused('InvalidRequest', 'The framing of the body is broken.');
        break;
      }
      const line = rest.subarray(0, end).toString('latin1');
      rest = rest.subarray(end + 2);
      // The end of the bytes of a chunk.
      if (left === 0) left = undefined;
      else if (isAtEnd) {
        const [name = '', value = ''] = line.split(/:(.*)/s);
        if (name !== '') trailers.set(name.toLowerCase(), value.trim());
      } else {
        const size = Number.parseInt(line, 16);
        if (Number.isNaN(size)) throw new BodyRefused('InvalidRequest', 'The framing of the body is broken.');
        if (size === 0) isAtEnd = true;
        else left = size;
      }
    }
  }
  if (!isAtEnd) throw new BodyRefused('IncompleteBody', 'The body ended before its last chunk.');
}
