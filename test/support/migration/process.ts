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
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${child.spawnfile} ended:\n${output()}`);
    await sleep(100);
  }
};

/**
 * Starts a server, and waits until it is ready.
 * @param isReady decides it. It is called again after a failure.
 */
export const startProcess = async (
  [file = '', ...words]: readonly string[],
  options: SpawnOptions,
  isReady: () => Promise<boolean>,
): Promise<ServerProcess> => {
  const child = spawn(file, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
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
