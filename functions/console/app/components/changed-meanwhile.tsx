import { useEffect, useRef, useState } from 'react';
import { type Change, compareAttributes, withoutRepetitions } from '../../../../shared/client/compare.ts';
import { ApiError } from '../../../../shared/client/errors.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import { Changes } from './changes.tsx';
import { Notice } from './notice.tsx';

interface Revised {
  readonly data: { readonly attributes: object };
}

/** Returns the attributes that the user has changed in a form. Only these are sent, so that the changes of others remain. */
export const changedEntries = <A extends object>(before: A, entered: A): Partial<A> =>
  Object.fromEntries(
    Object.entries(entered).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof A]),
    ),
  ) as Partial<A>;

/** Returns the entry of a field after a change by somebody else: what the user has entered, otherwise the newest value. */
export const rebaseEntry = <T,>(entered: T, former: T, newest: T): T =>
  JSON.stringify(entered) === JSON.stringify(former) ? newest : entered;

/** Returns the entries of a form after a change by somebody else: those of the user, and the newest values of all other fields. */
export const rebaseEntries = <E extends object>(entered: E, former: E, newest: E): E => ({
  ...newest,
  ...changedEntries(former, entered),
});

/**
 * Returns the revision that an edit is based on. If the service rejects the edit with 412, the newest revision becomes the
 * base, so that the user sees what changed meanwhile and submits again.
 * @param initial the revision that the user has opened or saved last; undefined for a new resource.
 * @param error error of the last attempt.
 * @param reload reads the newest revision; undefined for a new resource.
 * @param onRevised shows the newest values in the fields that the user has not changed.
 */
export const useRevision = <D extends Revised>(
  initial: Reply<D> | undefined,
  error: unknown,
  reload?: () => Promise<Reply<D>>,
  onRevised?: (former: D, newest: D) => void,
): { readonly base: Reply<D> | undefined; readonly changes: readonly Change[] | undefined } => {
  const [revised, setRevised] = useState<{
    readonly initial: Reply<D> | undefined;
    readonly base: Reply<D>;
    readonly changes: readonly Change[];
  }>();
  const handled = useRef<unknown>(undefined);
  // A revision that the user has saved replaces an earlier one.
  const current = revised?.initial === initial ? revised : undefined;
  const base = current?.base ?? initial;
  useEffect(() => {
    if (!reload || !(error instanceof ApiError) || error.status !== 412 || handled.current === error) return;
    handled.current = error;
    reload().then(
      (newest) => {
        const changes = withoutRepetitions(
          compareAttributes({ ...base?.document.data.attributes }, { ...newest.document.data.attributes }),
        );
        setRevised({ initial, base: newest, changes });
        if (base !== undefined) onRevised?.(base.document, newest.document);
      },
      () => setRevised(undefined),
    );
  }, [error, reload, base, initial, onRevised]);
  return { base, changes: current?.changes };
};

interface ChangedMeanwhileProps {
  readonly changes: readonly Change[] | undefined;
  /** Whether the form removes something. */
  readonly isDangerous?: boolean;
}

/** Shows what somebody else has changed since the user opened a form or a page. */
export const ChangedMeanwhile = ({ changes, isDangerous = false }: ChangedMeanwhileProps) =>
  changes === undefined ? null : (
    <Notice kind="warning" title="Somebody else has changed this meanwhile" isLive>
      {changes.length > 0 && <Changes changes={changes} />}
      <p>
        {isDangerous
          ? 'Continue only if it is still right.'
          : 'Your entries are kept. Submit again to apply them to the present version.'}
      </p>
    </Notice>
  );
