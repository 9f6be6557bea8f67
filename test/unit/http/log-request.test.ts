import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  concealed,
  DomainError,
  notFound,
  StatePending,
  UnknownItemVersion,
  unavailable,
} from '../../../shared/domain/errors.ts';
import { logRequest } from '../../../shared/http/middleware/log-request.ts';
import type { HttpResponse } from '../../../shared/http/response.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import { createMeter } from '../../../shared/logging/meter.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const recordingLogger = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const runWith = async (outcome: () => Promise<HttpResponse>) => {
  const logger = recordingLogger();
  await runMiddleware(logRequest({ logger: logger as unknown as Logger, deployment: 'holdfast' }), {
    event: { routeKey: 'GET /api/v2/ping', headers: { authorization: 'Bearer hfu_secret' } },
    handler: async () => {
      vi.advanceTimersByTime(12);
      return outcome();
    },
  });
  return logger;
};
const failingWith = (error: Error) =>
  runWith(async () => {
    throw error;
  });

describe('logRequest', () => {
  test('logs the route, status and duration of a successful request', async () => {
    const logger = await runWith(async () => ({ statusCode: 204, headers: {} }));
    expect(logger.info).toHaveBeenCalledExactlyOnceWith(messages.REQUEST_COMPLETED, {
      requestId: 'request-1',
      route: 'GET /api/v2/ping',
      status: 204,
      milliseconds: 12,
    });
  });

  test('logs a rejected request with its error code', async () => {
    const logger = await failingWith(new DomainError('forbidden'));
    expect(logger.info).toHaveBeenCalledExactlyOnceWith(
      messages.REQUEST_REJECTED,
      expect.objectContaining({ code: 'forbidden', milliseconds: 12 }),
    );
  });

  test.each([
    ['an invalid token', new DomainError('unauthorized'), 1],
    ['a forbidden action', new DomainError('forbidden'), 1],
    ['something that the caller may not see', concealed(), 1],
    ['something that does not exist', notFound(), undefined],
    ['an invalid attribute', new DomainError('invalid-attribute'), undefined],
  ])('counts rejected attempts in a metric: %s', async (_, error, count) => {
    const logger = await failingWith(error);
    const { RefusedAttempts, Deployment, _aws: embedded } = logger.info.mock.calls[0]?.[1] ?? {};
    expect(RefusedAttempts).toBe(count);
    if (count === undefined) return;
    const [{ Dimensions, Metrics }] = embedded.CloudWatchMetrics;
    expect([Deployment, Dimensions, Metrics]).toEqual([
      'holdfast',
      [['Deployment']],
      [{ Name: 'RefusedAttempts', Unit: 'Count' }],
    ]);
  });

  test('logs a warning with the cause when the database is busy', async () => {
    const logger = await failingWith(unavailable('The service is busy.', new Error('throttled')));
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      messages.DATABASE_UNAVAILABLE,
      expect.objectContaining({ cause: 'Error: throttled' }),
    );
  });

  test('logs a warning with the version when a stored item has an unknown schema version', async () => {
    const logger = await failingWith(new UnknownItemVersion(new Error('version 9')));
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      messages.UNKNOWN_ITEM_VERSION,
      expect.objectContaining({ cause: 'Error: version 9' }),
    );
  });

  test('logs no warning for a state version whose content is still pending', async () => {
    const pending = new StatePending({ id: 'sv-1', at: 1 } as StatePending['pending'], unavailable('Try again.'));
    const logger = await failingWith(pending);
    expect(logger.warn).not.toHaveBeenCalled();
    expect(logger.info).toHaveBeenCalledOnce();
  });

  test('logs an unexpected error with its stack', async () => {
    const error = new TypeError('a bug');
    const logger = await failingWith(error);
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(messages.REQUEST_FAILED, expect.objectContaining({ error }));
  });

  test('logs the DynamoDB usage of this request only', async () => {
    const logger = recordingLogger();
    const meter = createMeter();
    const call = { round: 1, readUnits: 0.5, writeUnits: 0 };
    meter.count(call);
    await runMiddleware(logRequest({ logger: logger as unknown as Logger, meter, deployment: 'holdfast' }), {
      handler: async () => {
        meter.count(call);
        return { statusCode: 200, headers: {} };
      },
    });
    expect(logger.info.mock.calls[0]?.[1]).toMatchObject({ database: { calls: 1, readUnits: 0.5 } });
  });

  test('logs no header of the request', async () => {
    const logger = await runWith(async () => ({ statusCode: 200, headers: {} }));
    expect(JSON.stringify(logger.info.mock.calls)).not.toContain('hfu_secret');
  });
});
