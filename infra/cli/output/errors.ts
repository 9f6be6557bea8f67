import { ApiError } from '../../../shared/client/errors.ts';
import { type ExitName, Failure } from '../failure.ts';
import { withoutControls } from './format.ts';

const byStatus = (status: number): ExitName => {
  if (status === 401) return 'notAuthenticated';
  if (status === 403 || status === 404) return 'notFound';
  if (status === 409 || status === 412) return 'conflict';
  return status < 500 && status !== 429 ? 'rejected' : 'failed';
};

/** Explanations of responses without a detail, by status. */
const explanations: Readonly<Record<number, string>> = {
  401: 'The service rejects the token.',
  403: 'You lack a permission.',
  412: 'Somebody else has changed it since it was read. Nothing was changed.',
  429: 'Too many requests.',
  503: 'The service is busy.',
};

const hints: Readonly<Record<number, string>> = {
  401: 'Run "holdfast auth status" to see which token is used.',
  412: 'Run the command again to change the present revision.',
};

/** Explains a response with status 404. @param request method and URL. */
const explainMissing = (request: string): string => {
  const path = request.replace(/^\S+ (\/api\/v2\/)?/, '').replace(/\?.*/s, '');
  return `${path} does not exist, or you may not see it.`;
};

/**
 * Converts any error to a failure with an exit code.
 * @param request method and URL of the request that failed.
 * @param sentence replaces the explanation of the service.
 */
export const toFailure = (error: unknown, request?: string, sentence?: string): Failure => {
  if (error instanceof Failure) return error;
  if (error instanceof ApiError) {
    const { status, errors, retryAfter } = error;
    const details = errors.flatMap(({ detail }) => (detail === undefined ? [] : [detail]));
    const [first] = errors;
    const explanation =
      status === 404 && request !== undefined
        ? explainMissing(request)
        : (explanations[status] ?? first?.title ?? `The service responded with status ${status}.`);
    return new Failure(byStatus(status), sentence ?? (details.length > 0 ? details.join(' ') : explanation), {
      status,
      request,
      hint: retryAfter === undefined ? hints[status] : `Try again after ${retryAfter} seconds.`,
      pointer: first?.source?.pointer ?? first?.source?.parameter,
      meta: first?.meta,
      cause: error,
    });
  }
  if (error instanceof Error && error.name === 'AbortError') return new Failure('interrupted', 'Interrupted.');
  if (error instanceof TypeError) {
    // For example, the document of another JSON API lacks a member.
    return new Failure('failed', `The response cannot be read. ${error.message}.`, {
      hint: 'Run "holdfast doctor" to see whether the service and this command line fit.',
      request,
      cause: error,
    });
  }
  return new Failure('failed', error instanceof Error ? error.message : String(error), { cause: error });
};

/**
 * Formats a failure for standard error: a sentence with a hint for people, one JSON object for programs. Its names are
 * `code`, `status`, `detail`, `pointer`, `meta`, `hint` and `request`; those without a value are absent.
 */
export const formatFailure = ({ exit, message, details }: Failure, isJson: boolean): string => {
  if (isJson) {
    const { status, pointer, meta, hint, request } = details;
    return `${JSON.stringify({ code: exit, status, detail: message, pointer, meta, hint, request })}\n`;
  }
  const hint = details.hint === undefined ? '' : `\n${withoutControls(details.hint)}`;
  return `Error: ${withoutControls(message)}${hint}\n`;
};
