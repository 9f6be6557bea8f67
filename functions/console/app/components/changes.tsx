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

/** Shows the old and the new value of an attribute, or the new one alone if there was none before. */
export const ChangedValue = (change: Change) => {
  const current = formatValue(change.new, change.name);
  const hasOld = change.old !== null && change.old !== undefined;
  return (
    <li>
      <span className="changes-name">{toVisible(change.name)}</span>{' '}
      <span>
        {hasOld && (
          <>
            <del>{toVisible(formatValue(change.old, change.name))}</del>{' '}
          </>
        )}
        <span className="changes-new">
          {hasOld && <span aria-hidden="true">→ </span>}
          {current === formatValue(null) ? <span className="muted">{current}</span> : <ins>{toVisible(current)}</ins>}
        </span>
      </span>
    </li>
  );
};
