import { isFromLocalProgram } from './loopback.ts';
import { getHeader, type IncomingRequest } from './request.ts';
import { gatewayError, type HttpResponse, jsonResponse } from './response.ts';

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

/** Emulation of one AWS service. Returns undefined for a request to another service. */
export type AwsService = (request: IncomingRequest) => Promise<HttpResponse | undefined>;

/**
 * Creates the emulation of a service that uses the JSON protocol of AWS: the header `X-Amz-Target` is
 * `<prefix>.<operation>`, and bodies are JSON. Only programs on this computer may call it, because IAM is not emulated.
 *
 * @example
 * createJsonService('AmazonSQS', { ListQueues: () => ({ QueueUrls: [] }) })
 */
export const createJsonService =
  (prefix: string, operations: Operations): AwsService =>
  async (request) => {
    const target = getHeader(request, 'x-amz-target') ?? '';
    if (!target.startsWith(`${prefix}.`)) return undefined;
    if (!isFromLocalProgram(request)) return gatewayError('forbidden');
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

/** Combines services: the first service that the request is for handles it. */
export const combineServices =
  (services: readonly AwsService[]): AwsService =>
  async (request) => {
    for (const service of services) {
      const response = await service(request);
      if (response !== undefined) return response;
    }
    return undefined;
  };

/** Handles every request to a port on which only AWS services are emulated. */
export const createAwsEndpoint =
  (service: AwsService) =>
  async (request: IncomingRequest): Promise<HttpResponse> =>
    isFromLocalProgram(request) ? ((await service(request)) ?? gatewayError('notFound')) : gatewayError('forbidden');

const parse = (body: Buffer): Input => {
  try {
    const input: unknown = JSON.parse(body.toString());
    return typeof input === 'object' && input !== null ? (input as Input) : {};
  } catch {
    throw new AwsError('SerializationException', 'The body is not JSON');
  }
};
