import { afterEach, expect, test, vi } from 'vitest';

const ROUTES = '../../../shared/routes/index.ts';

afterEach(() => {
  vi.doUnmock(ROUTES);
  vi.resetModules();
});

test('generating the OpenAPI document fails with the names of routes that have no description', async () => {
  vi.doMock(ROUTES, async (importOriginal) => {
    const original = await importOriginal<typeof import('../../../shared/routes/index.ts')>();
    return { ...original, routeIds: [...original.routeIds, 'parrots.list', 'parrots.show'] };
  });
  vi.resetModules();
  await expect(import('../../../shared/openapi/operations/index.ts')).rejects.toThrow('parrots.list, parrots.show');
});
