import { ApiError, OtherServer } from '../../../../shared/client/errors.ts';
import { showOrganization } from '../../../../shared/client/organizations.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import { showCurrentState } from '../../../../shared/client/state-versions.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { type Api, openApi } from '../../api.ts';
import { explainNotFound, Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { TfeAddress } from './address.ts';
import { isHoldfast, normalizeDocument, pathOf, type Resource, rewriteRequest } from './dialect.ts';
import { limitRate } from './rate-limit.ts';

/** The organization of a source. */
export interface SourceOrganization {
  /** Whether the server is Holdfast. */
  readonly isHoldfast: boolean;
  /** Whether the caller may change the organization, and therefore see everything in it. */
  readonly isOwner: boolean;
  readonly resource: Schemas['Organization'];
}

/** A connection to the server of a source, whose documents are those of Holdfast. */
export interface Connection {
  readonly address: TfeAddress;
  readonly organization: () => Promise<SourceOrganization>;
  /** Sends requests to the server. */
  readonly api: Pick<Api, 'send' | 'download' | 'upload'>;
  /** Downloads from a URL that the server has named. Another host gets no token. */
  readonly downloadUrl: (url: string) => AsyncGenerator<Uint8Array>;
}

const PRODUCT = 'HCP Terraform';
const OPTIONS = { isShown: false, product: PRODUCT };
const PREFIX = '/api/v2';
const DISCOVERY = '/.well-known/terraform.json';

/** Runs a function with the first call. A failure is not kept. */
const once = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run().catch((error) => {
      result = undefined;
      throw error;
    });
    return result;
  };
};

/** Replaces the hints of the command line, which are about Holdfast. */
const explain = ({ host, token }: TfeAddress, error: unknown): unknown => {
  if (!(error instanceof Failure)) return error;
  const hint =
    error.exit === 'notAuthenticated'
      ? `Set HOLDFAST_SOURCE_TOKEN to a token of ${host}. The present one is from ${token.source}.`
      : error.exit === 'failed' && error.details.status === undefined
        ? `Check that ${host} is the right host, and that it can be reached.`
        : error.details.hint;
  return new Failure(error.exit, error.message, { ...error.details, hint });
};

/** Finds the path of the API as terraform does. Without a discovery document, it is that of HCP Terraform. */
const findPrefix = async (api: Api, { origin, host, organization }: TfeAddress): Promise<string> => {
  let document: { readonly 'tfe.v2'?: unknown } | null | undefined;
  try {
    ({ document } = await api.lookUp<typeof document>({ method: 'GET', url: DISCOVERY, isRedirected: true }));
  } catch (error) {
    const { cause, status } = error instanceof Failure ? error.details : {};
    if (status === undefined && !(cause instanceof OtherServer)) throw error;
  }
  const path = document?.['tfe.v2'];
  if (typeof path !== 'string' || !URL.canParse(path, origin)) return PREFIX;
  const url = new URL(path, origin);
  if (url.origin === origin) return url.pathname.replace(/\/$/, '');
  throw new Failure('usage', `${host} says that its API is at ${url.host}, which is another host.`, {
    hint: `Import from tfe://${url.host}/${organization}.`,
  });
};

/** Opens a connection. Nothing is sent before it is used. */
export const connect = (io: Io, address: TfeAddress, rate: number): Connection => {
  const { origin, host, organization, token } = address;
  const source = `the address tfe://${host}/${organization}`;
  const service = { host, origin, source, token: token.token, tokenSource: token.source };
  const limited = { ...io, fetch: limitRate(io, origin, rate) };
  const raw = openApi(limited, async () => service, OPTIONS);

  const prefix = once(() => findPrefix(raw, address));
  const place = async <D>(request: ApiRequest<D>): Promise<ApiRequest<D>> => ({
    ...request,
    url: request.url.replace(PREFIX, await prefix()),
  });

  /** @param type type of the resource, if only one is possible. */
  const normalize = <D>({ method, url }: ApiRequest<D>, document: D, type?: string): D => {
    const normal = normalizeDocument(document);
    const found = (normal?.data as Partial<Resource> | null | undefined)?.type;
    if (normal !== undefined && (type === undefined || type === found)) return normal as D;
    throw new Failure('failed', `${host} does not respond like ${PRODUCT}: the document is not one of its API.`, {
      request: `${method} ${url}`,
    });
  };

  /** Sends a request, and converts the document of the response. */
  const convert = async <D>(request: ApiRequest<D>): Promise<Reply<D>> => {
    const { document, etag } = await raw.send(await place(rewriteRequest(request)));
    return { document: document === undefined ? document : normalize(request, document), etag };
  };

  const readOrganization = once(async (): Promise<SourceOrganization> => {
    const request = showOrganization(organization);
    try {
      const { document } = await explainNotFound(
        raw.send(await place(request)),
        `There is no organization "${organization}" at ${host}, or the token may not see it.`,
      );
      const { data: resource } = normalize(request, structuredClone(document), 'organizations');
      const isOwn = isHoldfast(resource);
      return {
        isHoldfast: isOwn,
        isOwner: resource.attributes.permissions['can-update'],
        resource: isOwn ? document.data : resource,
      };
    } catch (error) {
      throw explain(address, error);
    }
  });

  /** Adds what other servers say at another place. */
  const complete = async (document: unknown, url: string): Promise<void> => {
    if (!/^\/api\/v2\/workspaces\/[^/]+$/.test(pathOf(url))) return;
    const { relationships } = (document as { readonly data: Resource }).data;
    const { 'current-state-version': current } = relationships;
    if (current.data !== undefined) return;
    const id = pathOf(url).split('/').at(-1) ?? '';
    try {
      current.data = (await convert(showCurrentState(id))).document.data;
    } catch (error) {
      if (!(error instanceof Failure) || error.details.status !== 404) throw error;
      current.data = null;
    }
  };

  const send: Api['send'] = async (request) => {
    const { isHoldfast: isOwn } = await readOrganization();
    try {
      if (isOwn) return await raw.send(await place(request));
      const reply = await convert(request);
      if (request.method === 'GET') await complete(reply.document, request.url);
      return reply;
    } catch (error) {
      throw explain(address, error);
    }
  };

  const downloadUrl: Connection['downloadUrl'] = async function* (text) {
    const url = new URL(text, origin);
    const target = { ...service, origin: url.origin, host: url.host };
    const api = url.origin === origin ? raw : openApi(io, async () => ({ ...target, token: null }), OPTIONS);
    yield* api.download({ method: 'GET', url: url.pathname + url.search, isRedirected: true });
  };

  return {
    address,
    organization: readOrganization,
    api: {
      send,
      download: async function* (request) {
        yield* raw.download(await place(request));
      },
      upload: raw.upload,
    },
    downloadUrl,
  };
};

/** Returns whether a server does not know a path at all. What it knows and hides has an error object. */
export const isUnknownPath = (error: unknown): boolean => {
  if (!(error instanceof Failure)) return false;
  const { status, cause } = error.details;
  return status === 405 || (status === 404 && cause instanceof ApiError && cause.errors.length === 0);
};
