import { type Change, expandChange, formatValue } from '../lib/compare.ts';
import { toLabel } from '../lib/words.ts';
import './changes.css';

/** Shows old and new values. */
export const Changes = ({ changes }: { readonly changes: readonly Change[] }) => (
  <ul className="changes">
    {changes.flatMap(expandChange).map((change) => (
      <ChangedValue key={change.name} {...change} name={toLabel(change.name)} />
    ))}
  </ul>
);

/** Shows the old and the new value of an attribute, or the new one alone if there was none before. */
export const ChangedValue = ({
  format = formatValue,
  ...change
}: Change & { readonly format?: (value: unknown) => string }) => (
  <li>
    <span className="changes-name">{change.name}</span>{' '}
    {change.old !== null && change.old !== undefined && (
      <>
        <del>{format(change.old)}</del> <span aria-hidden="true">→</span>{' '}
      </>
    )}
    <ins>{format(change.new)}</ins>
  </li>
);
