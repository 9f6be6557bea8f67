import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isNotFound } from '../../../../shared/client/errors.ts';
import { accountQuery } from '../api/organizations.ts';
import { Loaded } from '../components/loaded.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

interface Person {
  /** Id and name of the user. */
  readonly user: string;
  readonly name: string;
}

interface ForPersonProps {
  /** Title of the page. */
  readonly title: string;
  /** Renders the page for the user. */
  readonly children: (person: Person) => ReactNode;
}

/** Shows a page on which a person allows a login. The token of a team, an organization or a run stands for no person (LOGIN-2). */
export const ForPerson = ({ title, children }: ForPersonProps) => {
  const { pathname, searchStr } = useLocation();
  const account = useQuery({ ...accountQuery(), retry: false });
  if (account.data !== undefined) {
    const { id, attributes } = account.data.document.data;
    return children({ user: id, name: attributes.username });
  }
  return (
    <Page title={title} isNarrow>
      {isNotFound(account.error) ? (
        <Notice kind="warning" title="You are not signed in as a user">
          <p>The token of this session belongs to a team, an organization or a run. Only a person can allow a login.</p>
          <p>
            <Link to="/sign-in" search={{ to: pathname + searchStr }}>
              Sign in as a user
            </Link>
          </p>
        </Notice>
      ) : (
        <Loaded query={account}>{() => null}</Loaded>
      )}
    </Page>
  );
};
