import { expect, it } from 'vitest';
import { createFailureLimit, MAX_FAILURES } from '../../../shared/gate/failure-limit.ts';

const HOUR = 60 * 60_000;

it('an address is limited by its failures, also after the clock was set back', () => {
  const failures = createFailureLimit(MAX_FAILURES);
  const address = '192.0.2.1';
  let now = 10 * HOUR;
  expect(failures.wait(address, now)).toBe(0);
  failures.count(address, now);
  now -= HOUR;
  expect(failures.wait(address, now)).toBe(0);
  for (let count = 1; count < MAX_FAILURES; count++) failures.count(address, now);
  expect(failures.wait(address, now)).toBe(2);
  expect(failures.wait(address, now + 2_000)).toBe(0);
});
