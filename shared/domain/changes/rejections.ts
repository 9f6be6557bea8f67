import type { ChangeRecordBase } from './change-context.ts';

/** Action of the entry that a rejected request leaves where the setting `auditRefusals` is on. There is no such event. */
export const REQUEST_REJECTED = 'request.refused';

/** Operation, response status and path of a rejected request (HIST-18). */
export interface RejectedRequest {
  /** Id of the route, such as `workspaces.lock`. */
  readonly operation: string;
  readonly status: number;
  /** Path without the query, cut at `PATH_LENGTH` characters. */
  readonly path: string;
}

/** Stored form of a rejected request. */
export interface Rejection extends ChangeRecordBase<typeof REQUEST_REJECTED>, RejectedRequest {
  readonly organization: string;
}

/** Length to which paths are cut. */
export const PATH_LENGTH = 512;
/** Maximum number of rejections that are recorded for each token and minute. */
export const REJECTIONS_PER_MINUTE = 20;
