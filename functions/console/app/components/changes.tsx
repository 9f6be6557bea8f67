import { type Change, expandChange, formatValue } from '../lib/compare.ts';
import './changes.css';

/** Shows old and new values. */
export const Changes = ({ changes }: { readonly changes: readonly Change[] }) => (
  <ul className="changes">
    {changes.flatMap(expandChange).map((change) => (
      <li key={change.name}>
        <span className="changes-name">{change.name}</span> <del>{formatValue(change.old)}</del>{' '}
        <span aria-hidden="true">→</span> <ins>{formatValue(change.new)}</ins>
      </li>
    ))}
  </ul>
);
