import { notFound, StatePending } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { retry } from '../lib/retry.ts';

type Look = (whose: {
  readonly workspace: string;
  readonly id: string;
  readonly createdAt: number;
}) => Promise<unknown>;

/** One version is looked for after the other; each look makes it settled, or known not to have come. */
const MAX_CHECKS = 3;

/**
 * Does what must not pass over a state whose content has come: where one may have, it is looked for, and everything is
 * decided anew.
 * @param attempt told the version that was looked for last; throws StatePending for one that was not.
 */
export const retryAfterContentCheck = <T>(
  first: Workspace,
  find: (id: string) => Promise<Workspace | undefined>,
  look: Look,
  attempt: (image: Workspace, looked: string | undefined) => Promise<T>,
): Promise<T> => {
  let looked: string | undefined;
  const attemptOnce = async (_: number, error: unknown): Promise<T> => {
    if (!(error instanceof StatePending)) return attempt(first, undefined);
    const { id, at: createdAt } = error.pending;
    await look({ workspace: first.id, id, createdAt });
    looked = id;
    const image = await find(first.id);
    if (image === undefined) throw notFound();
    return attempt(image, looked);
  };
  return retry(attemptOnce, {
    attempts: MAX_CHECKS + 1,
    retryOn: (error) => error instanceof StatePending && error.pending.id !== looked,
  });
};
