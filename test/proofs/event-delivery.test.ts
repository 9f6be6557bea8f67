import { expect, it, vi } from 'vitest';
import { deliverChanges } from '../support/events/event-delivery.ts';

it('500 changes are published in the order of each workspace without a gap although a quarter of the calls fail', async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  const delivery = await deliverChanges({ changes: 500, workspaces: 20, seed: 3, failing: 0.25, poisonous: 3 });
  expect(delivery.findings).toEqual([]);
  expect(delivery.changes).toBe(501);
  expect(delivery.received - delivery.duplicates).toBe(498);
  expect(new Set(Object.keys(delivery.failures)).size).toBe(6);
  expect(delivery.duplicates).toBeGreaterThan(0);
});
