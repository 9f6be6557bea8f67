import type { IncomingRequest } from '../gateway/http-event.ts';
import { type HttpAnswer, jsonAnswer, refuse } from '../gateway/http-response.ts';
import { header, isFromThisComputer } from './loopback.ts';

/** A refusal by the name that the AWS service has for it. */
export class Refused extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** What a call carries, not looked at yet. */
export type Input = Readonly<Record<string, unknown>>;
export type Operations = Readonly<Record<string, (input: Input) => object | Promise<object>>>;

/** Answers calls to one AWS service; undefined for those that are not for it. */
export type JsonService = (request: IncomingRequest) => Promise<HttpAnswer | undefined>;

/**
 * A service in AWS's JSON protocol: `X-Amz-Target` says `<prefix>.<operation>`, bodies are JSON. For programs on this
 * computer only, as there is no IAM here.
 */
export const jsonServiceFor =
  (prefix: string, operations: Operations): JsonService =>
  async (request) => {
    const target = header(request, 'x-amz-target') ?? '';
    if (!target.startsWith(`${prefix}.`)) return undefined;
    if (!isFromThisComputer(request)) return refuse('forbidden');
    if (request.method !== 'POST') return refuse('notFound');
    const operation = target.slice(prefix.length + 1);
    try {
      const work = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
      if (work === undefined) throw new Refused('UnknownOperationException', `${operation} is not served here`);
      return jsonAnswer(200, await work(parse(request.body)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return jsonAnswer(400, { __type: error.type, message: error.message });
    }
  };

/** Answers whatever comes to a port where services of AWS are expected, and nobody but programs on this computer. */
export const standInFor =
  (services: readonly JsonService[]) =>
  async (request: IncomingRequest): Promise<HttpAnswer> => {
    if (!isFromThisComputer(request)) return refuse('forbidden');
    for (const service of services) {
      const answer = await service(request);
      if (answer !== undefined) return answer;
    }
    return refuse('notFound');
  };

const parse = (body: Buffer): Input => {
  try {
    const input: unknown = JSON.parse(body.toString());
    return typeof input === 'object' && input !== null ? (input as Input) : {};
  } catch {
    throw new Refused('SerializationException', 'The body is not JSON');
  }
};
