import { channel } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { now } from '../lib/clock.ts';
import { segmentId } from '../lib/random.ts';

/** Part of a trace for one call of a service, in the form of X-Ray. Times are in seconds since the epoch. */
export interface Subsegment {
  readonly type: 'subsegment';
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id: string;
  readonly name: string;
  readonly namespace: 'aws';
  readonly start_time: number;
  readonly end_time: number;
  readonly aws: { readonly operation: string; readonly region: string };
  readonly http?: { readonly response: { readonly status: number } };
  /** Client error, throttling, or error of the service. */
  readonly error?: true;
  readonly throttle?: true;
  readonly fault?: true;
}

/** Names of services in the console of X-Ray, by their names in signatures. */
const services: Readonly<Record<string, string>> = {
  dynamodb: 'DynamoDB',
  s3: 'S3',
  events: 'EventBridge',
  sqs: 'SQS',
  kms: 'KMS',
  lambda: 'Lambda',
};

/** Reads the trace of the current invocation. @returns undefined when the invocation is not traced. */
export const parseTraceHeader = (header: string | undefined): { root: string; parent: string } | undefined => {
  const parts = new Map((header ?? '').split(';').map((part) => part.split('=', 2) as [string, string]));
  const [root, parent] = [parts.get('Root'), parts.get('Parent')];
  return root === undefined || parent === undefined || parts.get('Sampled') !== '1' ? undefined : { root, parent };
};

/**
 * Finds the service, the region and the operation of a signed request, by the headers that every client sends.
 * @returns undefined for requests that are not signed for a known service.
 */
const describeRequest = (request: ClientRequest) => {
  const { method, path } = request;
  const [authorization, target] = [request.getHeader('authorization'), request.getHeader('x-amz-target')];
  const [, region = '', service = ''] =
    /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(String(authorization)) ?? [];
  const name = services[service];
  if (name === undefined) return undefined;
  // S3 and Lambda name no operation in a header. The clients of the SDK name it in the query.
  const operation = typeof target === 'string' ? target.split('.').at(-1) : /[?&]x-id=(\w+)/.exec(path)?.[1];
  return { name, region, operation: operation ?? method };
};

/** Describes the outcome of a request by its status. No status means that there was no response. */
export const describeOutcome = (
  status: number | undefined,
): Pick<Subsegment, 'http' | 'error' | 'throttle' | 'fault'> => {
  if (status === undefined) return { fault: true };
  return {
    http: { response: { status } },
    ...(status >= 400 && status < 500 && { error: true }),
    ...(status === 429 && { throttle: true }),
    ...(status >= 500 && { fault: true }),
  };
};

interface Tracing {
  readonly readTraceHeader: () => string | undefined;
  readonly send: (subsegment: Subsegment) => void;
}

/**
 * Sends a subsegment for each request to an AWS service that Node's HTTP client sends in a traced invocation. It needs no
 * support by the clients: Node publishes their requests on diagnostics channels.
 *
 * @returns a function that ends the tracing.
 */
export const startTracing = ({ readTraceHeader, send }: Tracing): (() => void) => {
  const open = new WeakMap<ClientRequest, (status?: number) => void>();

  const onStart = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    const trace = parseTraceHeader(readTraceHeader());
    const described = describeRequest(request);
    if (trace === undefined || described === undefined) return;
    const { name, ...aws } = described;
    const started = now();
    open.set(request, (status) => {
      open.delete(request);
      send({
        type: 'subsegment',
        id: segmentId(),
        trace_id: trace.root,
        parent_id: trace.parent,
        name,
        namespace: 'aws',
        start_time: started / 1_000,
        end_time: now() / 1_000,
        aws,
        ...describeOutcome(status),
      });
    });
  };
  const onResponse = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    open.get(request)?.(response.statusCode);
  };
  const onError = (message: unknown): void => open.get((message as { request: ClientRequest }).request)?.();

  const listeners = [
    ['http.client.request.start', onStart],
    ['http.client.response.finish', onResponse],
    ['http.client.request.error', onError],
  ] as const;
  for (const [name, listener] of listeners) channel(name).subscribe(listener);
  return () => {
    for (const [name, listener] of listeners) channel(name).unsubscribe(listener);
  };
};
