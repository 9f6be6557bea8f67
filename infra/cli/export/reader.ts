import { isDeepStrictEqual } from 'node:util';
import { isTransient } from '../../../shared/client/errors.ts';
import type { ApiRequest } from '../../../shared/client/request.ts';
import type { Reply } from '../../../shared/client/send.ts';
import { createSemaphore } from '../../../shared/lib/concurrency.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

interface ListDocument<T> {
  readonly data: readonly T[];
  readonly meta?: { readonly pagination?: { readonly 'next-page'?: number | null } | undefined } | undefined;
}

/** Describes the request of one page of a list. */
export type ListRequest<T> = (page: number) => ApiRequest<ListDocument<T>>;

/** Reads from the service for a long time: it waits where a single command would end. */
export interface Reader {
  readonly read: <D>(request: ApiRequest<D>) => Promise<Reply<D>>;
  /** Reads a request that may be 403 or 404. @returns undefined then. */
  readonly readOptional: <D>(request: ApiRequest<D>) => Promise<Reply<D> | undefined>;
  readonly pages: Api['pages'];
  /** Reads all pages of a list, whose items fit into memory. */
  readonly list: <T>(request: ListRequest<T>) => Promise<readonly T[]>;
  /** Reads a list that may be 403 or 404. @returns undefined then. */
  readonly listOptional: <T>(request: ListRequest<T>) => Promise<readonly T[] | undefined>;
  /**
   * Passes the content of a download to `store`, again from the start after a fault.
   * @returns undefined if it is 403 or 404.
   */
  readonly download: <R>(
    request: ApiRequest,
    store: (content: AsyncIterable<Uint8Array>) => Promise<R>,
  ) => Promise<R | undefined>;
}

/** Requests under way at once. */
const CONCURRENCY = 16;
/** Attempts after those of a single command. */
const ATTEMPTS = 8;
const LONGEST_PAUSE = 60_000;

/** Returns whether an error means that the caller may not read something, or that it does not exist. */
const isMissing = (error: unknown): boolean =>
  error instanceof Failure && (error.details.status === 404 || error.details.status === 403);

const optional = async <R>(response: Promise<R>): Promise<R | undefined> => {
  try {
    return await response;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/**
 * Opens a reader.
 * @param faults attempts with which a request is given up that the service responds to with the status 500.
 */
export const openReader = ({ wait, signal, stderr }: Io, api: Pick<Api, 'lookUp' | 'download'>, faults = 1): Reader => {
  const place = createSemaphore(CONCURRENCY);

  /** Waits as long as the service says, or ever longer, while it is busy or does not respond. */
  const patiently = async <R>(run: () => Promise<R>): Promise<R> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await place(run);
      } catch (error) {
        const { cause, status } = error instanceof Failure ? error.details : {};
        if (!isTransient(cause) || attempt >= (status === 500 ? faults : ATTEMPTS)) throw error;
        const { retryAfter = 0 } = cause as { readonly retryAfter?: number };
        const pause = Math.min(Math.max(retryAfter * 1_000, 1_000 * 2 ** attempt), LONGEST_PAUSE);
        stderr.write(`${(error as Failure).message} The next attempt is in ${pause / 1_000} s.\n`);
        await wait(pause, signal);
      }
    }
  };

  const read: Reader['read'] = (request) => patiently(() => api.lookUp(request));
  const pages: Reader['pages'] = async function* (request) {
    for (let page: number | null = 1; page !== null; ) {
      const { document }: Reply<ListDocument<unknown>> = await read(request(page));
      yield document as never;
      page = document.meta?.pagination?.['next-page'] ?? null;
    }
  };
  const list: Reader['list'] = async <T>(request: ListRequest<T>) => {
    const items: T[] = [];
    for await (const { data } of pages<T, ListDocument<T>>(request)) items.push(...data);
    return items;
  };
  return {
    read,
    pages,
    readOptional: (request) => optional(read(request)),
    list,
    listOptional: (request) => optional(list(request)),
    download: (request, store) => optional(patiently(() => store(api.download(request)))),
  };
};

/** Readings of a list until two in a row agree. */
const READINGS = 5;

const settle = async <T>(read: () => Promise<T>): Promise<T> => {
  let former = await read();
  for (let reading = 2; reading <= READINGS; reading += 1) {
    const found = await read();
    if (isDeepStrictEqual(found, former)) break;
    former = found;
  }
  return former;
};

/**
 * Makes a reader read each list until two readings in a row agree, because items move between its pages while others are created and
 * deleted.
 */
export const settling = (reader: Reader): Reader => ({
  ...reader,
  list: (request) => settle(() => reader.list(request)),
  listOptional: (request) => settle(() => reader.listOptional(request)),
});
