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
}

/** Shows numbers of workspaces as bars. Each leads to the list of these workspaces. */
export const CountList = ({
  organization,
  label,
  rows,
}: {
  readonly organization: string;
  readonly label: string;
  readonly rows: readonly CountRow[];
}) => {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ul className="count-list" aria-label={label}>
      {rows.map(({ key, label, count, search, tone = 'usual' }) => {
        const content = (
          <>
            <span className="count-label">{label}</span>
            <span className="count-track" aria-hidden="true">
              <span className={`count-bar count-${tone}`} style={{ inlineSize: `${(100 * count) / most}%` }} />
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
