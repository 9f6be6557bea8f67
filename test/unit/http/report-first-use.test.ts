import { describe, expect, test, vi } from 'vitest';
import { concealed } from '../../../shared/domain/errors.ts';
import { type FirstUseStore, reportFirstUse } from '../../../shared/http/middleware/report-first-use.ts';
import type { HttpEvent, RequestState } from '../../../shared/http/request.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import { type RequestParts, runMiddleware } from '../../support/http/run-middleware.ts';

const requestContext = {
  requestId: 'request-1',
  http: { sourceIp: '192.0.2.1' },
} as unknown as HttpEvent['requestContext'];

const run = async (identities: FirstUseStore['identities'], parts: RequestParts, address = true) => {
  const logger = { warn: vi.fn() };
  const report = reportFirstUse({
    logger: logger as unknown as Logger,
    store: { identities },
    hasAddresses: address,
  });
  const state: RequestState = { digest: 'digest' };
  return {
    logger,
    request: await runMiddleware({ after: report, onError: report }, { event: { requestContext }, state, ...parts }),
  };
};

describe('reportFirstUse', () => {
  test('reports the use of a token by a request that succeeds and by one that is rejected', async () => {
    const identities = { reportFirstUse: vi.fn(async () => {}) };
    await run(identities, {});
    const handler = async () => {
      throw concealed();
    };
    await run(identities, { handler }, false);
    expect(identities.reportFirstUse.mock.calls).toEqual([
      ['digest', { id: 'request-1', address: '192.0.2.1' }],
      ['digest', { id: 'request-1' }],
    ]);
  });

  test('reports nothing of a request without a token', async () => {
    const identities = { reportFirstUse: vi.fn(async () => {}) };
    await run(identities, { state: {} });
    expect(identities.reportFirstUse).not.toHaveBeenCalled();
  });

  test('returns the response although the report fails, and logs the failure', async () => {
    const error = new Error('throttled');
    const { request, logger } = await run({ reportFirstUse: () => Promise.reject(error) }, {});
    expect(request.response?.statusCode).toBe(200);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(messages.FIRST_USE_UNREPORTED, {
      requestId: 'request-1',
      error,
    });
  });
});
