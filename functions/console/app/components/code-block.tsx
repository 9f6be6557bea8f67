import './code-block.css';
import { CopyButton } from './copy-button.tsx';

/** Longest word that stays on one line, in characters: with the indentation, it fits on narrow screens. */
const LONGEST_WORD = 28;

/** Longest code whose words are elements, in characters: the browser would need too long for more. */
const LONGEST = 50_000;

/** Shows lines to copy. */
export const CodeBlock = ({ code, label }: { readonly code: string; readonly label: string }) => (
  <figure className="code-block" aria-label={label}>
    <figcaption className="code-block-header">
      <span>
        {label}
        {code.includes('$HOLDFAST_TOKEN') && ': set HOLDFAST_TOKEN to your token first'}
      </span>
      <CopyButton text={code} subject={label} />
    </figcaption>
    {/* The block scrolls, so it must be reachable by keyboard. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>
      <code>{code.length > LONGEST ? code : code.split(/(?<=\n)/).map(toLine)}</code>
    </pre>
  </figure>
);

/** Returns a line of code whose words are elements. The backslash that ends it belongs to its last word. */
const toLine = (line: string, number: number) => (
  <span key={number} className="code-line">
    {line.split(/( +(?!\\\n)|\n)/).map((part, position) =>
      part.trim() === '' || part.length > LONGEST_WORD ? (
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
