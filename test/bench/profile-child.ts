/**
 * Runs a function from its source in its own process, with the CPU profiler of V8. The source files of samples show which
 * part of the code takes the time.
 */
import { type Profiler, Session } from 'node:inspector/promises';

/** Event that starts or stops the profiler. Other events go to the function. */
export type ProfileEvent = { readonly profiler: 'start' | 'stop' };

/** CPU time by part of the code, in milliseconds. */
export type Parts = Readonly<Record<string, number>>;

/** Parts of the code by the paths of their files, from the root folder of the repository. The first one that matches. */
const parts: readonly (readonly [part: string, path: RegExp])[] = [
  ['DynamoDB client', /^(node_modules\/@(aws-sdk|smithy)\/|shared\/store\/dynamodb\/lean-client\/)/],
  ['routing, middy, responses', /^(node_modules\/@middy\/|shared\/(http|routes)\/)/],
  ['validation', /^shared\/(validators|schemas)\//],
  ['authorization', /^shared\/access\//],
  ['store', /^shared\/(store|list-index)\//],
  ['domain', /^(shared\/domain\/|node_modules\/(picomatch|re2js)\/)/],
  ['response mapping', /^shared\/(resources|documents|jsonapi)\//],
  ['logging', /^shared\/logging\//],
  ['operation', /^functions\//],
];

const root = new URL('../..', import.meta.url).href;

/** Time between two samples, in microseconds. A request takes some milliseconds. */
const INTERVAL = 200;

const partOf = ({ url, functionName }: Profiler.ProfileNode['callFrame']): string | undefined => {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collection';
  const path = url.startsWith(root) ? url.slice(root.length) : '';
  return parts.find(([, pattern]) => pattern.test(path))?.[0] ?? (path === '' ? 'Node and sockets' : 'other');
};

/** Program of the process that calls the handler, and its channel. Their samples are not those of the function. */
const CALLER = /(\/test\/support\/local\/function-process\.ts|^node:internal\/child_process(\/serialization)?)$/;

/**
 * Sums up the samples by part, without those of the caller. A sample that is late counts as one and a half intervals: while the
 * thread waited for a processor it could not be sampled, and that time is not CPU time.
 */
const sumOf = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Parts => {
  const partById = new Map<number, string | undefined>();
  const nodeById = new Map(nodes.map((node) => [node.id, node]));
  const visit = (id: number, isCaller: boolean): void => {
    const node = nodeById.get(id);
    if (node === undefined) return;
    const { url } = node.callFrame;
    const isOfCaller = url !== import.meta.url && (isCaller || CALLER.test(url));
    partById.set(id, isOfCaller ? undefined : partOf(node.callFrame));
    for (const child of node.children ?? []) visit(child, isOfCaller);
  };
  // The first node is the root.
  visit(nodes[0]?.id ?? 0, false);
  const sums: Record<string, number> = {};
  for (const [index, sample] of samples.entries()) {
    const part = partById.get(sample);
    if (part === undefined) continue;
    sums[part] = (sums[part] ?? 0) + Math.min(timeDeltas[index] ?? 0, 1.5 * INTERVAL) / 1_000;
  }
  return sums;
};

const name = process.env['AWS_LAMBDA_FUNCTION_NAME']?.replace(/^holdfast-/, '');
const { handler: invoke } = await import(`../../functions/${name}/index.ts`);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });

export const handler = async (event: ProfileEvent | { readonly routeKey: string }, context: object) => {
  if (!('profiler' in event)) return invoke(event, context);
  if (event.profiler === 'start') return session.post('Profiler.start');
  return sumOf((await session.post('Profiler.stop')).profile);
};
