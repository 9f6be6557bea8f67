import type { IncomingMessage } from 'node:http';

/** Reads what is too large to its end, so that the client gets to read the refusal; but not for ever. */
const PATIENCE = 8;

/** The whole body of a request; undefined when it is larger than the limit. Rejects when the client goes away. */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (size > limit * PATIENCE) {
      request.destroy();
      throw new RangeError('the body does not end');
    }
  }
  return size <= limit ? Buffer.concat(chunks, size) : undefined;
};
