import type { CliOptions } from './cli-bed.ts';

/** Waits no time, except for the renewal of a lease, which ends with its release. */
export const waitForReleases: NonNullable<CliOptions['wait']> = (milliseconds, signal) =>
  milliseconds < 60_000
    ? Promise.resolve()
    : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
