import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isNotFound } from '../../../../shared/client/errors.ts';
import type { DocumentOf } from '../../../../shared/client/types.ts';
import { accountQuery } from '../api/organizations.ts';
import { Loaded } from '../components/loaded.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

const useAccount = () => useQuery({ ...accountQuery(), retry: false });

/** Shows a page of the user, whose name is next to the title. */
export const UserPage = (page: Parameters<typeof Page>[0]) => {
  const name = useAccount().data?.document.data.attributes.username;
  return <Page {...page} aside={<span className="muted">{name}</span>} />;
};

interface WithAccountProps {
  /** Title of the page. */
  readonly title: string;
  /** Shows the page of the user. */
  readonly children: (account: DocumentOf<'get', '/api/v2/account/details'>) => ReactNode;
}

/** Loads the user of the token for a page, and says so if the token belongs to nobody. */
export const WithAccount = ({ title, children }: WithAccountProps) => {
  const account = useAccount();
  if (account.data !== undefined) return children(account.data.document);
  return (
    <UserPage title={title}>
      {isNotFound(account.error) ? (
        <Notice kind="info" title="You are not signed in as a user">
          <p>
            The token of this session belongs to a team, an organization or a run. Sign in with the token of a user.
          </p>
        </Notice>
      ) : (
        <Loaded query={account}>{() => null}</Loaded>
      )}
    </UserPage>
  );
};
