import { Link, type LinkComponentProps, linkOptions, useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { HistoryEntry } from '../../../../shared/client/history.ts';
import type { Workspace } from '../../../../shared/client/types.ts';
import { nameOfActor } from '../lib/actor.ts';
import { toVisible } from './visible-text.tsx';

type ResourceType = HistoryEntry['relationships']['resource']['data']['type'];

/** Types of resources that have pages of their own, or those of the resources that they connect. */
type WithPage =
  | 'bulk-jobs'
  | 'organization-memberships'
  | 'projects'
  | 'team-memberships'
  | 'teams'
  | 'varsets'
  | 'workspaces';

/** Pages that list the resources of a type. */
const lists = {
  'agent-pools': '/$organization/agent-pools',
  'authentication-tokens': '/$organization/api-tokens',
  'github-app-installations': '/$organization/vcs-connections',
  'oauth-tokens': '/$organization/vcs-connections',
  organizations: '/$organization/settings',
  'ssh-keys': '/$organization/ssh-keys',
  'workload-identities': '/$organization/workload-identities',
} as const satisfies Record<Exclude<ResourceType, WithPage>, string>;

/** Attributes of the link itself, in a table whose links are no stops of the Tab key. */
type LinkAttributes = Pick<LinkComponentProps<'a'>, 'className' | 'tabIndex' | 'title' | 'onKeyDown'>;

/** Returns the address of the page of a resource, or of the list that marks it. */
const addressOf = (type: ResourceLinkProps['type'], organization: string, id: string) => {
  switch (type) {
    case 'workspaces':
      return linkOptions({ to: '/$organization/workspace-ids/$id', params: { organization, id } });
    case 'projects':
      return linkOptions({ to: '/$organization/projects/$project', params: { organization, project: id } });
    case 'teams':
      return linkOptions({ to: '/$organization/teams/$team', params: { organization, team: id } });
    case 'team-memberships':
      return linkOptions({
        to: '/$organization/teams/$team',
        params: { organization, team: id.split('/')[0] ?? id },
      });
    case 'users':
    case 'organization-memberships':
      return linkOptions({ to: '/$organization/members/$member', params: { organization, member: id } });
    case 'varsets':
      return linkOptions({
        to: '/$organization/variable-sets/$variableSet',
        params: { organization, variableSet: id },
      });
    case 'bulk-jobs':
      return linkOptions({ to: '/$organization/bulk-jobs/$id', params: { organization, id } });
    default:
      return linkOptions({ to: lists[type], params: { organization }, hash: id });
  }
};

interface ResourceLinkProps extends LinkAttributes {
  /** A user is shown as a member of the organization. */
  readonly type: ResourceType | 'users';
  readonly id: string;
  /** Null for memberships, whose ids consist of the ids of the team and the user. */
  readonly name: string | null;
  /** Names of resources by their ids. */
  readonly names?: ReadonlyMap<string, string>;
  /** A resource that was deleted has no page. */
  readonly isDeleted?: boolean;
}

/** Shows the name of a resource as a link to its page, or to the list of resources of its type, which marks it. */
export const ResourceLink = ({ type, id, name, names, isDeleted = false, ...attributes }: ResourceLinkProps) => {
  const { organization = '' } = useParams({ strict: false });
  const parts = id.split('/').map((part) => names?.get(part) ?? part);
  const label = toVisible(name ?? parts.join(' / '));
  if (isDeleted) return label;
  return (
    <Link {...addressOf(type, organization, id)} {...attributes}>
      {label}
    </Link>
  );
};

interface RunLinkProps extends LinkAttributes {
  /** Id of the workspace. */
  readonly workspace: string;
  /** Id of the run. */
  readonly run: string;
  readonly children: ReactNode;
}

/** Shows a link to the page of a run, where only the id of its workspace is known. */
export const RunLink = ({ workspace, run, children, ...attributes }: RunLinkProps) => {
  const { organization = '' } = useParams({ strict: false });
  return (
    <Link
      to="/$organization/workspace-ids/$id"
      params={{ organization, id: workspace }}
      search={{ run }}
      {...attributes}
    >
      {children}
    </Link>
  );
};

interface HolderLinkProps extends LinkAttributes {
  readonly workspace: Workspace;
  readonly name: string;
  /** The name, and what follows it. */
  readonly label?: string;
}

/** Shows who holds the lock of a workspace, as a link to their page. */
export const HolderLink = ({ workspace, name, label = name, ...attributes }: HolderLinkProps) => {
  const holder = workspace.relationships['locked-by'].data;
  // The API names no team that the caller may not see.
  if (holder === null) return toVisible(label);
  return (
    <span>
      {holder.type === 'runs' ? (
        <RunLink workspace={workspace.id} run={holder.id} {...attributes}>
          {toVisible(name)}
        </RunLink>
      ) : (
        <ResourceLink type={holder.type} id={holder.id} name={name} {...attributes} />
      )}
      <span className="muted">{toVisible(label.slice(name.length))}</span>
    </span>
  );
};

interface LinksProps {
  readonly type: ResourceLinkProps['type'];
  readonly resources: readonly { readonly id: string; readonly name: string }[];
  /** Number of further resources, which are not shown. */
  readonly others?: number;
}

/** Shows the names of several resources of one type as links, by name. */
export const Links = ({ type, resources, others = 0 }: LinksProps) => {
  if (resources.length === 0) return null;
  const sorted = resources.toSorted((first, second) => first.name.localeCompare(second.name));
  return (
    <span>
      {sorted.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <ResourceLink type={type} id={id} name={name} />
        </Fragment>
      ))}
      {others > 0 && `, ${others.toLocaleString()} more`}
    </span>
  );
};

interface ActorLinkProps {
  readonly actor: HistoryEntry['attributes']['actor'];
  /** Id of the workspace that a run as the actor belongs to. */
  readonly workspace?: string | undefined;
}

/** Shows who made a change, as a link to their page if they have one. */
export const ActorLink = ({ actor, workspace }: ActorLinkProps) => {
  const { kind, id, name } = actor;
  const label = nameOfActor(actor);
  // The API names nobody whom the caller may not see.
  if (id === null || name === null) return toVisible(label);
  if (kind === 'user') return <ResourceLink type="users" id={id} name={label} />;
  if (kind === 'team') return <ResourceLink type="teams" id={id} name={label} />;
  if (kind === 'workload-identity') return <ResourceLink type="workload-identities" id={id} name={label} />;
  if (kind === 'run' && workspace !== undefined) {
    return (
      <RunLink workspace={workspace} run={id}>
        {toVisible(label)}
      </RunLink>
    );
  }
  return toVisible(label);
};
