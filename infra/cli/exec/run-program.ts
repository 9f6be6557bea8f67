import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { type ExitCode, Failure } from '../failure.ts';
import type { Io } from '../io.ts';

/** Returns whether the process has a terminal, also if its streams are redirected. */
const hasTerminal = (): boolean => {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
};

const startError = (file: string, { code = '' }: NodeJS.ErrnoException): Failure => {
  if (code === 'ENOENT') return new Failure('commandNotFound', `The program ${file} is not found.`);
  if (code === 'E2BIG') return new Failure('notStarted', 'The variables are too large for an environment.');
  return new Failure('notExecutable', `The program ${file} cannot be started (${code}).`);
};

/** A running program. */
export interface RunningProgram {
  /** Resolves with the exit code, or 128 plus the number of the signal that has ended it. @throws Failure if it did not start. */
  readonly ended: Promise<ExitCode>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Starts a program with the streams of this process. */
export const startProgram = (
  { cwd }: Io,
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RunningProgram => {
  const child = spawn(file, args, { cwd, env, stdio: 'inherit' });
  const ended = new Promise<ExitCode>((resolve, reject) => {
    child.once('error', (error) => reject(startError(file, error)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals]));
  });
  return { ended, kill: (signal) => void child.kill(signal) };
};

/**
 * Passes a signal on to a program. The terminal sends the signals of its keys to the program itself, and a second one means
 * to many programs that they end at once.
 */
export const forwardSignal = ({ kill }: RunningProgram, signal: NodeJS.Signals): void => {
  const isFromKeys = (signal === 'SIGINT' || signal === 'SIGQUIT') && hasTerminal();
  if (!isFromKeys) kill(signal);
};
