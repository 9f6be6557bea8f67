import type { Principal, Service } from '../directory/records.ts';
import type { Precondition } from './entity-tags.ts';

/** A request that changes something: its id, and who sent it, with which token and from where. */
export interface RequestContext {
  /** Id that API Gateway gave the request. A service chooses one for each of its changes. */
  readonly id: string;
  readonly principal: Principal | Service;
  /** Id of the token that authenticated the request; absent for runs, services and automation. */
  readonly token?: string;
  /** Source IP address; absent if unknown, or if the setting `historyAddresses` is off. */
  readonly address?: string;
  /** Entity tags that the changed resource may have (EDIT-3); absent if any. */
  readonly precondition?: Precondition;
  /**
   * Attempt of a request with an `Idempotency-Key` (HTTP-37): an earlier one may have written something under the same id.
   * Absent for requests without a key.
   */
  readonly attempt?: 'first' | 'resumed' | undefined;
}

/** Principal of a change, with its name at that time. Records of older releases lack the name. */
export interface Actor {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
}

/**
 * Members of every change record. The write that makes a change stores its record on the changed item, as the attribute
 * `chg`, and increments the counter `seq` of the item.
 */
export interface ChangeRecordBase<T extends string> {
  /** Unique id of the change; also the id of its event and of its entry in the history. */
  readonly id: string;
  readonly type: T;
  readonly actor: Actor;
  /** Time of the change, in milliseconds. */
  readonly at: number;
  /** Id of the request. */
  readonly request: string;
  /** Id of the token that authenticated the request. */
  readonly token?: string;
  /** Source IP address of the request. */
  readonly address?: string;
}

/**
 * Creates the change record that a write leaves on an item.
 * @param id unique id of the change; also the id of its event.
 * @param at time of the change, in milliseconds.
 */
export const createChangeRecord = <T extends string, D extends object>(
  id: string,
  type: T,
  { id: request, principal: { kind, id: actor, name }, token, address }: RequestContext,
  at: number,
  details: D,
): ChangeRecordBase<T> & D => ({
  id,
  type,
  actor: { kind, id: actor, name },
  at,
  request,
  ...(token !== undefined && { token }),
  ...(address !== undefined && { address }),
  ...details,
});

/**
 * Builds the context of a request for its caller.
 * @param address source IP address, if it may be stored.
 * @param precondition entity tags in `If-Match`, if it was sent.
 * @param attempt attempt of a request with an `Idempotency-Key`.
 */
export const createRequestContext = (
  id: string,
  { principal }: Pick<RequestContext, 'principal'>,
  address: string | undefined,
  precondition?: Precondition,
  attempt?: RequestContext['attempt'],
): RequestContext => ({
  id,
  principal,
  ...('token' in principal && principal.token !== undefined && { token: principal.token }),
  ...(address !== undefined && { address }),
  ...(precondition !== undefined && { precondition }),
  ...(attempt !== undefined && { attempt }),
});
