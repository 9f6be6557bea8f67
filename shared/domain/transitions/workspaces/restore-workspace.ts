import { all, type Condition, equals, exists, merge } from '../../changes/conditions.ts';
import type { Inactivity } from '../../directory/records.ts';
import { notFound } from '../../errors.ts';
import type { Tag } from '../../tags/tag.ts';
import { inactivityChange, inactivityDuration } from '../../workspace/auto-destroy.ts';
import type { Provider } from '../../workspace/vcs.ts';
import { isAlive, isRestorable, type VcsRepo, type Workspace } from '../../workspace/workspace-record.ts';
import { promote } from '../locks/unlock.ts';
import type { RequestContext, Transition } from '../transition.ts';
import { leavesDependants, queuedExpiry, tombstoneExpiry } from './delete-workspace.ts';
import { withoutAgentPool } from './drop-references.ts';

/** Builds the condition that nobody has restored or purged the deleted workspace since it was read. */
const asDeleted = (purgeAt: number): Condition => all(exists('deletedAt'), equals('purgeAt', purgeAt));

/**
 * Maximum number of access id pointers that the write of a restoration deletes. DynamoDB allows 100 writes in a transaction,
 * and the others write the workspace, its name and its long text.
 */
export const MOST_DROPPED_ACCESS = 90;

/** Target of a restoration, and what of the references of the workspace still exists. */
export interface Restoration {
  /** New name; undefined for the name that the workspace had. */
  readonly name: string | undefined;
  /** Target project, and the auto-destroy duration that it passes on. */
  readonly project: { readonly id: string; readonly inactivity: Inactivity | undefined };
  /**
   * Ids of teams that have access to the workspace and no longer exist. The id pointers of those after the first
   * `MOST_DROPPED_ACCESS` have been deleted.
   */
  readonly missingTeams: readonly string[];
  readonly hasAgentPool: boolean;
  readonly hasSshKey: boolean;
  /** Tags that the workspace may not have in the target project (TAG-21), with the ids of the bindings. */
  readonly overrides: readonly { readonly id: string; readonly key: string }[];
  /** The present data of the VCS connection or app installation; undefined if it no longer exists. */
  readonly provider: Provider | undefined;
}

/** Types of what a restored workspace can lose: references to records by their type on the wire, and attributes. */
export const droppedTypes = [
  'projects',
  'teams',
  'agent-pools',
  'ssh-keys',
  'oauth-tokens',
  'github-app-installations',
  'tag-bindings',
  'attributes',
] as const;

/** A reference, or an attribute, that a restored workspace loses. */
export interface Dropped {
  readonly type: (typeof droppedTypes)[number];
  readonly id: string;
}

const providerOf = ({ oauthTokenId, appInstallationId }: VcsRepo): Dropped =>
  oauthTokenId === null
    ? { type: 'github-app-installations', id: String(appInstallationId) }
    : { type: 'oauth-tokens', id: oauthTokenId };

/** Tells whether a destroy run was due at a fixed time that has passed. It would be requested at once. */
const hasMissedDestroy = (image: Workspace, at: number): boolean => {
  const { autoDestroyAt } = image.settings;
  return inactivityDuration(image) === null && autoDestroyAt !== null && autoDestroyAt <= at;
};

/** Lists what a workspace loses when it is restored (DEL-19). @param at time of the request, in milliseconds. */
export const findDropped = (image: Workspace, restoration: Restoration, at: number): readonly Dropped[] => {
  const { settings, sshKey, vcsRepo } = image;
  const { project, missingTeams, hasAgentPool, hasSshKey, overrides, provider } = restoration;
  const dropped: Dropped[] = missingTeams.map((id) => ({ type: 'teams', id }));
  if (project.id !== image.project) dropped.push({ type: 'projects', id: image.project });
  if (settings.agentPool !== null && !hasAgentPool) dropped.push({ type: 'agent-pools', id: settings.agentPool });
  if (sshKey !== null && !hasSshKey) dropped.push({ type: 'ssh-keys', id: sshKey });
  if (vcsRepo !== null && provider === undefined) dropped.push(providerOf(vcsRepo));
  dropped.push(...overrides.map(({ id }): Dropped => ({ type: 'tag-bindings', id })));
  if (hasMissedDestroy(image, at)) dropped.push({ type: 'attributes', id: 'auto-destroy-at' });
  return dropped;
};

/** Computes the attributes without what the workspace loses, and the names of those that change. */
const withoutDropped = (image: Workspace, restoration: Restoration, at: number) => {
  const types = new Set(findDropped(image, restoration, at).map(({ type }) => type));
  const { vcsRepo } = image;
  const { provider, missingTeams, overrides } = restoration;
  const isOverride = ({ key }: Tag): boolean => overrides.some((override) => override.key === key);
  const pooled = types.has('agent-pools') ? withoutAgentPool(image) : { settings: image.settings, keys: [] };
  const { keys, settings, ...overwrites } = pooled;
  return {
    set: {
      ...overwrites,
      settings: types.has('attributes') ? { ...settings, autoDestroyAt: null } : settings,
      ...(types.has('ssh-keys') && { sshKey: null }),
      ...(types.has('tag-bindings') && { tags: image.tags.filter((tag) => !isOverride(tag)) }),
      ...(vcsRepo !== null && { vcsRepo: provider ? { ...vcsRepo, ...provider } : null }),
      ...(types.has('teams') && {
        access: Object.fromEntries(Object.entries(image.access).filter(([team]) => !missingTeams.includes(team))),
      }),
    },
    keys: [
      ...keys,
      ...(types.has('attributes') ? ['autoDestroyAt'] : []),
      ...(types.has('ssh-keys') ? ['sshKey'] : []),
      ...(types.has('tag-bindings') ? ['tags'] : []),
      ...(vcsRepo !== null && provider === undefined ? ['vcsRepo'] : []),
    ],
  };
};

/**
 * Restores a deleted workspace (DEL-18), without its lock and without references to records that no longer exist. An
 * intermediate state version that waited for the end of the lock becomes the current one, as by a force-unlock. The
 * restoration counts as activity, so that no destroy run is due because of the time in which the workspace was deleted.
 *
 * `plan` throws a `DomainError`: 404 unless the workspace is deleted and can be restored.
 * @param at time of the request, in milliseconds.
 */
export const restore = (request: RequestContext, restoration: Restoration, at: number): Transition => ({
  type: 'workspace.restored',
  plan: (image) => {
    // If an earlier attempt of this request restored it, it was deleted again since.
    if (!isRestorable(image, at) || image.restoration?.request === request.id) throw notFound();
    const { change } = image;
    const deletion = change.type === 'workspace.deleted' ? change.request : undefined;
    const { name = image.name, project, missingTeams } = restoration;
    const isRenamed = name !== image.name;
    const isMoved = project.id !== image.project;
    const isTimed = inactivityDuration({ ...image, projectInactivity: project.inactivity }) !== null;
    const promoted = promote(image);
    const { set, keys } = withoutDropped(image, restoration, at);
    return {
      condition: all(asDeleted(image.purgeAt), promoted.condition),
      change: merge(
        promoted.change,
        {
          set: {
            ...set,
            name,
            project: project.id,
            updatedAt: at,
            revision: image.revision + 1,
            restoration: { request: request.id, ...(deletion !== undefined && { deletion }) },
            ...(isTimed && { activityAt: at }),
          },
          add: { fence: 1 },
          remove: ['deletedAt', 'purgeAt', 'ttl', 'lock'],
        },
        inactivityChange(image, project.inactivity),
      ),
      claims: [{ kind: 'take', name, project: project.id }],
      accessIds: missingTeams.slice(0, MOST_DROPPED_ACCESS).map((team) => ({ kind: 'delete', team })),
      keys: [...keys, ...(isRenamed ? ['name'] : []), ...(isMoved ? ['project'] : [])],
      ...((isRenamed || isMoved) && {
        previous: { ...(isRenamed && { name: image.name }), ...(isMoved && { project: image.project }) },
      }),
      ...(promoted.stateVersion && { stateVersion: promoted.stateVersion }),
    };
  },
  // Other requests may have changed it since.
  applied: (image) => isAlive(image) && image.restoration?.request === request.id,
  counter: 'sequence',
});

/**
 * Ends the time in which a deleted workspace can be restored (DEL-20). From then on its tombstone is final, and the cleanup
 * removes its dependants.
 *
 * `plan` throws a `DomainError`: 404 unless the workspace is deleted and has not been purged.
 * @param at time of the request, in milliseconds.
 */
export const purge = (request: RequestContext, at: number): Transition => ({
  type: 'workspace.purged',
  plan: (image) => {
    if (image?.deletedAt === undefined || image.purgeAt === undefined) throw notFound();
    const hasDependants = leavesDependants(image);
    return {
      condition: asDeleted(image.purgeAt),
      change: { set: { ttl: hasDependants ? queuedExpiry(at) : tombstoneExpiry(at) }, remove: ['purgeAt'] },
      leavesDependants: hasDependants,
    };
  },
  applied: ({ deletedAt, purgeAt, change }) =>
    deletedAt !== undefined &&
    purgeAt === undefined &&
    change.type === 'workspace.purged' &&
    change.request === request.id,
});
