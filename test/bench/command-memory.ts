import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../../infra/cli/io.ts';
import { runCommandLine } from '../../infra/cli/program.ts';
import { waitForReleases } from '../support/cli/wait.ts';
import type { PlainService } from './plain-service.ts';

/** A command, and the service that it gets. */
export interface MeasuredCommand {
  readonly argv: readonly string[];
  readonly service: PlainService;
}

/**
 * Runs commands in this process and an empty folder, and prints by how much the heap after a garbage collection has grown at most.
 * @throws unless the process was started with `--expose-gc`.
 */
export const measureCommands = async (commands: readonly MeasuredCommand[]): Promise<void> => {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('Run it with node --expose-gc.');
  let largest = 0;
  const measure = (): number => {
    collect();
    largest = Math.max(largest, process.memoryUsage().heapUsed);
    return largest;
  };

  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const output = (): Io['stdout'] => new PassThrough().on('data', (text) => process.stdout.write(text));
  try {
    const start = measure();
    for (const { argv, service } of commands) {
      const io: Io = {
        stdin: Readable.from([]) as Io['stdin'],
        stdout: output(),
        stderr: output(),
        progress: () => undefined,
        env: { HOME: folder, HOLDFAST_URL: 'https://holdfast.test', HOLDFAST_ORG: 'acme', HOLDFAST_TOKEN: 'hfu_bench' },
        program: '',
        cwd: folder,
        fetch: service.fetch,
        wait: waitForReleases,
        signal: new AbortController().signal,
        onSignals: () => undefined,
      };
      const begin = performance.now();
      const before = service.requests();
      largest = 0;
      const timer = setInterval(measure, 1_000);
      const code = await runCommandLine(argv, io, 'bench');
      clearInterval(timer);
      const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
      const growth = ((measure() - start) / 1e6).toFixed(1);
      const resident = (process.resourceUsage().maxRSS / 1_000).toFixed(0);
      console.log(
        `${argv.join(' ')}: exit code ${code}, ${seconds} s, ${service.requests() - before} requests, ${growth} MB more than before, resident at most ${resident} MB so far`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
};
