import { DomainError, notFound } from '../../shared/domain/errors.ts';

/** What was there a moment ago, and is gone when it is to be changed, is answered like what never was. */
export const orAbsent = async <T>(change: Promise<T>): Promise<T> => {
  try {
    return await change;
  } catch (error) {
    throw error instanceof DomainError && error.code === 'not-found' ? notFound() : error;
  }
};

/** @throws DomainError 422 when the body speaks of another resource than the path. */
export const sameResource = (inBody: string | null | undefined, inPath: string): void => {
  if (!inBody || inBody === inPath) return;
  throw new DomainError('unprocessable', 'Id does not match the path', { source: { pointer: '/data/id' } });
};
