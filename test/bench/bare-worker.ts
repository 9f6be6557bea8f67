/** Worker of the throughput benchmark: makes the bare calls of one request after the other (`throughput.ts`). */
import { parentPort, workerData } from 'node:worker_threads';
import { call } from './floor.ts';
import { BARE_WARMING, type BareJob } from './throughput.ts';

const { rounds, milliseconds } = workerData as Omit<BareJob, 'endpoint'>;

const left = rounds.values();
const run = async (until: number): Promise<number> => {
  let done = 0;
  for (; performance.now() < until; done++) {
    const next = left.next();
    if (next.done) throw new RangeError('More calls must be planned: this computer is faster than BARE_RATE');
    await call(next.value);
  }
  return done;
};

await run(performance.now() + BARE_WARMING);
parentPort?.postMessage(await run(performance.now() + milliseconds));
