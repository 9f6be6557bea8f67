import { channel } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { now } from '../lib/clock.ts';
import { segmentId } from '../lib/random.ts';
import { describeOutcome, describeRequest, parseTraceHeader, type Subsegment } from './subsegment.ts';

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
