import { DomainError } from '../domain/errors.ts';

/**
 * Checks that a body is about the resource that the path names; an id is optional in a body.
 * @throws DomainError 422 when the ids differ.
 */
export const requireSameId = (inBody: string | null | undefined, inPath: string): void => {
  if (!inBody || inBody === inPath) return;
  throw new DomainError('unprocessable', 'Id does not match the path', { source: { pointer: '/data/id' } });
};
