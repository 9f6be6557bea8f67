/**
 * Wall-clock limit of the tests, in milliseconds: for a test, a hook and a child process alike. It ends what
 * hangs. It is far above what anything takes on a busy machine, so that no test fails for being slow.
 */
export const DEADLINE = 600_000;

/**
 * Longest wait of a poll or for a command, in milliseconds. It ends well before its test does, so that the report shows
 * the last value or the output, and not only that the test took too long.
 */
export const POLL_DEADLINE: number = DEADLINE / 2;

/**
 * Measures the processor time that a piece of work takes, for tests of algorithms that must not explode. Unlike elapsed
 * time, it does not grow with what else the machine does.
 *
 * @returns seconds of this process, all of its threads.
 */
export const cpuSeconds = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
