import { expect, it } from 'vitest';
import { formatRelative } from '../../../functions/console/app/lib/format-time.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

it.each([
  [90 * DAY - 5, 'in 3 months'],
  [14 * DAY - 5, 'in 14 days'],
  [-59.6 * MINUTE, '1 hour ago'],
  [-89 * MINUTE, '1 hour ago'],
  [23.6 * HOUR, 'in 1 day'],
  [-29 * DAY, '29 days ago'],
  [-364 * DAY, '1 year ago'],
  [59, 'in less than a minute'],
  [-59, 'just now'],
])('formats a time %d seconds from now as "%s", rounded to the nearest unit', (seconds, expected) => {
  const now = Date.UTC(2026, 10, 23);
  expect(formatRelative(new Date(now + seconds * 1_000), now)).toBe(expected);
});
