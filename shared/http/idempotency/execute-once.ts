import { createHmac } from 'node:crypto';
import { authenticate } from '../../access/authorize/caller.ts';
import type { AuthorizationReader } from '../../access/authorize/reader.ts';
import { bearerToken } from '../../access/credentials.ts';
import type { RequestContext } from '../../domain/changes/change-context.ts';
import { DomainError, type ErrorCode, isNotFound } from '../../domain/errors.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Document } from '../../jsonapi/document.ts';
import type { Route } from '../../routes/index.ts';
import type { HttpEvent } from '../request.ts';
import { findFinished, type StoredResponse } from './find-finished.ts';
import type { Replay } from './replays.ts';

/** Stored form of a request with an `Idempotency-Key`. */
interface Command {
  readonly principal: string;
  readonly id: string;
  readonly fingerprint: string;
}

/** Store of the requests that were sent with a key, and the means to authorize a request again. */
export interface IdempotencyStore extends AuthorizationReader {
  readonly commands: {
    readonly begin: (
      command: Command,
      start: { readonly attempt: string; readonly request: string },
    ) => Promise<{
      readonly state: 'new' | 'resumed' | 'running' | 'complete' | 'other';
      readonly request?: string;
      readonly isRejected?: true;
      readonly answer?: unknown;
    }>;
    readonly finish: (command: Command, answer: unknown) => Promise<unknown>;
    readonly release: (command: Command, attempt: string, isRejected: boolean) => Promise<void>;
  };
  /** Runs an operation up to its first write, which is not sent. */
  readonly withoutWrites: (work: () => Promise<unknown>) => Promise<void>;
}

/** Status and document of a successful response. */
export interface Outcome {
  readonly status: number;
  readonly document: Document | undefined;
}

/** The operation of a request that is executed once, and the operation that shows its record. */
export interface Execution {
  readonly event: HttpEvent;
  readonly digest: string;
  readonly route: Route;
  readonly replay: Replay | undefined;
  /**
   * Executes the operation.
   * @param id request id, under which it recognizes the writes of an earlier attempt.
   * @param attempt absent if the operation is executed only to check the rights of the caller.
   */
  readonly execute: (id: string, attempt?: RequestContext['attempt']) => Promise<Outcome>;
  readonly show: (replay: Replay, parameters: Readonly<Record<string, string>>) => Promise<Document>;
}

/** Errors that are not stored, because the same request may succeed later (HTTP-38). */
const transient: readonly ErrorCode[] = ['unauthorized', 'not-found', 'unavailable'];

const isStored = (error: unknown): error is DomainError =>
  error instanceof DomainError && !transient.includes(error.code);

/**
 * Builds the identity of a request. Both hashes are keyed with the text of the token, which is not stored anywhere, so that
 * nobody can guess a value in the body from the table.
 */
const identify = ({ event, digest }: Execution, key: string): Command => {
  const { rawPath, rawQueryString, requestContext, headers, body = '', isBase64Encoded } = event;
  const hash = (...parts: readonly (string | Buffer)[]): string => {
    const hmac = createHmac('sha256', bearerToken(headers['authorization']) ?? digest);
    for (const part of parts) hmac.update(part).update('\n');
    return hmac.digest('base64url');
  };
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return {
    principal: 'token',
    id: hash('key', key),
    fingerprint: hash('request', requestContext.http.method, rawPath, rawQueryString, bytes),
  };
};

const resourceIn = (document: Document | undefined) =>
  document === undefined || Array.isArray(document.data)
    ? undefined
    : (document.data as Exclude<Document['data'], readonly unknown[]>);

const responseToStore = ({ status, document }: Outcome, replay: Replay | undefined): StoredResponse => {
  const resource = resourceIn(document);
  const secret = replay?.secret === undefined ? undefined : resource?.attributes[replay.secret];
  return {
    status,
    ...(resource && { id: resource.id }),
    ...(resource && document?.meta && { meta: document.meta }),
    ...(secret !== undefined && secret !== null && { secret: true }),
  };
};

const errorToStore = ({ code, detail, source, entityTag, meta }: DomainError): StoredResponse => ({
  error: {
    code,
    ...(detail !== undefined && { detail }),
    ...(source && { source }),
    ...(entityTag !== undefined && { entityTag }),
    ...(meta && { meta }),
  },
});

/** Shows the record of a stored response. @param id id of the resource in the response. */
const showRecord = ({ event, show }: Execution, replay: Replay, id: string | undefined): Promise<Document> => {
  const { parameter } = replay;
  const parameters = { ...event.pathParameters, ...(parameter && id && { [parameter]: id }) };
  return show(replay, parameters as Readonly<Record<string, string>>);
};

/** Builds the response to a repeated request from the stored one and the present record. */
const outcomeOf = async (execution: Execution, { status, id, meta }: StoredResponse): Promise<Outcome> => {
  const { route, replay } = execution;
  const document = replay && (await showRecord(execution, replay, id));
  return {
    status: status ?? route.status,
    document: document === undefined || meta === undefined ? document : { ...document, meta },
  };
};

/**
 * Executes a request of automation again under its request id, after an attempt without a result (AUTO-4). Operations
 * recognize what that attempt has created or changed.
 */
export const executeAgain = async (store: IdempotencyStore, execution: Execution): Promise<Outcome> => {
  const { event, route, execute } = execution;
  const request = event.requestContext.requestId;
  try {
    return await execute(request, 'resumed');
  } catch (error) {
    const finished = await findFinished(store, { event, route, request }, error);
    if (finished === undefined) throw error;
    return outcomeOf(execution, finished);
  }
};

/**
 * Checks the rights of the caller as the operation does. The first request may itself be the reason why its target is no
 * longer found: it deleted or restored it, or changed the name in the path.
 */
const authorizeAgain = async (
  { withoutWrites }: IdempotencyStore,
  { route: { method, path }, execute }: Execution,
  request: string,
  { error }: StoredResponse,
): Promise<void> => {
  const isTargetGone =
    method === 'DELETE' || /\/\{name\}|\/(safe-delete|restore|recover|permanently-delete)$/.test(path);
  try {
    await withoutWrites(() => execute(request));
  } catch (rejection) {
    if (isStored(rejection) && rejection.code !== 'forbidden') return;
    if (!isNotFound(rejection) || error !== undefined || !isTargetGone) throw rejection;
  }
};

/** Executes a request with an `Idempotency-Key`, or returns the response to an earlier one with that key (HTTP-37). */
export const executeOnce = async (store: IdempotencyStore, key: string, execution: Execution): Promise<Outcome> => {
  const { event, digest, route, replay, execute } = execution;
  const { commands } = store;
  const { requestId } = event.requestContext;
  // A request with an invalid token leaves no item.
  await authenticate(store, digest);
  const command = identify(execution, key);
  const {
    state,
    request = requestId,
    isRejected = false,
    answer,
  } = await commands.begin(command, { attempt: requestId, request: requestId });

  const repeat = async (stored: StoredResponse): Promise<Outcome> => {
    await authorizeAgain(store, execution, request, stored);
    const { id, secret, error } = stored;
    if (error) {
      const { code, detail, ...particulars } = error;
      throw new DomainError(code, detail, particulars);
    }
    if (secret) {
      throw new DomainError(
        'conflict',
        'The first response to this Idempotency-Key showed a secret, which is not stored. meta names what was created.',
        { meta: { id } },
      );
    }
    return outcomeOf(execution, stored);
  };

  if (state === 'other') {
    const detail = 'The Idempotency-Key was used for another request within the last day. Use a new key.';
    throw new DomainError('unprocessable', detail);
  }
  if (state === 'running') {
    const detail = 'The first request with this Idempotency-Key is still running. Try again shortly.';
    throw new DomainError('conflict', detail, { retryAfter: 1 });
  }
  if (state === 'complete') return repeat(answer as StoredResponse);

  /** Stores a response. @returns whether it is the first one of this request. */
  const keep = async (stored: StoredResponse): Promise<StoredResponse | undefined> => {
    const kept = await commands.finish(command, stored);
    return JSON.stringify(kept) === JSON.stringify(stored) ? undefined : (kept as StoredResponse);
  };

  /** Returns the response of an attempt that created its record and crashed; undefined if there is no such record. */
  const findCreated = async (): Promise<StoredResponse | undefined> => {
    if (state !== 'resumed' || replay?.creates === undefined) return undefined;
    try {
      const document = await showRecord(execution, replay, derivedId(replay.creates, request));
      const { status } = route;
      return {
        ...responseToStore({ status, document }, undefined),
        ...(replay.secret !== undefined && { secret: true }),
      };
    } catch (error) {
      // The operation itself decides about callers who may not read the record.
      if (error instanceof DomainError && error.code !== 'unavailable') return undefined;
      throw error;
    }
  };

  let outcome: Outcome;
  try {
    const created = await findCreated();
    if (created !== undefined) return repeat((await keep(created)) ?? created);
    outcome = await execute(request, state === 'new' ? 'first' : 'resumed');
  } catch (error) {
    const isResumed = state === 'resumed';
    const finished = isResumed ? await findFinished(store, { event, route, request, isRejected }, error) : undefined;
    if (finished !== undefined) return repeat((await keep(finished)) ?? finished);
    if (!isStored(error)) {
      // An attempt that is not released counts as crashed, and is resumed later.
      const isCertain = error instanceof DomainError && error.code !== 'unavailable';
      await commands.release(command, requestId, isCertain && (state === 'new' || isRejected)).catch(() => undefined);
      throw error;
    }
    const earlier = await keep(errorToStore(error));
    if (earlier) return repeat(earlier);
    throw error;
  }
  const earlier = await keep(responseToStore(outcome, replay));
  return earlier ? repeat(earlier) : outcome;
};
