import type { ReactNode } from 'react';
import { withoutInvisible } from '../lib/invisible.ts';
import './page.css';
import { toVisible } from './visible-text.tsx';

interface PageProps {
  readonly title: string;
  /** Links to the pages above this one. */
  readonly above?: ReactNode;
  /** Text or badges next to the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether the page is about one decision and stands in the middle of the window. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** Shows a page with its heading, and names the page in the title of the tab. */
export const Page = ({ title, above, aside, actions, isNarrow = false, children }: PageProps) => (
  <div className={isNarrow ? 'page page-narrow' : 'page'}>
    <PageTitle title={title} />
    <header className="page-header">
      <div className="page-heading">
        {above !== undefined && <div className="page-above">{above}</div>}
        <div className="cluster">
          <h1>{toVisible(title)}</h1>
          {aside}
        </div>
      </div>
      {actions !== undefined && <div className="cluster">{actions}</div>}
    </header>
    {children}
  </div>
);

/** Names the page in the title of the tab. */
export const PageTitle = ({ title }: { readonly title: string }) => (
  <title>{`${withoutInvisible(title)} · Holdfast`}</title>
);

/** Shows the number of all elements of a list next to its heading, once it is known. */
export const Count = ({ total = 0 }: { readonly total?: number | undefined }) =>
  total > 0 && <span className="muted">{total.toLocaleString()}</span>;

interface SectionProps {
  readonly title: ReactNode;
  /** Badges next to the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** Shows a part of a page with a heading. */
export const Section = ({ title, aside, actions, description, children }: SectionProps) => (
  <section className="section">
    <header className="section-header">
      <div>
        <div className="cluster">
          <h2>{title}</h2>
          {aside}
        </div>
        {description && <p className="muted">{description}</p>}
      </div>
      {actions !== undefined && <div className="cluster">{actions}</div>}
    </header>
    {children}
  </section>
);

/** Shows names with their values. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name} className="fact">
        <dt>{name}</dt>
        <dd>{toVisible(value)}</dd>
      </div>
    ))}
  </dl>
);
