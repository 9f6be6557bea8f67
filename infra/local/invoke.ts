import type { Functions } from './functions.ts';
import { type HttpAnswer, jsonAnswer, refuse } from './http-answer.ts';
import type { IncomingRequest } from './http-event.ts';
import { functionArn } from './template.ts';

/** Answers the requests that are for this computer only; undefined for those that are for the API. */
export type LocalControl = (request: IncomingRequest) => Promise<HttpAnswer | undefined>;

const invocations = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** What the workers are doing, for tests. */
const STATISTICS_PATH = '/_local/functions';

/**
 * Lambda's `Invoke`, for the AWS CLI and SDKs (`--endpoint-url`) and for `npm run admin`, and the statistics.
 * There is no IAM here, so both are for programs on this computer only.
 */
export const localControlFor =
  (functions: Functions): LocalControl =>
  async (request) => {
    const name = invocations.exec(request.rawPath)?.[1];
    if (name === undefined && request.rawPath !== STATISTICS_PATH) return undefined;
    if (!isFromThisComputer(request)) return refuse('forbidden');
    if (name === undefined) return jsonAnswer(200, { functions: functions.statistics() });
    return request.method === 'POST' ? invoke(functions, request, nameIn(name)) : refuse('notFound');
  };

/** A header's value, whatever its case. */
export const header = ({ rawHeaders }: IncomingRequest, wanted: string): string | undefined => {
  const position = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === wanted);
  return position < 0 ? undefined : rawHeaders[position + 1];
};

/**
 * Whether a program on this computer sent it, and not a page in a browser: that sends an Origin or, after DNS rebinding,
 * a Host that is not ours.
 */
export const isFromThisComputer = (request: IncomingRequest): boolean =>
  header(request, 'origin') === undefined &&
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(header(request, 'host') ?? '') &&
  /^(127\.|::1$)/.test(request.sourceIp);

/** A name, a partial or a whole ARN, each with or without a qualifier. */
const nameIn = (segment: string): string => {
  const given = decodeLeniently(segment);
  return /(?:^|:)function:([^:]+)/.exec(given)?.[1] ?? given.split(':', 1)[0] ?? '';
};

const decodeLeniently = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const LARGEST_EVENT_BYTES = 6 * 1024 * 1024;

const invoke = async (functions: Functions, request: IncomingRequest, name: string): Promise<HttpAnswer> => {
  const fail = (status: number, type: string, message: string) =>
    jsonAnswer(status, { Type: 'User', message, Message: message }, [
      ['x-amzn-errortype', type],
      ['x-amzn-requestid', request.id],
    ]);
  if (!functions.names.includes(name))
    return fail(404, 'ResourceNotFoundException', `Function not found: ${functionArn(name)}`);
  if (request.body.length > LARGEST_EVENT_BYTES)
    return fail(413, 'RequestTooLargeException', `Request must be smaller than ${LARGEST_EVENT_BYTES} bytes`);
  const event = request.body.length === 0 ? '{}' : request.body.toString();
  if (!isJson(event)) return fail(400, 'InvalidRequestContentException', 'Could not parse request body into json');

  const headers: [string, string][] = [
    ['x-amz-executed-version', '$LATEST'],
    ['x-amzn-requestid', request.id],
  ];
  switch (header(request, 'x-amz-invocation-type') ?? 'RequestResponse') {
    case 'DryRun':
      return { status: 204, headers, body: Buffer.alloc(0) };
    case 'Event':
      void functions.invoke(name, event);
      return { status: 202, headers, body: Buffer.alloc(0) };
    case 'RequestResponse':
      break;
    default:
      return fail(
        400,
        'InvalidParameterValueException',
        'The invocation type is none of Event, RequestResponse, DryRun',
      );
  }

  const outcome = await functions.invoke(name, event);
  if (outcome.kind === 'throttled') return fail(429, 'TooManyRequestsException', 'Rate Exceeded.');
  if (outcome.kind === 'answered')
    return {
      status: 200,
      headers: [['content-type', 'application/json'], ...headers],
      body: Buffer.from(outcome.payload),
    };
  const { errorType, errorMessage, trace } = outcome;
  return jsonAnswer(200, { errorType, errorMessage, trace }, [...headers, ['x-amz-function-error', 'Unhandled']]);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
