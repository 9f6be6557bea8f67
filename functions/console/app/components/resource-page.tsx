import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { HistorySearch } from '../lib/history-search.ts';
import { Button } from './button.tsx';
import { OptionsMenu } from './options-menu.tsx';
import { Page } from './page.tsx';

/** An action on the resource of a page, which opens a dialog. */
interface PageAction {
  readonly label: string;
  readonly isDangerous?: boolean;
  /** Reason why it cannot be used. */
  readonly disabledReason: string | undefined;
  readonly dialog: (onClose: () => void) => ReactNode;
}

interface ResourcePageProps {
  readonly organization: string;
  readonly title: string;
  /** Link to the list of resources of this kind. */
  readonly list: ReactNode;
  /** Badges next to the title. */
  readonly badges?: ReactNode;
  readonly request: ApiRequest;
  /** Filters of the audit trail that leave the changes of the resource, or those that it has made. */
  readonly changes?: HistorySearch | undefined;
  readonly actions: readonly PageAction[];
  /** Text below the heading. */
  readonly description?: ReactNode;
  /** Sections next to the content. */
  readonly facts: ReactNode;
  readonly children: ReactNode;
}

/** Shows the page of one resource: its actions in the header, its content, and its facts next to that. */
export const ResourcePage = ({
  organization,
  title,
  list,
  badges,
  request,
  changes,
  actions,
  description,
  facts,
  children,
}: ResourcePageProps) => {
  const [open, setOpen] = useState<string>();
  return (
    <Page
      title={title}
      above={list}
      aside={badges}
      actions={
        <>
          <OptionsMenu of="the page" requests={[request]} />
          {changes !== undefined && <ChangesLink organization={organization} search={changes} />}
          {actions.map(({ label, isDangerous, disabledReason }) => (
            <Button
              key={label}
              look={isDangerous ? 'quiet-danger' : 'secondary'}
              disabledReason={disabledReason}
              onClick={() => setOpen(label)}
            >
              {label}
            </Button>
          ))}
        </>
      }
    >
      {description}
      <div className="page-columns">
        <div className="stack">{children}</div>
        <div className="stack">{facts}</div>
      </div>
      {actions.find(({ label }) => label === open)?.dialog(() => setOpen(undefined))}
    </Page>
  );
};

interface ChangesLinkProps {
  readonly organization: string;
  readonly search: HistorySearch;
}

/** Shows a link to the changes in the audit trail. */
export const ChangesLink = ({ organization, search }: ChangesLinkProps) => (
  <Link to="/$organization/audit-trail" params={{ organization }} search={search} className="button button-quiet">
    Show changes
  </Link>
);
