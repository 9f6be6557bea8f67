import { describe, expect, test, vi } from 'vitest';
import { concealed, conflict, type DomainError, notFound } from '../../../shared/domain/errors.ts';
import { recordRejection } from '../../../shared/http/middleware/record-rejection.ts';
import type { HttpEvent, RequestState } from '../../../shared/http/request.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const requestContext = {
  requestId: 'request-1',
  http: { sourceIp: '192.0.2.1' },
} as unknown as HttpEvent['requestContext'];
const state: RequestState = { digest: 'digest', routeId: 'workspaces.show' };

const run = async (error: DomainError, recording: () => Promise<void>, isOn = true) => {
  const logger = { warn: vi.fn() };
  const store = { recordRejection: vi.fn(recording) };
  const onError = recordRejection({ logger: logger as unknown as Logger, store, isOn, hasAddresses: true });
  const handler = () => Promise.reject(error);
  const request = await runMiddleware({ onError }, { event: { requestContext, rawPath: '/path' }, state, handler });
  return { logger, store, request };
};

describe('recordRejection', () => {
  test('records a rejected request with the organization that rejected it', async () => {
    const { store } = await run(Object.assign(concealed(), { rejectedIn: 'acme' }), async () => {});
    expect(store.recordRejection).toHaveBeenCalledExactlyOnceWith('digest', {
      isAccessDenied: true,
      request: 'request-1',
      address: '192.0.2.1',
      organization: 'acme',
      operation: 'workspaces.show',
      status: 404,
      path: '/path',
    });
  });

  test('passes on the 404 of something that does not exist, so that it takes the same time (PERM-21)', async () => {
    const { store } = await run(notFound(), async () => {});
    expect(store.recordRejection).toHaveBeenCalledExactlyOnceWith(
      'digest',
      expect.objectContaining({ isAccessDenied: false }),
    );
  });

  test('records neither other errors nor anything while the setting is off', async () => {
    const { store: ofOther } = await run(conflict('The workspace is locked.'), async () => {});
    expect(ofOther.recordRejection).not.toHaveBeenCalled();
    const { store: whileOff } = await run(concealed(), async () => {}, false);
    expect(whileOff.recordRejection).not.toHaveBeenCalled();
  });

  test('logs a record that fails, and leaves the response as it is', async () => {
    const error = concealed();
    const failure = new Error('throttled');
    const { logger, request } = await run(error, () => Promise.reject(failure));
    expect(request.error).toBe(error);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(messages.REJECTION_UNRECORDED, {
      requestId: 'request-1',
      error: failure,
    });
  });
});
