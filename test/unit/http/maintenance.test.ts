import { expect, it, vi } from 'vitest';
import { createMaintenanceHandler } from '../../../shared/http/maintenance.ts';
import { messages } from '../../../shared/logging/log.ts';

it('rejects every request with 503 and Retry-After, and logs the route without the token', async () => {
  const info = vi.fn();
  const event = {
    routeKey: 'GET /api/v2/workspaces/{workspace_id}',
    headers: { authorization: 'Bearer secret' },
    requestContext: { requestId: 'request-1' },
  };
  const response = await createMaintenanceHandler({ info })(event as never, {} as never);
  expect(response.statusCode).toBe(503);
  expect(response.headers).toMatchObject({ 'retry-after': '300', 'tfp-api-version': '2.6' });
  expect(JSON.parse(response.body ?? '')).toEqual({
    errors: [
      { status: '503', title: 'service unavailable', detail: 'The service is under maintenance. Try again later.' },
    ],
  });
  const details = { requestId: 'request-1', route: event.routeKey, status: 503, code: 'unavailable' };
  expect(info.mock.calls).toEqual([[messages.REQUEST_REJECTED, details]]);
});
