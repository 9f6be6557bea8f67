import type { ApiRequest } from '../../../api/request.ts';
import { sendPatiently } from '../../../api/send.ts';
import {
  addTagBindings,
  addTags,
  forceUnlockWorkspace,
  lockWorkspace,
  previewUpdate,
  unlockWorkspace,
  updateWorkspace,
  type WorkspaceChange,
  type WorkspaceRow,
} from '../../../api/workspaces.ts';
import type { Change } from '../../../lib/compare.ts';
import { missingPermission } from '../../../lib/permissions.ts';
import { splitList, splitTag } from '../search.ts';

/** Input of the user for an action on several workspaces. Each action reads the values that it needs. */
export interface BulkInput {
  readonly tags: string;
  readonly project: string;
  readonly projectName: string;
  readonly version: string;
  readonly mode: 'remote' | 'local' | 'inherit';
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
  /** Why the action would be rejected. */
  readonly reason?: string;
}

/** An action on several workspaces. */
export interface BulkAction {
  readonly label: string;
  /** Says why the input cannot be used. */
  readonly missing: (input: BulkInput) => string | undefined;
  readonly preview: (row: WorkspaceRow, input: BulkInput) => Preview | Promise<Preview>;
  readonly requests: (row: WorkspaceRow, input: BulkInput) => readonly ApiRequest[];
}

const refused = (reason: string): Preview => ({ outcome: 'refused', changes: [], reason });

/** Other names of attributes, which would repeat a change. */
const synonyms = ['terraform-version', 'operations'];

/** An update of the workspace, which the service previews by a dry run. */
const update = (
  label: string,
  missing: BulkAction['missing'],
  changeOf: (input: BulkInput) => WorkspaceChange,
): BulkAction => ({
  label,
  missing,
  preview: async ({ workspace }, input) => {
    const { document } = await sendPatiently(previewUpdate(workspace.id, changeOf(input)));
    const { outcome, changes, refusal } = document.data.attributes;
    if (outcome === 'refused') return refused(refusal?.detail ?? refusal?.title ?? 'The service rejects the change.');
    return {
      outcome: outcome === 'unchanged' ? 'unchanged' : 'changed',
      changes: Object.entries(changes)
        .filter(([name]) => !synonyms.includes(name))
        .map(([name, { old, new: value }]) => ({ name, old, new: value })),
    };
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
  preview: ({ workspace: { attributes }, lockedBy }, { isForced }) => {
    const missing = missingPermission(attributes.permissions, isForced ? 'can-force-unlock' : 'can-unlock');
    if (missing !== undefined) return refused(missing);
    if (!attributes.locked) return { outcome: 'unchanged', changes: [] };
    return { outcome: 'changed', changes: [{ name: 'locked', old: `by ${lockedBy}`, new: false }] };
  },
  requests: ({ workspace }, { isForced, reason }) => [
    isForced ? forceUnlockWorkspace(workspace.id, reason) : unlockWorkspace(workspace.id),
  ],
};

export const bulkActions = {
  tag,
  move: update(
    'Move to a project',
    ({ project }) => (project === '' ? 'Choose a project.' : undefined),
    ({ project }) => ({ relationships: { project: { data: { id: project } } } }),
  ),
  version: update(
    'Set the version',
    ({ version }) => (version.trim() === '' ? 'Enter a version.' : undefined),
    ({ version }) => ({ attributes: { 'infra-version': version.trim() } }),
  ),
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
    'Protect against deletion',
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
