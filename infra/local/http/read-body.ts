import type { IncomingMessage } from 'node:http';

/**
 * A body that is too large is read up to this multiple of the limit, because many clients read the response only after
 * they have sent the whole body.
 */
const DISCARD_FACTOR = 8;

/**
 * Reads the whole body of a request.
 * @param limit largest body, in bytes.
 * @returns undefined when the body is larger than the limit.
 * @throws when the client closes the connection, or the body is many times larger than the limit.
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (size > limit * DISCARD_FACTOR) {
      request.destroy();
      throw new RangeError('the body is many times larger than the limit');
    }
  }
  return size <= limit ? Buffer.concat(chunks, size) : undefined;
};
