import type { ReactNode } from 'react';
import { type Change, expandChange } from '../../../../shared/client/compare.ts';
import { formatValue } from '../lib/compare.ts';
import { toLabel } from '../lib/words.ts';
import './changes.css';
import { toVisible } from './visible-text.tsx';

/** Shows old and new values. */
export const Changes = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length > 0 && (
    <ul className="changes">
      {changes.flatMap(expandChange).map((change) => (
        <ChangedValue key={change.name} {...change} name={toLabel(change.name)} />
      ))}
    </ul>
  );

interface ChangedValueProps<V> {
  readonly name: string;
  readonly old: V | null | undefined;
  readonly new: V | null | undefined;
  /** Shows a value. By default, it is a text. */
  readonly show?: (value: V) => ReactNode;
}

/** Shows the old and the new value of an attribute, or the new one alone if there was none before. */
export const ChangedValue = <V,>({
  name,
  old,
  new: current,
  show = (value) => toVisible(formatValue(value, name)),
}: ChangedValueProps<V>) => {
  const hasOld = old !== null && old !== undefined;
  const isNone = current === null || current === undefined || formatValue(current, name) === formatValue(null);
  return (
    <li>
      <span className="changes-name">{toVisible(name)}</span>{' '}
      <span className="changes-values">
        {hasOld && (
          <>
            <del>{show(old)}</del>{' '}
          </>
        )}
        <span className="changes-new">
          {hasOld && <span aria-hidden="true">→ </span>}
          {isNone ? <span className="muted">{formatValue(null)}</span> : <ins>{show(current)}</ins>}
        </span>
      </span>
    </li>
  );
};
