import { DomainError, notFound } from '../../domain/errors.ts';

/** Creates a 404 that is not confirmed again, because strongly consistent reads led to it. */
export const confirmedNotFound = (): DomainError => Object.assign(notFound(), { confirmed: true });

/**
 * Decides a request with eventually consistent reads, which are cheaper but may miss a recent change. Before a request
 * is rejected, it is decided again with strongly consistent reads, so new tokens and grants work at once (PERM-18).
 * @param attempt reads and decides; throws a DomainError to reject the request.
 */
export const confirmRefusal = async <T>(attempt: (consistent: boolean) => Promise<T>): Promise<T> => {
  try {
    return await attempt(false);
  } catch (error) {
    const isRefusal = error instanceof DomainError && error.code !== 'unavailable';
    if (!isRefusal || 'confirmed' in error) throw error;
    return attempt(true);
  }
};
