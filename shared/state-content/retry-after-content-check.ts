import { notFound, StatePending } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';

type Look = (whose: {
  readonly workspace: string;
  readonly id: string;
  readonly createdAt: number;
}) => Promise<unknown>;

/** One version is looked for after the other; each look makes it settled, or known not to have come. */
const LOOKS = 3;

/**
 * Does what must not pass over a state whose content has come: where one may have, it is looked for, and everything is
 * decided anew.
 * @param attempt told the version that was looked for last; throws StatePending for one that was not.
 */
export const afterLooking = async <T>(
  first: Workspace,
  find: (id: string) => Promise<Workspace | undefined>,
  look: Look,
  attempt: (image: Workspace, looked: string | undefined) => Promise<T>,
): Promise<T> => {
  let image = first;
  let looked: string | undefined;
  for (let looks = 0; ; looks++) {
    try {
      return await attempt(image, looked);
    } catch (error) {
      if (!(error instanceof StatePending) || error.pending.id === looked || looks === LOOKS) throw error;
      const { id, at: createdAt } = error.pending;
      await look({ workspace: image.id, id, createdAt });
      looked = id;
      const found = await find(image.id);
      if (found === undefined) throw notFound();
      image = found;
    }
  }
};
