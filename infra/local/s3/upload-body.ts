import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** An error for a body that does not match the headers of its request, with the error code of S3. */
export class InvalidBodyError extends Error {
  readonly code: 'BadDigest' | 'IncompleteBody' | 'InvalidRequest';

  constructor(code: 'BadDigest' | 'IncompleteBody' | 'InvalidRequest', message: string) {
    super(message);
    this.code = code;
  }
}

type Header = (name: string) => string | undefined;

/** A digest that is computed while the body is read. The value is in base64. */
interface Digest {
  readonly update: (chunk: Buffer) => void;
  readonly value: () => string;
}

const md5Digest = (): Digest => {
  const hash = createHash('md5');
  return { update: (chunk) => void hash.update(chunk), value: () => hash.digest('base64') };
};
const crc32Digest = (): Digest => {
  let value = 0;
  return {
    update: (chunk) => {
      value = crc32(chunk, value);
    },
    value: () => Buffer.from(value.toString(16).padStart(8, '0'), 'hex').toString('base64'),
  };
};

/** The headers with a digest of the body that are verified. */
const digests: Readonly<Record<string, () => Digest>> = {
  'content-md5': md5Digest,
  'x-amz-checksum-crc32': crc32Digest,
};

/**
 * Reads the bytes of an uploaded object. Decodes the encoding `aws-chunked` of the SDK, and verifies the digests in the
 * headers and the trailers.
 * @throws InvalidBodyError after the last chunk when a digest does not match.
 */
export async function* uploadBody(source: AsyncIterable<Buffer>, header: Header): AsyncGenerator<Buffer> {
  const isChunked = (header('x-amz-content-sha256') ?? '').startsWith('STREAMING-');
  const trailerNames = (header('x-amz-trailer') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const names = Object.keys(digests).filter((name) => header(name) !== undefined || trailerNames.includes(name));
  const running = names.map((name): [string, Digest] => [name, (digests[name] as () => Digest)()]);
  const trailers = new Map<string, string>();
  for await (const chunk of isChunked ? decodeChunks(source, trailers) : source) {
    for (const [, digest] of running) digest.update(chunk);
    yield chunk;
  }
  for (const [name, digest] of running) {
    if ((header(name) ?? trailers.get(name)) !== digest.value())
      throw new InvalidBodyError('BadDigest', `The ${name} you specified did not match what we received.`);
  }
}

const MAX_LINE_LENGTH = 8_192;

/**
 * Decodes chunks of the form `<size in hex>[;extensions]\r\n<bytes>\r\n`. The last chunk has the size 0; trailers follow
 * it.
 */
async function* decodeChunks(source: AsyncIterable<Buffer>, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk that have not been read yet; undefined while a line is read. */
  let remaining: number | undefined;
  let isAtEnd = false;
  for await (const part of source) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    while (rest.length > 0) {
      if (remaining !== undefined && remaining > 0) {
        const bytes = rest.subarray(0, remaining);
        remaining -= bytes.length;
        rest = rest.subarray(bytes.length);
        yield bytes;
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) {
        if (rest.length > MAX_LINE_LENGTH)
          throw new InvalidBodyError('InvalidRequest', 'The chunked encoding of the body is not valid.');
        break;
      }
      const line = rest.subarray(0, end).toString('latin1');
      rest = rest.subarray(end + 2);
      // The empty line after the bytes of a chunk.
      if (remaining === 0) remaining = undefined;
      else if (isAtEnd) {
        const [name = '', value = ''] = line.split(/:(.*)/s);
        if (name !== '') trailers.set(name.toLowerCase(), value.trim());
      } else {
        const size = Number.parseInt(line, 16);
        if (Number.isNaN(size))
          throw new InvalidBodyError('InvalidRequest', 'The chunked encoding of the body is not valid.');
        if (size === 0) isAtEnd = true;
        else remaining = size;
      }
    }
  }
  if (!isAtEnd) throw new InvalidBodyError('IncompleteBody', 'The body ended before its last chunk.');
}
