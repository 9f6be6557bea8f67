import { expect, test, vi } from 'vitest';
import { openUseReport } from '../../../functions/admin/break-glass.ts';
import { createHandler } from '../../../functions/admin/handler.ts';
import type { Logger } from '../../../shared/logging/log.ts';

/** Opens the admin function with commands that fail. @returns its handler, and what it logs. */
const openHandler = () => {
  const warn = vi.fn();
  const fail = () => {
    throw new Error('The table does not respond');
  };
  const handlers = new Proxy({}, { get: () => fail }) as Parameters<typeof createHandler>[0];
  const report = openUseReport({ warn } as unknown as Logger, 'second', () => 1_800_000_000_000);
  return { handler: createHandler(handlers, report), warn };
};

test('counts a break-glass command in the log before it is executed, with its parameters', async () => {
  const { handler, warn } = openHandler();
  const context = { awsRequestId: 'request-1' };
  await expect(handler({ command: 'suspend-user', username: 'ada' }, context)).rejects.toThrow('does not respond');
  expect(warn.mock.calls).toEqual([
    [
      'Break-glass command invoked',
      {
        ...{ requestId: 'request-1', command: 'suspend-user', parameters: { username: 'ada' } },
        ...{ Deployment: 'second', BreakGlassUses: 1, _aws: expect.objectContaining({ Timestamp: 1_800_000_000_000 }) },
      },
    ],
  ]);
});

test('counts neither other admin commands nor break-glass commands that are not valid', async () => {
  const { handler, warn } = openHandler();
  await expect(handler({ command: 'delete-user', username: 'ada' })).rejects.toThrow('does not respond');
  expect(await handler({ command: 'suspend-user' })).toMatchObject({ errors: [{ status: '422' }] });
  expect(warn).not.toHaveBeenCalled();
});
