import { isFromLocalProgram } from './loopback.ts';
import { gatewayError, getHeader, type HttpResponse, type IncomingRequest, jsonResponse } from './messages.ts';
import { isSigned, type Secrets } from './signature.ts';

/** An error with the type that the AWS service uses for it. */
export class AwsError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Input of an operation, not validated yet. */
export type Input = Readonly<Record<string, unknown>>;
export type Operations = Readonly<Record<string, (input: Input) => object | Promise<object>>>;

/** Emulation of one AWS service. Returns the call that a request makes; undefined for a request to another service. */
export type AwsService = (request: IncomingRequest) => (() => Promise<HttpResponse>) | undefined;

/**
 * Creates the emulation of a service that uses the JSON protocol of AWS: the header `X-Amz-Target` is
 * `<prefix>.<operation>`, and bodies are JSON.
 * @example
 * createJsonService('AmazonSQS', { ListQueues: () => ({ QueueUrls: [] }) })
 */
export const createJsonService =
  (prefix: string, operations: Operations): AwsService =>
  (request) => {
    const target = getHeader(request, 'x-amz-target') ?? '';
    if (!target.startsWith(`${prefix}.`)) return undefined;
    return async () => {
      if (request.method !== 'POST') return gatewayError('notFound');
      const name = target.slice(prefix.length + 1);
      try {
        const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
        if (operation === undefined) throw new AwsError('UnknownOperationException', `${name} is not emulated`);
        return jsonResponse(200, await operation(parse(request.body)));
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        return jsonResponse(400, { __type: error.type, message: error.message });
      }
    };
  };

/**
 * Combines services: the first service that the request is for handles it. The request must come from a program on this
 * computer that has the credentials, because IAM is not emulated.
 * @returns a handler that returns undefined for a request to none of the services.
 */
export const combineServices =
  (services: readonly AwsService[], secrets: Secrets) =>
  async (request: IncomingRequest): Promise<HttpResponse | undefined> => {
    for (const service of services) {
      const call = service(request);
      if (call) return isAuthorized(request, secrets) ? call() : gatewayError('forbidden');
    }
    return undefined;
  };

const isAuthorized = (request: IncomingRequest, secrets: Secrets): boolean => {
  const { method, rawPath: path, rawQueryString, body } = request;
  const header = (name: string) => getHeader(request, name);
  const signed = { method, path, query: new URLSearchParams(rawQueryString), header };
  return isFromLocalProgram(request) && isSigned(signed, secrets, body);
};

/** Handles every request to a port on which only AWS services are emulated. */
export const createAwsEndpoint = (services: readonly AwsService[], secrets: Secrets) => {
  const handle = combineServices(services, secrets);
  return async (request: IncomingRequest): Promise<HttpResponse> =>
    (await handle(request)) ?? gatewayError(isAuthorized(request, secrets) ? 'notFound' : 'forbidden');
};

const parse = (body: Buffer): Input => {
  try {
    const input: unknown = JSON.parse(body.toString());
    return typeof input === 'object' && input !== null ? (input as Input) : {};
  } catch {
    throw new AwsError('SerializationException', 'The body is not JSON');
  }
};
