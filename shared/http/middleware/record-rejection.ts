import { DomainError, isNotFound } from '../../domain/errors.ts';
import { wire } from '../../jsonapi/errors.ts';
import { type Logger, messages } from '../../logging/log.ts';
import { auditsRejections, recordsAddresses } from '../../runtime/environment.ts';
import type { HttpRequest } from '../request.ts';

/** Records rejected requests. */
export interface RejectionStore {
  readonly recordRejection: (
    digest: string,
    attempt: {
      /** False for a 404 of something that does not exist, which leaves no record. */
      readonly isAccessDenied: boolean;
      readonly request: string;
      readonly address?: string;
      readonly organization?: string | undefined;
      readonly operation: string;
      readonly status: number;
      readonly path: string;
    },
  ) => Promise<void>;
}

interface RecordRejectionOptions {
  readonly logger: Logger;
  /** Not needed by functions that authenticate nobody. */
  readonly store?: RejectionStore | undefined;
  /** Value of the setting `auditRefusals`. */
  readonly isOn?: boolean;
  /** Whether entries contain the source address. */
  readonly hasAddresses?: boolean;
}

/**
 * Records a rejected request in the audit trail where the setting `auditRefusals` is on (HIST-18). A 404 for something that
 * does not exist is passed on as well, so that it takes the same time (PERM-21). A record that fails is logged, and changes
 * nothing about the response.
 */
export const recordRejection =
  ({ logger, store, isOn = auditsRejections(), hasAddresses = recordsAddresses() }: RecordRejectionOptions) =>
  async ({ event, error, internal }: HttpRequest): Promise<void> => {
    const { digest, routeId: operation } = internal;
    if (!isOn || !(error instanceof DomainError) || !(error.isAccessDenied || isNotFound(error))) return;
    if (store === undefined || digest === undefined || operation === undefined) return;
    const { requestId: request, http } = event.requestContext;
    const { status } = wire[error.code];
    const { isAccessDenied, rejectedIn: organization } = error;
    const attempt = { isAccessDenied, request, organization, operation, status: Number(status), path: event.rawPath };
    try {
      await store.recordRejection(digest, { ...attempt, ...(hasAddresses && { address: http.sourceIp }) });
    } catch (failure) {
      logger.warn(messages.REJECTION_UNRECORDED, { requestId: request, error: failure as Error });
    }
  };
