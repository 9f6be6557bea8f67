import { functionArn } from '../assembly/template.ts';
import type { IncomingRequest } from '../gateway/http-event.ts';
import { type HttpAnswer, jsonAnswer, refuse } from '../gateway/http-response.ts';
import type { JsonService } from '../service/aws-json.ts';
import { header, isFromThisComputer } from '../service/loopback.ts';
import type { Asynchronous } from './asynchronous.ts';
import type { Functions } from './functions.ts';

/** Answers the requests that are for this computer only; undefined for those that are for the API. */
export type LocalControl = (request: IncomingRequest) => Promise<HttpAnswer | undefined>;

const invocations = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** What the workers are doing, for tests. */
const STATISTICS_PATH = '/_local/functions';

interface Controlled {
  readonly functions: Functions;
  readonly asynchronous: Pick<Asynchronous, 'accept' | 'pending'>;
  /** Services that stand in for those of AWS. */
  readonly services: readonly JsonService[];
}

/**
 * Lambda's `Invoke` and the other services of AWS that a program calls with `--endpoint-url`, for `npm run admin`, and
 * the statistics. There is no IAM here, so all are for programs on this computer only.
 */
export const localControlFor =
  (controlled: Controlled): LocalControl =>
  async (request) => {
    for (const service of controlled.services) {
      const answer = await service(request);
      if (answer !== undefined) return answer;
    }
    const name = invocations.exec(request.rawPath)?.[1];
    if (name === undefined && request.rawPath !== STATISTICS_PATH) return undefined;
    if (!isFromThisComputer(request)) return refuse('forbidden');
    const { functions, asynchronous } = controlled;
    if (name === undefined)
      return jsonAnswer(200, { functions: functions.statistics(), pending: asynchronous.pending() });
    return request.method === 'POST' ? invoke(controlled, request, nameIn(name)) : refuse('notFound');
  };

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
/** Of one that is only taken. */
const LARGEST_ASYNCHRONOUS_BYTES = 1024 * 1024;

const invoke = async (
  { functions, asynchronous }: Controlled,
  request: IncomingRequest,
  name: string,
): Promise<HttpAnswer> => {
  const fail = (status: number, type: string, message: string) =>
    jsonAnswer(status, { Type: 'User', message, Message: message }, [
      ['x-amzn-errortype', type],
      ['x-amzn-requestid', request.id],
    ]);
  if (!functions.names.includes(name))
    return fail(404, 'ResourceNotFoundException', `Function not found: ${functionArn(name)}`);
  const type = header(request, 'x-amz-invocation-type') ?? 'RequestResponse';
  const largest = type === 'Event' ? LARGEST_ASYNCHRONOUS_BYTES : LARGEST_EVENT_BYTES;
  if (request.body.length > largest)
    return fail(413, 'RequestTooLargeException', `Request must be smaller than ${largest} bytes`);
  const event = request.body.length === 0 ? '{}' : request.body.toString();
  if (!isJson(event)) return fail(400, 'InvalidRequestContentException', 'Could not parse request body into json');

  const headers: [string, string][] = [
    ['x-amz-executed-version', '$LATEST'],
    ['x-amzn-requestid', request.id],
  ];
  switch (type) {
    case 'DryRun':
      return { status: 204, headers, body: Buffer.alloc(0) };
    case 'Event':
      asynchronous.accept(name, event);
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
