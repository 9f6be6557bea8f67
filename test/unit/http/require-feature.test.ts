import { describe, expect, test } from 'vitest';
import type { Features } from '../../../shared/domain/editions.ts';
import { requireFeature } from '../../../shared/http/middleware/match-route.ts';
import { routeWith, runMiddleware } from '../../support/http/run-middleware.ts';

const route = routeWith({ feature: 'retentionPolicies' });
const features = (retentionPolicies: boolean) => ({ retentionPolicies }) as Features;

describe('requireFeature', () => {
  test('lets a request for a feature of the edition through', async () => {
    const { response } = await runMiddleware({ before: requireFeature(features(true)) }, { state: { route } });
    expect(response?.statusCode).toBe(200);
  });

  test.each([features(false), undefined])('rejects a feature that the edition lacks with 404: %j', async (given) => {
    const { error } = await runMiddleware({ before: requireFeature(given) }, { state: { route } });
    expect(error).toMatchObject({ code: 'not-found' });
  });

  test('lets routes of no feature through', async () => {
    const { response } = await runMiddleware(
      { before: requireFeature(undefined) },
      { state: { route: routeWith({}) } },
    );
    expect(response?.statusCode).toBe(200);
  });
});
