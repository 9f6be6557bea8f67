import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly stop: () => Promise<void>;
}

/** Waits until a server responds. @throws with its output if it ends before. */
const waitUntil = async (child: ChildProcess, isReady: () => Promise<boolean>, output: () => string): Promise<void> => {
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended:\n${output()}`);
    await sleep(100);
  }
};

/**
 * Runs a server as the child process. If this process is killed and cannot stop the server, the pipe at file descriptor 3
 * closes, which ends the server.
 */
const SCRIPT = '(cat <&3; kill -INT $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

/**
 * Starts a server, and waits until it is ready.
 * @param isReady decides it. It is called again after a failure.
 */
export const startProcess = async (
  command: readonly string[],
  options: SpawnOptions,
  isReady: () => Promise<boolean>,
): Promise<ServerProcess> => {
  const child = spawn('/bin/sh', ['-c', SCRIPT, ...command], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches only the tests, which then stop the server.
    detached: true,
  });
  child.once('exit', () => child.stdio[3]?.destroy());
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (output += String(part)));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await closed;
  };
  try {
    await waitUntil(child, isReady, () => output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};
