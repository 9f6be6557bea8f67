import { Link } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { useForgottenPage } from '../lib/recent-pages.ts';

interface WorkspaceNotFoundProps {
  readonly organization: string;
  /** Name or id of the workspace. */
  readonly name: string;
}

/** Says that there is no workspace with a name or an id, and where to continue. */
export const WorkspaceNotFound = ({ organization, name }: WorkspaceNotFoundProps) => {
  useForgottenPage(`/${organization}/workspaces/${name}`);
  return (
    <Page title={`Workspace “${name}” not found`}>
      <p>
        It does not exist any more, has another name, or you may not see it. Continue with{' '}
        <Link to="/$organization/workspaces" params={{ organization }}>
          all workspaces
        </Link>{' '}
        or{' '}
        <Link to="/$organization/deleted-workspaces" params={{ organization }}>
          deleted workspaces
        </Link>
        .
      </p>
    </Page>
  );
};
