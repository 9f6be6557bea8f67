import type { Io, Output } from '../io.ts';
import { formatSize } from './format.ts';

/** Time between two updates, in milliseconds. Work that ends earlier shows nothing. */
const INTERVAL = 500;

/**
 * Adds a line to a terminal that shows how far long work is. Whatever is written to the stream replaces it.
 * @returns the stream without such a line if it is no terminal, because a log would get all of them.
 */
export const withProgress = (stderr: Output, { TERM }: Io['env']): Pick<Io, 'stderr' | 'progress'> => {
  if (stderr.isTTY !== true || TERM === 'dumb') return { stderr, progress: () => undefined };
  let text = '';
  let isVisible = false;
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (isVisible) stderr.write('\r\u001b[K');
    isVisible = false;
  };
  const update = (): void => {
    clear();
    stderr.write(text);
    isVisible = true;
  };
  const write = (...args: Parameters<Output['write']>): boolean => {
    clear();
    return stderr.write(...args);
  };
  return {
    stderr: new Proxy(stderr, {
      get: (stream, name) => {
        if (name === 'write') return write;
        const value: unknown = Reflect.get(stream, name, stream);
        return typeof value === 'function' ? value.bind(stream) : value;
      },
    }),
    progress: (next) => {
      text = next;
      if (text !== '') {
        timer ??= setInterval(update, INTERVAL).unref();
        return;
      }
      clearInterval(timer);
      timer = undefined;
      clear();
    },
  };
};

/** Yields the parts of content, and shows their size as progress. */
export async function* counted<T extends Uint8Array | string>(
  { progress }: Io,
  parts: AsyncIterable<T>,
): AsyncGenerator<T> {
  let size = 0;
  for await (const part of parts) {
    yield part;
    size += part.length;
    progress(formatSize(size));
  }
}
