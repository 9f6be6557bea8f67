import type { AuthorizationReader } from '../../access/authorize/reader.ts';
import { type DomainError, type ErrorCode, isNotFound, type Source } from '../../domain/errors.ts';
import type { Document } from '../../jsonapi/document.ts';
import type { Route } from '../../routes/index.ts';
import type { HttpEvent } from '../request.ts';

/** Stored response: everything else is built from the present record. */
export interface StoredResponse {
  readonly status?: number;
  /** Id of the resource in the document. */
  readonly id?: string;
  /** Facts about the change that the record does not show, such as what a restored workspace has lost. */
  readonly meta?: NonNullable<Document['meta']>;
  /** True if the first response showed a secret. */
  readonly secret?: true;
  readonly error?: {
    readonly code: ErrorCode;
    readonly detail?: string;
    readonly source?: Source;
    readonly entityTag?: string;
    readonly meta?: Readonly<Record<string, unknown>>;
  };
}

/** A request that is executed again under the same request id, because an earlier attempt had no result. */
interface ResumedRequest {
  readonly event: Pick<HttpEvent, 'pathParameters'>;
  readonly route: Pick<Route, 'method' | 'path' | 'status' | 'body'>;
  /** Request id. */
  readonly request: string;
  /** True if the earlier attempt was rejected, so that it has changed nothing. */
  readonly isRejected?: boolean;
}

/**
 * Returns the response of an attempt that deleted or restored its workspace: the next one does not find its target.
 * Undefined if the latest change of the workspace is another one, except after the restoration.
 */
const findMoved = async (
  store: Pick<AuthorizationReader, 'workspaces'>,
  { event, route, request }: ResumedRequest,
): Promise<StoredResponse | undefined> => {
  const { workspace_id: id } = event.pathParameters ?? {};
  if (id === undefined) return undefined;
  const workspace = await store.workspaces.find(id);
  const isRestored = workspace?.deletedAt === undefined && workspace?.restoration?.request === request;
  // Only the first attempt knew what a restored workspace has lost.
  return isRestored || workspace?.change.request === request ? { status: route.status, id, meta: {} } : undefined;
};

/**
 * Returns the response of an attempt that deleted what its path names. A name or a body can be wrong for other reasons, and
 * a workspace knows the request of its deletion. A caller without the permission is rejected as ever.
 */
const findDeleted = (
  { route: { method, path, status, body }, isRejected = false }: ResumedRequest,
  { isAccessDenied }: DomainError,
): StoredResponse | undefined => {
  const isDeletion = method === 'DELETE' && status === 204 && body === undefined;
  const isNamedById = !/\{name\}|\{workspace_id\}$/.test(path);
  return isDeletion && isNamedById && !isRejected && !isAccessDenied ? { status } : undefined;
};

/**
 * Returns the response of an earlier attempt that was executed, but had no result; undefined if there was none (AUTO-4,
 * HTTP-38).
 * @param error with which the next attempt failed: only what an attempt has deleted or restored is not found.
 */
export const findFinished = async (
  store: Pick<AuthorizationReader, 'workspaces'>,
  resumed: ResumedRequest,
  error: unknown,
): Promise<StoredResponse | undefined> => {
  if (!isNotFound(error)) return undefined;
  return (await findMoved(store, resumed)) ?? findDeleted(resumed, error);
};
