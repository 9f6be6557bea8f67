import { isDeepStrictEqual } from 'node:util';
import { equals, merge } from '../../changes/conditions.ts';
import type { Inactivity } from '../../directory/records.ts';
import type { Tags } from '../../tags/tag.ts';
import { inactivityChange } from '../../workspace/auto-destroy.ts';
import type { Provider } from '../../workspace/vcs.ts';
import type { VcsRepo, Workspace } from '../../workspace/workspace-record.ts';
import { repeatableTransition, type Transition } from '../transition.ts';

/** Transitions of workspaces that still refer to a deleted record (REMOVE-3). */

/** The project to which the workspaces of a deleted project move. */
interface NewProject {
  readonly id: string;
  readonly inactivity: Inactivity | undefined;
  /** Lists the tags that a workspace may not have in this project (TAG-21). */
  readonly findOverrides: (tags: Tags) => Tags;
}

/** Moves the workspace from a deleted project to the default project of its organization. */
export const leaveProject = (
  project: string,
  { id: to, inactivity, findOverrides }: NewProject,
  at: number,
): Transition =>
  repeatableTransition(
    'workspace.moved',
    (image) => image.project !== project,
    (image) => {
      const overrides = findOverrides(image.tags);
      const tags = overrides.length > 0 && { tags: image.tags.filter((tag) => !overrides.includes(tag)) };
      return {
        condition: equals('revision', image.revision),
        change: merge(
          { set: { ...tags, project: to, updatedAt: at, revision: image.revision + 1 } },
          // Inactivity in the previous project does not count (DESTROY-3).
          inactivityChange(image, inactivity, image.settings.inheritsProjectAutoDestroy ? at : undefined),
        ),
        claims: [{ kind: 'take', name: image.name, project: to }],
        keys: ['project', ...(tags ? ['tags'] : [])],
        previous: { project },
      };
    },
  );

/** Removes the agent pool from the settings. A workspace whose own execution mode is `agent` inherits its mode. */
export const withoutAgentPool = ({ settings, overwrites }: Pick<Workspace, 'settings' | 'overwrites'>) => {
  const isAgent = settings.executionMode === 'agent';
  return {
    settings: { ...settings, agentPool: null, ...(isAgent && { executionMode: null }) },
    overwrites: { executionMode: overwrites.executionMode && !isAgent, agentPool: false },
    keys: [...(isAgent ? ['executionMode'] : []), 'agentPool', 'overwrites'],
  };
};

/** Unassigns a deleted agent pool. A workspace whose own execution mode is `agent` inherits its mode from then on. */
export const unassignAgentPool = (pool: string, at: number): Transition =>
  repeatableTransition(
    'workspace.updated',
    ({ settings }) => settings.agentPool !== pool,
    (image) => {
      const { keys, ...without } = withoutAgentPool(image);
      const { revision } = image;
      return {
        condition: equals('revision', revision),
        change: { set: { ...without, updatedAt: at, revision: revision + 1 } },
        keys,
      };
    },
  );

/**
 * Removes the repository of a deleted VCS connection or app installation.
 * @param uses returns whether a repository belongs to the deleted record.
 */
export const removeRepository = (uses: (repository: VcsRepo) => boolean, at: number): Transition =>
  repeatableTransition(
    'workspace.updated',
    ({ vcsRepo }) => vcsRepo === null || !uses(vcsRepo),
    ({ revision }) => ({
      condition: equals('revision', revision),
      change: { set: { vcsRepo: null, updatedAt: at, revision: revision + 1 } },
      keys: ['vcsRepo'],
    }),
  );

/** Updates the workspace's copy of its VCS connection or app installation, if it still uses that connection or installation. */
export const refreshRepository = (provider: Provider): Transition => {
  const uses = ({ vcsRepo }: Workspace): boolean =>
    vcsRepo !== null &&
    vcsRepo.oauthTokenId === provider.oauthTokenId &&
    vcsRepo.appInstallationId === provider.appInstallationId;
  return repeatableTransition(
    'workspace.updated',
    (image) => !uses(image) || isDeepStrictEqual({ ...image.vcsRepo, ...provider }, image.vcsRepo),
    ({ vcsRepo, revision }) => ({
      condition: equals('revision', revision),
      change: { set: { vcsRepo: { ...vcsRepo, ...provider } }, add: { revision: 1 } },
      keys: ['vcs-repo'],
    }),
  );
};
