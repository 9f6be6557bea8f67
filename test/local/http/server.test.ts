import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../../infra/local/http/server.ts';

it('ends a request whose body is not complete after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const handler = vi.fn();
  server.serve(handler, undefined, () => {
    // The body is read after this call returns.
    setImmediate(resolve);
    return true;
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\nfirst');
  await received;
  await vi.advanceTimersByTimeAsync(59_999);
  expect(socket.bytesRead).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close\r\n/i);
  expect(handler).not.toHaveBeenCalled();
});
