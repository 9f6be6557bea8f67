import type { ApiRequest } from '../../../../shared/client/request.ts';
import { type ListRequest, openReader, type Reader } from '../../export/reader.ts';
import { Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { NotCarried } from '../source.ts';
import { type Connection, isUnknownPath } from './connection.ts';
import { isOwnEndpoint, pathOf } from './dialect.ts';

/** Attempts of a request that a server responds to with the status 500. */
const FAULTS = 6;
/** Readings of a list until it has as many items as the server says. */
const READINGS = 5;
/** Parts of a workspace without which an import is not one. They are never "not offered". */
const essential = /\/(vars|state-versions|workspaces)$/;

interface ListDocument {
  readonly data: readonly { readonly id?: string }[];
  readonly meta?: { readonly pagination?: Readonly<Record<string, unknown>> };
}

const statusOf = (error: unknown): number | undefined => (error instanceof Failure ? error.details.status : undefined);

/** Replaces names and ids in a path, so that it names an endpoint. */
const endpointOf = (url: string): string => pathOf(url).replace(/^(\/api\/v2\/[^/]+)\/[^/]+/, '$1/*');

/** Returns the path of the resource to which a list belongs. */
const ownerOf = (url: string): string | undefined => {
  const [, type, id] = /filter(?:\[|%5B)(workspace|project)(?:\]|%5D)(?:\[|%5B)id(?:\]|%5D)=([^&]+)/.exec(url) ?? [];
  if (type !== undefined) return `/api/v2/${type}s/${id}`;
  return /^\/api\/v2\/[^/]+\/[^/]+(?=\/)/.exec(url)?.[0];
};

/** A reader of a source. */
export interface SourceReader extends Reader {
  /** Reads the names of the items of a list by their ids, in little memory. */
  readonly listNames: <T extends { readonly attributes: { readonly name: string } }>(
    request: ListRequest<T>,
  ) => Promise<Map<string, string>>;
}

/**
 * Opens a reader of a source. A list is read again while items move between its pages. One that the server does not offer at all is
 * empty, and noted once.
 */
export const openSourceReader = (
  io: Io,
  { address, api, organization }: Connection,
  note: (item: NotCarried) => Promise<void>,
): SourceReader => {
  const base = openReader(io, { lookUp: api.send, download: api.download }, FAULTS);
  /** Endpoints that the server does not have. */
  const missing = new Set<string>();

  /** Reads what is kept of the items of a list, by their ids. */
  const collect = async <T, R>(request: ListRequest<T>, keep: (item: T) => R): Promise<Map<string, R>> => {
    let former: string | undefined;
    for (let reading = 1; ; reading += 1) {
      const items = new Map<string, R>();
      let total: unknown;
      for await (const { data, meta } of base.pages<T, never>(request as never) as AsyncGenerator<ListDocument>) {
        for (const item of data) items.set(item.id || `${items.size}`, keep(item as T));
        total = meta?.pagination?.['total-count'];
      }
      const ids = [...items.keys()].join();
      if (typeof total !== 'number' || total === items.size || ids === former || reading === READINGS) return items;
      former = ids;
    }
  };
  const readAll = async <T>(request: ListRequest<T>): Promise<readonly T[]> => [
    ...(await collect(request, (item) => item)).values(),
  ];

  /** Returns whether the server does not have an endpoint, which a resource of its own or a right may hide as well. */
  const isNotOffered = async (error: unknown, url: string): Promise<boolean> => {
    if (essential.test(pathOf(url))) return false;
    if (isUnknownPath(error)) return true;
    if (statusOf(error) !== 404 || !(await organization()).isOwner) return false;
    const owner = ownerOf(url);
    if (owner === undefined) return false;
    return (
      owner.startsWith('/api/v2/organizations/') ||
      (await base.readOptional({ method: 'GET', url: owner })) !== undefined
    );
  };

  const noteNotOffered = async (url: string): Promise<void> => {
    const endpoint = endpointOf(url);
    if (missing.has(endpoint)) return;
    missing.add(endpoint);
    const [, , , owner = '', ...rest] = endpoint.split('/');
    const type = rest.at(-1) ?? owner;
    const detail = `${address.host} does not offer ${type}${rest.length > 0 ? ` of ${owner}` : ''}.`;
    await note({ type, name: address.organization, reason: 'not-offered', detail });
  };

  const listOptional = async <T>(request: ListRequest<T>): Promise<readonly T[] | undefined> => {
    const { url } = request(1);
    if (missing.has(endpointOf(url))) return [];
    if (isOwnEndpoint(url) && !(await organization()).isHoldfast) return [];
    try {
      return await readAll(request);
    } catch (error) {
      if (await isNotOffered(error, url)) {
        await noteNotOffered(url);
        return [];
      }
      if (statusOf(error) === 403 || statusOf(error) === 404) return undefined;
      throw error;
    }
  };

  return {
    ...base,
    readOptional: async <D>(request: ApiRequest<D>) => {
      const endpoint = endpointOf(request.url);
      if (missing.has(endpoint)) return undefined;
      try {
        const reply = await base.read(request);
        return (reply.document as { readonly data?: unknown }).data === null ? undefined : reply;
      } catch (error) {
        if (isUnknownPath(error) && ownerOf(request.url) !== undefined) missing.add(endpoint);
        else if (statusOf(error) !== 403 && statusOf(error) !== 404) throw error;
        return undefined;
      }
    },
    listOptional,
    listNames: (request) => collect(request, ({ attributes: { name } }) => name),
    list: async (request) => {
      const items = await listOptional(request);
      return items ?? readAll(request);
    },
  };
};
