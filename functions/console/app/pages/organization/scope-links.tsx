import { useQuery } from '@tanstack/react-query';
import type { WorkloadScope } from '../../../../../shared/client/workload-identities.ts';
import { listAllWorkspaces } from '../../../../../shared/client/workspaces.ts';
import { projectsQuery } from '../../api/organizations.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Links } from '../../components/resource-link.tsx';
import { useOrganizationName } from './use-organization.ts';

interface Identifier {
  readonly id: string;
}

interface ScopeLinksProps {
  readonly projects: readonly Identifier[];
  readonly workspaces?: readonly Identifier[];
}

/** Number of links of a kind that are shown. */
const SHOWN = 3;

/** Shows projects and workspaces as links, with the names that the first page of their lists has. */
export const ScopeLinks = ({ projects, workspaces = [] }: ScopeLinksProps) => {
  const organization = useOrganizationName();
  const named = {
    projects: useQuery({ ...projectsQuery(organization), enabled: projects.length > 0 }).data?.document.data,
    workspaces: useQuery({ ...apiQuery(listAllWorkspaces(organization, 1, 100)), enabled: workspaces.length > 0 }).data
      ?.document.data,
  };
  const linksTo = (kind: keyof WorkloadScope, resources: readonly Identifier[]) =>
    resources.length > 0 && (
      <div>
        {kind}:{' '}
        <Links
          type={kind}
          resources={resources.slice(0, SHOWN).map(({ id }) => ({
            id,
            name: named[kind]?.find((one) => one.id === id)?.attributes.name ?? id,
          }))}
          others={Math.max(0, resources.length - SHOWN)}
        />
      </div>
    );
  if (projects.length + workspaces.length === 0) return 'nothing yet';
  return (
    <div>
      {linksTo('projects', projects)}
      {linksTo('workspaces', workspaces)}
    </div>
  );
};
