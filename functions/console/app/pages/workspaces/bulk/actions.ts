import { type Change, withoutRepetitions } from '../../../../../../shared/client/compare.ts';
import type { ApiRequest } from '../../../../../../shared/client/request.ts';
import { showCurrentState } from '../../../../../../shared/client/state-versions.ts';
import type { ExecutionMode, Workspace } from '../../../../../../shared/client/types.ts';
import {
  addTagBindings,
  addTags,
  forceUnlockWorkspace,
  hasState,
  lockWorkspace,
  previewUpdate,
  removeTags,
  unlockWorkspace,
  updateWorkspace,
  type WorkspaceChange,
} from '../../../../../../shared/client/workspaces.ts';
import { sendPatiently } from '../../../api/send.ts';
import type { WorkspaceRow } from '../../../api/workspaces.ts';
import { isFinalStatus } from '../../../components/badge.tsx';
import { missingPermission } from '../../../lib/permissions.ts';
import { isOlder, warnOfOlder } from '../../../lib/versions.ts';
import { runStatusLabel } from '../../../lib/words.ts';
import { splitList, splitTag } from '../search.ts';
import type { Sought } from '../use-unused.ts';

/** Input of the user for an action on several workspaces. Each action reads the values that it needs. */
export interface BulkInput {
  readonly tags: string;
  readonly project: string;
  readonly projectName: string;
  readonly version: string;
  /** The mode `agent` needs an agent pool, which is chosen for one workspace at a time. */
  readonly mode: Exclude<ExecutionMode, 'agent'> | 'inherit';
  readonly reason: string;
  readonly isForced: boolean;
  readonly protection: 'true' | 'false' | 'inherit';
}

export const emptyInput: BulkInput = {
  tags: '',
  project: '',
  projectName: '',
  version: '',
  mode: 'remote',
  reason: '',
  isForced: false,
  protection: 'true',
};

/** The effect that an action would have on one workspace. */
export interface Preview {
  readonly outcome: 'changed' | 'unchanged' | 'refused';
  readonly changes: readonly Change[];
  /** Reasons for the user to hesitate. */
  readonly warnings?: readonly string[];
  /** Reason why the action would be rejected. */
  readonly reason?: string;
}

/** An action on several workspaces. */
export interface BulkAction {
  readonly label: string;
  /** Says why the input cannot be used. */
  readonly missing: (input: BulkInput) => string | undefined;
  /** `caller` is the id of the user of the token, if it is known. */
  readonly preview: (row: WorkspaceRow, input: BulkInput, caller?: string) => Preview | Promise<Preview>;
  readonly requests: (row: WorkspaceRow, input: BulkInput) => readonly ApiRequest[];
  /** Returns the tags and versions of the input. The preview warns of those that no workspace has. */
  readonly sought?: (input: BulkInput) => readonly Sought[];
}

const refused = (reason: string): Preview => ({ outcome: 'refused', changes: [], reason });

/** Returns a warning if a change of the version of the tool may make the state unreadable. Only older versions need a request. */
const versionWarning = async (workspace: Workspace, changes: readonly Change[]): Promise<string | undefined> => {
  const find = (attribute: string) => changes.find(({ name }) => name === attribute);
  const { old: present, new: version } = find('infra-version-resolved') ?? find('infra-version') ?? {};
  if (!hasState(workspace) || !isOlder(version, present)) return undefined;
  const mayRead = workspace.attributes.permissions['can-read-state-versions'];
  const state = mayRead ? (await sendPatiently(showCurrentState(workspace.id))).document.data : undefined;
  return warnOfOlder(version, state?.attributes['terraform-version'] ?? String(present));
};

/** Lists what is unusual about a change of a workspace: a version that may not read the state, a lock, a run in progress. */
const warningsOf = async (
  { workspace, run, lockedBy }: WorkspaceRow,
  changes: readonly Change[],
): Promise<readonly string[]> => {
  const version = await versionWarning(workspace, changes);
  const status = run?.attributes.status;
  return [
    ...(version === undefined ? [] : [version]),
    ...(workspace.attributes.locked
      ? [`Locked by ${lockedBy}, who may be working with it. The lock does not prevent this change.`]
      : []),
    ...(status === undefined || isFinalStatus(status) ? [] : [`A run is in progress: ${runStatusLabel(status)}.`]),
  ];
};

/** An update of the workspace, which the service previews by a dry run. */
const update = (
  label: string,
  missing: BulkAction['missing'],
  changeOf: (input: BulkInput) => WorkspaceChange,
): BulkAction => ({
  label,
  missing,
  preview: async (row, input) => {
    const { document } = await sendPatiently(previewUpdate(row.workspace.id, changeOf(input)));
    const { outcome, changes: changed, refusal } = document.data.attributes;
    if (outcome === 'refused') return refused(refusal?.detail ?? refusal?.title ?? 'The service rejects the change.');
    if (outcome === 'unchanged') return { outcome, changes: [] };
    const changes = Object.entries(changed).map(([name, { old, new: value }]) => ({ name, old, new: value }));
    return { outcome: 'changed', changes: withoutRepetitions(changes), warnings: await warningsOf(row, changes) };
  },
  requests: ({ workspace }, input) => [updateWorkspace(workspace.id, changeOf(input))],
});

const newTags = ({ tags: present }: WorkspaceRow, { tags }: BulkInput) => {
  const wanted = splitList(tags).filter((tag) => !present.includes(tag));
  return {
    flat: wanted.filter((tag) => splitTag(tag).value === ''),
    bindings: wanted.map(splitTag).filter(({ value }) => value !== ''),
  };
};

const tag: BulkAction = {
  label: 'Add tags',
  missing: ({ tags }) => (splitList(tags).length === 0 ? 'Enter at least one tag.' : undefined),
  sought: ({ tags }) => splitList(tags).map((name) => ({ tags: name })),
  preview: (row, input) => {
    const reason = missingPermission(row.workspace.attributes.permissions, 'can-manage-tags');
    if (reason !== undefined) return refused(reason);
    const { flat, bindings } = newTags(row, input);
    if (flat.length + bindings.length === 0) return { outcome: 'unchanged', changes: [] };
    const added = [...flat, ...bindings.map(({ key, value }) => `${key}=${value}`)];
    return {
      outcome: 'changed',
      changes: [{ name: 'tags', old: row.tags.join(', '), new: [...row.tags, ...added].join(', ') }],
    };
  },
  requests: (row, input) => {
    const { flat, bindings } = newTags(row, input);
    const { id } = row.workspace;
    return [
      ...(flat.length > 0 ? [addTags(id, flat)] : []),
      ...(bindings.length > 0 ? [addTagBindings(id, bindings)] : []),
    ];
  },
};

const untag: BulkAction = {
  ...tag,
  label: 'Remove tags',
  missing: (input) =>
    splitList(input.tags).some((name) => splitTag(name).value !== '')
      ? 'Only tags without a value can be removed here.'
      : tag.missing(input),
  preview: ({ workspace: { attributes } }, { tags }) => {
    const reason = missingPermission(attributes.permissions, 'can-manage-tags');
    if (reason !== undefined) return refused(reason);
    const present = attributes['tag-names'];
    const remaining = present.filter((name) => !splitList(tags).includes(name));
    if (remaining.length === present.length) return { outcome: 'unchanged', changes: [] };
    return { outcome: 'changed', changes: [{ name: 'tags', old: present.join(', '), new: remaining.join(', ') }] };
  },
  requests: ({ workspace }, { tags }) => [removeTags(workspace.id, splitList(tags))],
};

const lock: BulkAction = {
  label: 'Lock',
  missing: () => undefined,
  preview: ({ workspace: { attributes }, lockedBy }, { reason }) => {
    const missing = missingPermission(attributes.permissions, 'can-lock');
    if (missing !== undefined) return refused(missing);
    if (attributes.locked) return refused(`It is already locked by ${lockedBy}.`);
    return {
      outcome: 'changed',
      changes: [
        { name: 'locked', old: false, new: true },
        ...(reason === '' ? [] : [{ name: 'locked-reason', old: '', new: reason }]),
      ],
    };
  },
  requests: ({ workspace }, { reason }) => [lockWorkspace(workspace.id, reason)],
};

const unlock: BulkAction = {
  label: 'Unlock',
  missing: ({ isForced, reason }) =>
    isForced && reason.trim() === '' ? 'Give a reason for releasing locks of others.' : undefined,
  preview: ({ workspace: { attributes, relationships }, lockedBy }, { isForced }, caller) => {
    const missing = missingPermission(attributes.permissions, isForced ? 'can-force-unlock' : 'can-unlock');
    if (missing !== undefined) return refused(missing);
    if (!attributes.locked) return { outcome: 'unchanged', changes: [] };
    const isForeign = caller !== undefined && relationships['locked-by'].data?.id !== caller;
    if (isForeign && !isForced)
      return refused(`Only ${lockedBy} can unlock it. Go back to release locks of others, too.`);
    return { outcome: 'changed', changes: [{ name: 'locked', old: `by ${lockedBy}`, new: false }] };
  },
  requests: ({ workspace }, { isForced, reason }) => [
    isForced ? forceUnlockWorkspace(workspace.id, reason) : unlockWorkspace(workspace.id),
  ],
};

export const bulkActions = {
  tag,
  untag,
  move: update(
    'Move to a project',
    ({ project }) => (project === '' ? 'Choose a project.' : undefined),
    ({ project }) => ({ relationships: { project: { data: { id: project } } } }),
  ),
  version: {
    ...update(
      'Set the tool version',
      ({ version }) => (version.trim() === '' ? 'Enter a version.' : undefined),
      ({ version }) => ({ attributes: { 'infra-version': version.trim() } }),
    ),
    sought: ({ version }) => [{ version: version.trim() }],
  },
  mode: update(
    'Set the execution mode',
    () => undefined,
    ({ mode }) => ({
      attributes:
        mode === 'inherit'
          ? { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } }
          : { 'execution-mode': mode },
    }),
  ),
  protect: update(
    'Set the deletion protection',
    () => undefined,
    ({ protection }) => ({
      attributes:
        protection === 'inherit'
          ? { 'setting-overwrites': { 'deletion-protection': false } }
          : { 'deletion-protection': protection === 'true' },
    }),
  ),
  lock,
  unlock,
} as const satisfies Readonly<Record<string, BulkAction>>;

export type BulkActionName = keyof typeof bulkActions;
