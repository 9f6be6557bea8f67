import { describe, expect, test, vi } from 'vitest';
import { parseSchedule } from '../../../infra/local/assembly/schedule-expression.ts';
import { startSchedules } from '../../../infra/local/events/schedules.ts';

test('a schedule invokes its function repeatedly, also after errors, until it is stopped', async () => {
  vi.useFakeTimers();
  const invoked: string[] = [];
  const stop = startSchedules([{ functionName: 'cleanup', next: parseSchedule('rate(1 minute)'), event: () => '{}' }], {
    invoke: async (name, event) => {
      invoked.push(`${name} ${event}`);
      throw new Error('lost');
    },
    endIdle: () => {},
  });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(invoked).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(invoked).toEqual(['cleanup {}', 'cleanup {}']);
  stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(invoked).toHaveLength(2);
  vi.useRealTimers();
});

test('a schedule ends the worker of its function after the invocation', async () => {
  vi.useFakeTimers();
  const calls: string[] = [];
  const next = parseSchedule('rate(1 minute)');
  const stop = startSchedules([{ functionName: 'cleanup', next, event: () => '{}' }], {
    invoke: async () => {
      calls.push('invoked');
      return { kind: 'succeeded', payload: 'null' };
    },
    endIdle: (name) => calls.push(`ended ${name}`),
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual(['invoked', 'ended cleanup']);
  stop();
  vi.useRealTimers();
});

describe('parseSchedule', () => {
  const after = Date.parse('2026-11-21T08:00:00Z');
  const next = (expression: string, from = after): string | undefined => {
    const time = parseSchedule(expression)(from);
    return time === undefined ? undefined : new Date(time).toISOString();
  };

  test.each([
    ['rate(1 minute)', '2026-11-21T08:01:00.000Z'],
    ['rate(2 hours)', '2026-11-21T10:00:00.000Z'],
    ['rate(3 days)', '2026-11-24T08:00:00.000Z'],
    // Examples of the AWS documentation.
    ['cron(0 10 * * ? *)', '2026-11-21T10:00:00.000Z'],
    ['cron(15 12 * * ? *)', '2026-11-21T12:15:00.000Z'],
    ['cron(0 18 ? * MON-FRI *)', '2026-11-23T18:00:00.000Z'],
    ['cron(0 8 1 * ? *)', '2026-12-01T08:00:00.000Z'],
    ['cron(0/15 * * * ? *)', '2026-11-21T08:15:00.000Z'],
    ['cron(0/10 * ? * MON-FRI *)', '2026-11-23T00:00:00.000Z'],
    ['cron(0/5 8-17 ? * MON-FRI *)', '2026-11-23T08:00:00.000Z'],
    ['cron(30 22 L * ? *)', '2026-11-30T22:30:00.000Z'],
    ['cron(0 0 29 FEB ? *)', '2028-02-29T00:00:00.000Z'],
    ['cron(5,35 7 ? * SUN 2027)', '2027-01-03T07:05:00.000Z'],
    ['cron(0 0 1 1 ? 2020)', undefined],
  ])('computes the next time of %s: %s', (expression, due) => {
    expect(next(expression)).toBe(due);
  });

  test.each([
    '',
    'rate(0 minutes)',
    'rate(1 week)',
    'cron(0 10 * * ?)',
    'cron(0 10 * * * *)',
    'cron(60 * * * ? *)',
    'cron(0 0 ? * 2#1 *)',
  ])('rejects "%s"', (expression) => {
    expect(() => parseSchedule(expression)).toThrow(RangeError);
  });
});
