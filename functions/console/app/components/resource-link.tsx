import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { toVisible } from './visible-text.tsx';

type ResourceType = HistoryEntry['relationships']['resource']['data']['type'];

/** Pages that list the resources of a type. */
const lists = {
  'agent-pools': '/$organization/agent-pools',
  'authentication-tokens': '/$organization/api-tokens',
  'github-app-installations': '/$organization/vcs-connections',
  'oauth-tokens': '/$organization/vcs-connections',
  'organization-memberships': '/$organization/members',
  organizations: '/$organization/settings',
  'ssh-keys': '/$organization/ssh-keys',
  'team-memberships': '/$organization/teams',
  teams: '/$organization/teams',
  'workload-identities': '/$organization/workload-identities',
} as const satisfies Record<Exclude<ResourceType, 'workspaces' | 'varsets' | 'bulk-jobs' | 'projects'>, string>;

interface ResourceLinkProps {
  readonly type: ResourceType;
  readonly id: string;
  /** Null for memberships, whose ids consist of the ids of the team and the user. */
  readonly name: string | null;
  /** Names of resources by their ids. */
  readonly names?: ReadonlyMap<string, string>;
  /** A resource that was deleted has no page. */
  readonly isDeleted?: boolean;
}

/**
 * Shows the name of a resource as a link to its page, to the variables of a variable set, or to the list of resources of its
 * type if they have no pages.
 */
export const ResourceLink = ({ type, id, name, names, isDeleted = false }: ResourceLinkProps) => {
  const { organization = '' } = useParams({ strict: false });
  const parts = id.split('/').map((part) => names?.get(part) ?? part);
  const label = toVisible(name ?? parts.join(' / '));
  if (isDeleted) return label;
  switch (type) {
    case 'workspaces':
      return (
        <Link to="/$organization/workspace-ids/$id" params={{ organization, id }}>
          {label}
        </Link>
      );
    case 'projects':
      return (
        <Link to="/$organization/projects/$project" params={{ organization, project: id }}>
          {label}
        </Link>
      );
    case 'varsets':
      return (
        <Link to="/$organization/variable-sets" params={{ organization }} search={{ set: id }}>
          {label}
        </Link>
      );
    case 'bulk-jobs':
      return (
        <Link to="/$organization/bulk-jobs/$id" params={{ organization, id }}>
          {label}
        </Link>
      );
    default:
      return (
        <Link to={lists[type]} params={{ organization }}>
          {label}
        </Link>
      );
  }
};

interface RunLinkProps {
  /** Id of the workspace. */
  readonly workspace: string;
  /** Id of the run. */
  readonly run: string;
  readonly children: ReactNode;
}

/** Shows a link to the page of a run, where only the id of its workspace is known. */
export const RunLink = ({ workspace, run, children }: RunLinkProps) => {
  const { organization = '' } = useParams({ strict: false });
  return (
    <Link to="/$organization/workspace-ids/$id" params={{ organization, id: workspace }} search={{ run }}>
      {children}
    </Link>
  );
};
