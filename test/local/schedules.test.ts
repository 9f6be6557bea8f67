import { expect, test, vi } from 'vitest';
import { startSchedules } from '../../infra/local/schedules.ts';

test('a schedule invokes its function again and again, whatever comes of it, until it is ended', async () => {
  vi.useFakeTimers();
  const invoked: string[] = [];
  const end = startSchedules([{ functionName: 'sweep', everyMillis: 60_000, event: () => '{}' }], {
    names: ['sweep'],
    invoke: async (name, event) => {
      invoked.push(`${name} ${event}`);
      throw new Error('lost');
    },
    statistics: () => [],
    close: async () => {},
  });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(invoked).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(invoked).toEqual(['sweep {}', 'sweep {}']);
  end();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(invoked).toHaveLength(2);
  vi.useRealTimers();
});
