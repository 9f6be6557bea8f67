import type { ChangeRecordBase } from './change-context.ts';

/** Action of the entry that a refused request leaves where the setting `auditRefusals` is on. There is no such event. */
export const REQUEST_REFUSED = 'request.refused';

/** Operation, response status and path of a refused request (HIST-18). */
export interface RefusedRequest {
  /** Id of the route, such as `workspaces.lock`. */
  readonly operation: string;
  readonly status: number;
  /** Path without the query, cut at `PATH_LENGTH` characters. */
  readonly path: string;
}

/** A refused request, as it is stored. */
export interface Refusal extends ChangeRecordBase<typeof REQUEST_REFUSED>, RefusedRequest {
  readonly organization: string;
}

/** Length to which paths are cut. */
export const PATH_LENGTH = 512;
/** Maximum number of refusals that are recorded for each token and minute. */
export const REFUSALS_PER_MINUTE = 20;
