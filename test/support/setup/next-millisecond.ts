import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the clock shows a later millisecond, so that what is created next is younger than what was created before. A
 * fast computer creates both in one millisecond.
 */
export const nextMillisecond = async (): Promise<void> => {
  const before = Date.now();
  while (Date.now() <= before) await sleep(1);
};
