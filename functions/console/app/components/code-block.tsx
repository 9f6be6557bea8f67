import './code-block.css';
import { CopyButton } from './copy-button.tsx';

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
      <code>{code}</code>
    </pre>
  </figure>
);
