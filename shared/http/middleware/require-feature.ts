import type { Features } from '../../domain/editions.ts';
import { notFound } from '../../domain/errors.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

/**
 * Rejects routes of features that the deployed edition does not have, with 404 for every caller (EDITION-1).
 * @param features features of the deployed edition; not needed by functions whose routes belong to no feature.
 */
export const requireFeature = (features: Features | undefined): HttpMiddleware => {
  const requireFeatureBefore = ({ internal: { route } }: HttpRequest): void => {
    if (route?.feature !== undefined && features?.[route.feature] !== true) throw notFound();
  };
  return { before: requireFeatureBefore };
};
