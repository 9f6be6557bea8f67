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

const partOf = ({ url, functionName }: Profiler.ProfileNode['callFrame']): string | undefined => {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage collection';
  const path = url.startsWith(root) ? url.slice(root.length) : '';
  return parts.find(([, pattern]) => pattern.test(path))?.[0] ?? (path === '' ? 'Node and sockets' : 'other');
};

const sumOf = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Parts => {
  const partById = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const sums: Record<string, number> = {};
  for (const [index, sample] of samples.entries()) {
    const part = partById.get(sample);
    if (part !== undefined) sums[part] = (sums[part] ?? 0) + (timeDeltas[index] ?? 0) / 1_000;
  }
  return sums;
};

const name = process.env['AWS_LAMBDA_FUNCTION_NAME']?.replace(/^holdfast-/, '');
const { handler: invoke } = await import(`../../functions/${name}/index.ts`);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
// Microseconds. A request takes some milliseconds.
await session.post('Profiler.setSamplingInterval', { interval: 200 });

export const handler = async (event: ProfileEvent | { readonly routeKey: string }, context: object) => {
  if (!('profiler' in event)) return invoke(event, context);
  if (event.profiler === 'start') return session.post('Profiler.start');
  return sumOf((await session.post('Profiler.stop')).profile);
};
