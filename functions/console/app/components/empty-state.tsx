import type { ReactNode } from 'react';
import './empty-state.css';
import { CodeBlock } from './code-block.tsx';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** Lines to copy, by the tool that they are for. */
  readonly examples?: readonly { readonly label: string; readonly code: string }[];
}

/** Says that there is nothing yet, and what to do first. */
export const EmptyState = ({ title, children, action, examples = [] }: EmptyStateProps) => (
  <div className="empty-state">
    <h2>{title}</h2>
    {children}
    {action}
    {examples.length > 0 && (
      <div className="stack empty-state-examples">
        {examples.map((example) => (
          <CodeBlock key={example.label} {...example} />
        ))}
      </div>
    )}
  </div>
);
