import { DomainError } from '../../domain/errors.ts';

/**
 * Place of whatever does not exist: an organization, a project and a workspace that cannot exist, because their names are
 * empty. A decision on it reads them as it reads those of something that exists, so that the time of a 404 does not tell the
 * two apart (PERM-21).
 */
export const NOWHERE = { organization: '', project: '', workspace: '' } as const;

/** Decides a request. It calls `enter` with the name of the organization of what was requested, once it is known. */
type Decide<T> = (consistent: boolean, enter: (organization: string) => void) => Promise<T>;

/** Decides once. A rejection names the organization in which the caller was rejected, for its audit trail (HIST-18). */
const decideOnce = async <T>(decide: Decide<T>, consistent: boolean): Promise<T> => {
  let entered: string | undefined;
  try {
    return await decide(consistent, (organization) => {
      entered = organization;
    });
  } catch (error) {
    if (error instanceof DomainError && error.isAccessDenied) error.rejectedIn = entered;
    throw error;
  }
};

/**
 * Decides a request with eventually consistent reads, which are cheaper but may miss a recent change. Before a request
 * is rejected, it is decided again with strongly consistent reads, so new tokens and grants work at once (PERM-18). This
 * holds for every rejection: one that were confirmed less would be faster, and tell why it was rejected (PERM-21).
 * @param decide reads and decides; throws a DomainError to reject the request.
 */
export const confirmRejection = async <T>(decide: Decide<T>): Promise<T> => {
  try {
    return await decideOnce(decide, false);
  } catch (error) {
    const isAccessDenied = error instanceof DomainError && error.code !== 'unavailable';
    if (!isAccessDenied) throw error;
    return decideOnce(decide, true);
  }
};
