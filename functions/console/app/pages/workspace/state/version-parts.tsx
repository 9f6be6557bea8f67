import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { StateVersion } from '../../../../../../shared/client/state-versions.ts';
import { useMemberNames } from '../../../api/use-member-names.ts';
import { Badge } from '../../../components/badge.tsx';
import { ResourceLink } from '../../../components/resource-link.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import { useWorkspace } from '../use-workspace.ts';

/** Name of the root module in the address of the page. No module has it: addresses of modules begin with `module`. */
export const ROOT_MODULE = 'root';

/** Search parameters of the page of a state version, which choose and group its resources. */
export interface ResourceSearch {
  /** Part of an address or id. */
  readonly search?: string;
  readonly group?: string;
  readonly type?: string;
  /** Address of a module; the modules in it belong to it. `root` is the root module. */
  readonly module?: string;
}

interface VersionLinkProps {
  /** Id of a state version of the workspace, or `current`. */
  readonly version: string;
  readonly search?: ResourceSearch;
  readonly children: ReactNode;
}

/** Shows a link to the page of a state version, with its resources. */
export const VersionLink = ({ version, search = {}, children }: VersionLinkProps) => {
  const { organization, name } = useWorkspace();
  return (
    <Link
      to="/$organization/workspaces/$workspace/state/$version"
      params={{ organization, workspace: name, version }}
      search={search}
    >
      {children}
    </Link>
  );
};

/** Returns whether a rollback has created the version, which has the number of an older one. */
export const isRollback = ({ relationships }: StateVersion): boolean =>
  relationships['rollback-state-version'].data !== null;

interface VersionBadgesProps {
  readonly version: StateVersion;
  /** Id of the current version. */
  readonly current: string | undefined;
  /** The version before it, if that is known. */
  readonly previous?: StateVersion | undefined;
}

/** Says whether a version is the current one, and whether a rollback has created it. */
export const VersionBadges = ({ version, current, previous }: VersionBadgesProps) => (
  <>
    {version.id === current && <Badge>current</Badge>}
    {isRollback(version) && (
      <Badge>{previous === undefined ? 'rollback' : `rolled back from ${previous.attributes.serial}`}</Badge>
    )}
  </>
);

/** Returns the names of the users who have created state versions, by their ids. */
export const useCreatorNames = (versions: readonly StateVersion[]): ReadonlyMap<string, string> => {
  const isUserCreator = versions.some(({ relationships }) => relationships['created-by'].data?.type === 'users');
  return useMemberNames(useWorkspace().organization, isUserCreator);
};

interface CreatorProps {
  readonly version: StateVersion;
  /** Names of users by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

/** Shows the run that wrote a state, or who else did. */
export const Creator = ({ version: { relationships }, names }: CreatorProps) => {
  const { organization, name } = useWorkspace();
  const run = relationships.run.data;
  const creator = relationships['created-by'].data;
  if (run !== null) {
    return (
      <Link to="/$organization/workspaces/$workspace/runs/$run" params={{ organization, workspace: name, run: run.id }}>
        {run.id}
      </Link>
    );
  }
  if (creator === null) return <span className="muted">unknown</span>;
  const label = names.get(creator.id) ?? creator.id;
  return creator.type === 'runs' ? toVisible(label) : <ResourceLink type={creator.type} id={creator.id} name={label} />;
};

/** Formats the size of a state. */
export const formatSize = (bytes: number | null): string => {
  if (bytes === null) return 'unknown';
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
};
