import { functionArn } from '../common/arns.ts';
import type { AwsService } from '../http/aws-service.ts';
import { isFromLocalProgram } from '../http/loopback.ts';
import { gatewayError, getHeader, type HttpResponse, type IncomingRequest, jsonResponse } from '../http/messages.ts';
import type { AsyncInvoker } from './async-invoker.ts';
import { isJson } from './function-log.ts';
import type { Functions } from './functions.ts';

const invokePath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** Path of the statistics of the workers, for tests and for `npm run admin`. */
const STATISTICS_PATH = '/_local/functions';

interface LambdaServiceOptions {
  readonly functions: Functions;
  readonly asyncInvoker: Pick<AsyncInvoker, 'accept' | 'pending'>;
}

/** Creates the emulation of the operation `Invoke` of Lambda. */
export const createLambdaService =
  (options: LambdaServiceOptions): AwsService =>
  (request) => {
    const name = invokePath.exec(request.rawPath)?.[1];
    if (name === undefined) return undefined;
    return async () =>
      request.method === 'POST' ? invoke(options, request, decodeIfValid(name)) : gatewayError('notFound');
  };

/** Creates a handler that returns the statistics of the workers to programs on this computer. */
export const createStatistics =
  ({ functions, asyncInvoker }: LambdaServiceOptions) =>
  (request: IncomingRequest): HttpResponse | undefined => {
    if (request.rawPath !== STATISTICS_PATH) return undefined;
    if (!isFromLocalProgram(request)) return gatewayError('forbidden');
    return jsonResponse(200, { functions: functions.statistics(), pending: asyncInvoker.pending() });
  };

const decodeIfValid = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const MAX_EVENT_BYTES = 6 * 1024 * 1024;
const MAX_ASYNC_EVENT_BYTES = 1024 * 1024;

const invoke = async (
  { functions, asyncInvoker }: LambdaServiceOptions,
  request: IncomingRequest,
  name: string,
): Promise<HttpResponse> => {
  const error = (status: number, type: string, message: string) =>
    jsonResponse(status, { Type: 'User', message, Message: message }, [
      ['x-amzn-errortype', type],
      ['x-amzn-requestid', request.id],
    ]);
  if (!functions.names.includes(name))
    return error(404, 'ResourceNotFoundException', `Function not found: ${functionArn(name)}`);
  const type = getHeader(request, 'x-amz-invocation-type') ?? 'RequestResponse';
  const maxBytes = type === 'Event' ? MAX_ASYNC_EVENT_BYTES : MAX_EVENT_BYTES;
  if (request.body.length > maxBytes)
    return error(413, 'RequestTooLargeException', `Request must be smaller than ${maxBytes} bytes`);
  const event = request.body.length === 0 ? '{}' : request.body.toString();
  if (!isJson(event)) return error(400, 'InvalidRequestContentException', 'Could not parse request body into json');

  const headers: [string, string][] = [
    ['x-amz-executed-version', '$LATEST'],
    ['x-amzn-requestid', request.id],
  ];
  if (type === 'Event') {
    asyncInvoker.accept(name, event);
    return { status: 202, headers, body: Buffer.alloc(0) };
  }
  if (type !== 'RequestResponse')
    return error(400, 'InvalidParameterValueException', 'The invocation type must be Event or RequestResponse');

  const outcome = await functions.invoke(name, event);
  if (outcome.kind === 'throttled') return error(429, 'TooManyRequestsException', 'Rate Exceeded.');
  if (outcome.kind === 'succeeded')
    return {
      status: 200,
      headers: [['content-type', 'application/json'], ...headers],
      body: Buffer.from(outcome.payload),
    };
  const { errorType, errorMessage, trace } = outcome;
  return jsonResponse(200, { errorType, errorMessage, trace }, [...headers, ['x-amz-function-error', 'Unhandled']]);
};
