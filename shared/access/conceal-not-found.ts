import { isNotFound, notFound } from '../domain/errors.ts';

/**
 * Waits for a change of a record that the caller was authorized for. If the record was deleted meanwhile, the 404 of
 * the store names it; the response must be the same as for a record that never existed (PERM-3).
 * @throws DomainError 404 without a detail of the store, and every other error of the change.
 */
export const concealNotFound = async <T>(change: Promise<T>): Promise<T> => {
  try {
    return await change;
  } catch (error) {
    throw isNotFound(error) ? notFound() : error;
  }
};
