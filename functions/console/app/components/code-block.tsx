import './code-block.css';
import { CopyButton } from './copy-button.tsx';

/** Longest code whose words are elements, in characters: the browser would need too long for more. */
const LONGEST = 50_000;

/** Shows lines to copy. */
export const CodeBlock = ({ code, label }: { readonly code: string; readonly label: string }) => (
  <figure className="code-block">
    <figcaption className="code-block-header">
      <span>{label}</span>
      <CopyButton text={code} />
    </figcaption>
    {/* The block scrolls, so it must be reachable by keyboard. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>
      <code>{code.length > LONGEST ? code : code.split(/(?<=\n)/).map(toLine)}</code>
    </pre>
  </figure>
);

/**
 * Returns a line of code whose words are elements. The spaces that indent it belong to its first word,
 * and the backslash that ends it to its last one.
 */
const toLine = (line: string, number: number) => (
  <span key={number} className="code-line">
    {line.split(/(?<=\S)( +(?!\\\n)|\n)/).map((part, position) =>
      part.trim() === '' ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a line have no identity but their place
        <span key={position} className="code-word">
          {part}
        </span>
      ),
    )}
  </span>
);
