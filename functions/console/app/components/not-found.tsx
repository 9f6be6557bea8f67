import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useForgottenPage } from '../lib/recent-pages.ts';
import { Page } from './page.tsx';

interface NotFoundProps {
  /** Kind of the resource, such as "Project". */
  readonly kind: string;
  /** Link to the list of resources of this kind. */
  readonly list: ReactNode;
  /** Says why a resource that existed is not shown, in place of the usual reasons. */
  readonly reason?: string;
}

/** Says that there is nothing at the address of a resource, and where to continue. */
export const NotFound = ({
  kind,
  list,
  reason = 'It does not exist any more, or you may not see it.',
}: NotFoundProps) => {
  useForgottenPage(useLocation().pathname);
  return (
    <Page title={`${kind} not found`}>
      <p>
        {reason} Continue with {list}.
      </p>
    </Page>
  );
};
