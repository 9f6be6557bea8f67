import { type Logger, messages } from '../../logging/log.ts';
import { recordsAddresses } from '../../runtime/environment.ts';
import type { HttpRequest } from '../request.ts';

/** Reports the first use of the token of a request, if it is not recorded yet. */
export interface FirstUseStore {
  readonly identities: {
    readonly reportFirstUse: (
      digest: string,
      request: { readonly id: string; readonly address?: string },
    ) => Promise<void>;
  };
}

interface ReportFirstUseOptions {
  readonly logger: Logger;
  /** Not needed by functions that authenticate nobody. */
  readonly store?: FirstUseStore | undefined;
  /** Whether the report contains the source address. */
  readonly hasAddresses?: boolean;
}

/**
 * Reports the first use of a token (AUTH-21) once the response is decided, whatever it is. A report that fails does not
 * fail the request: the next request with the token repeats it.
 */
export const reportFirstUse =
  ({ logger, store, hasAddresses = recordsAddresses() }: ReportFirstUseOptions) =>
  async ({ event, internal: { digest } }: HttpRequest): Promise<void> => {
    if (store === undefined || digest === undefined) return;
    const { requestId: id, http } = event.requestContext;
    try {
      await store.identities.reportFirstUse(digest, { id, ...(hasAddresses && { address: http.sourceIp }) });
    } catch (error) {
      logger.warn(messages.FIRST_USE_UNREPORTED, { requestId: id, error: error as Error });
    }
  };
