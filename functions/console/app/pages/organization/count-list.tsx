import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WorkspaceSearch } from '../workspaces/search.ts';

/** A number of workspaces, with the search that lists them. */
export interface CountRow {
  readonly key: string;
  readonly label: ReactNode;
  readonly count: number;
  /** Absent where no filter finds these workspaces. */
  readonly search?: WorkspaceSearch;
  readonly tone?: 'warning' | 'danger' | undefined;
  /** Whether the row above counts these workspaces, too. */
  readonly isPart?: true;
}

/** Shows numbers of workspaces as bars, each as its part of all rows. Each leads to the list of these workspaces. */
export const CountList = ({
  organization,
  label,
  rows,
}: {
  readonly organization: string;
  readonly label: string;
  readonly rows: readonly CountRow[];
}) => {
  const all = rows.reduce((sum, { count, isPart }) => (isPart ? sum : sum + count), 0);
  return (
    <ul className="count-list" aria-label={label}>
      {rows.map(({ key, label, count, search, tone = 'usual', isPart }) => {
        const content = (
          <>
            <span className={isPart ? 'count-part' : undefined}>{label}</span>
            <span className="count-track" aria-hidden="true">
              {count > 0 && (
                <span className={`count-bar count-${tone}`} style={{ inlineSize: `${(100 * count) / all}%` }} />
              )}
            </span>
            <span className="count-number">{count.toLocaleString()}</span>
          </>
        );
        return (
          <li key={key}>
            {search === undefined || count === 0 ? (
              <span className="count-row">{content}</span>
            ) : (
              <Link to="/$organization/workspaces" params={{ organization }} search={search} className="count-row">
                {content}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
};
