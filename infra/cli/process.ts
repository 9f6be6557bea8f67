import { constants } from 'node:os';
import { waitOrAbort } from '../../shared/client/send.ts';
import { exitCodes } from './failure.ts';
import type { Io } from './io.ts';
import { withProgress } from './output/progress.ts';
import { runCommandLine } from './program.ts';

/**
 * Ends the process when nobody reads its output any more, as the other programs of a pipeline do (`holdfast ws list | head -1`).
 * Any other error of the output, such as a full disk, is a failure.
 */
const endWithOutput = (error: NodeJS.ErrnoException): never => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  process.stderr.write(`Error: The output cannot be written (${error.code ?? error.message}).\n`);
  process.exit(exitCodes.failed);
};

/** Runs the command line with the streams, the environment and the signals of this process. */
export const runProcess = async (version: string): Promise<void> => {
  const interruption = new AbortController();
  let listener = (signal: NodeJS.Signals): void => {
    // A second signal ends the process at once, wherever it waits.
    if (interruption.signal.aborted) process.exit(128 + constants.signals[signal]);
    interruption.abort();
  };
  // SIGQUIT would write the memory of the process, with the token, to a file.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => listener(signal));
  // Ctrl-D at a question ends the input without an answer, and leaves nothing to wait for.
  process.once('beforeExit', () => interruption.abort());
  process.stdout.on('error', endWithOutput);
  process.stderr.on('error', () => undefined);
  const io: Io = {
    stdin: process.stdin,
    stdout: process.stdout,
    ...withProgress(process.stderr, process.env),
    env: process.env,
    program: process.argv[1] ?? '',
    cwd: process.cwd(),
    fetch,
    wait: waitOrAbort,
    signal: interruption.signal,
    onSignals: (other) => {
      listener = other;
    },
  };
  process.exitCode = await runCommandLine(process.argv.slice(2), io, version);
};
