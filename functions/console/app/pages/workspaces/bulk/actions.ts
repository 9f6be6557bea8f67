import type { BulkChange } from '../../../../../../shared/client/bulk-jobs.ts';
import type { ExecutionMode, Variable } from '../../../../../../shared/client/types.ts';
import { actionLabels } from '../../../lib/bulk-jobs.ts';
import { splitList, splitTag } from '../search.ts';

/** Input of the user for an action on several workspaces. Each action reads the values that it needs. */
export interface BulkInput {
  readonly tags: string;
  readonly project: string;
  readonly version: string;
  /** The mode `agent` needs an agent pool, which is chosen for one workspace at a time. */
  readonly mode: Exclude<ExecutionMode, 'agent'> | 'inherit';
  readonly protection: 'true' | 'false' | 'inherit';
  readonly key: string;
  readonly category: Exclude<Variable['attributes']['category'], 'infra'>;
  readonly value: string;
  readonly isHcl: boolean;
  readonly variableSet: string;
  readonly reason: string;
  readonly isForced: boolean;
  readonly note: string;
}

export const emptyInput: BulkInput = {
  tags: '',
  project: '',
  version: '',
  mode: 'remote',
  protection: 'true',
  key: '',
  category: 'terraform',
  value: '',
  isHcl: false,
  variableSet: '',
  reason: '',
  isForced: false,
  note: '',
};

/** An action on several workspaces. */
export interface BulkAction {
  readonly label: string;
  /** The menu has a line above it. */
  readonly startsGroup?: boolean;
  /** Values that must not be empty, by the labels of their fields. */
  readonly required?: (input: BulkInput) => Readonly<Record<string, string>>;
  /** The action and the parameters of the bulk job (JOB-2). */
  readonly change: (input: BulkInput) => Pick<BulkChange, 'action' | 'parameters'>;
}

/** A setting that is taken from the project or the organization is one that the workspace does not overwrite. */
const update = (attributes: Readonly<Record<string, unknown>>) =>
  ({ action: 'update', parameters: attributes }) as const;

/** Adds tags. If one of them has a value, all are bindings: those without a value are flat tags (TAG-16). */
const addTags = ({ tags }: BulkInput) => {
  const bindings = splitList(tags).map(splitTag);
  return bindings.some(({ value }) => value !== '')
    ? ({ action: 'add-tag-bindings', parameters: { 'tag-bindings': bindings } } as const)
    : ({ action: 'add-tags', parameters: { tags: splitList(tags) } } as const);
};

const assigns = (action: 'assign-variable-set' | 'unassign-variable-set'): BulkAction => ({
  label: actionLabels[action],
  required: ({ variableSet }) => ({ 'Variable set': variableSet }),
  change: ({ variableSet }) => ({ action, parameters: { 'variable-set': variableSet } }),
});

export const bulkActions = {
  lock: {
    label: actionLabels.lock,
    change: ({ reason }) => ({ action: 'lock', parameters: { ...(reason.trim() !== '' && { reason }) } }),
  },
  unlock: {
    label: actionLabels.unlock,
    required: ({ isForced, reason }) => (isForced ? { Reason: reason } : {}),
    change: ({ isForced, reason }) =>
      isForced ? { action: 'force-unlock', parameters: { reason } } : { action: 'unlock', parameters: {} },
  },
  tag: {
    startsGroup: true,
    label: actionLabels['add-tags'],
    required: ({ tags }) => ({ Tags: tags }),
    change: addTags,
  },
  untag: {
    label: actionLabels['remove-tags'],
    required: ({ tags }) => ({ Tags: tags }),
    change: ({ tags }) => ({ action: 'remove-tags', parameters: { tags: splitList(tags) } }),
  },
  move: {
    label: actionLabels.move,
    required: ({ project }) => ({ Project: project }),
    change: ({ project }) => ({ action: 'move', parameters: { project } }),
  },
  version: {
    startsGroup: true,
    label: 'Set the tool version',
    required: ({ version }) => ({ 'Tool version': version }),
    change: ({ version }) => update({ 'infra-version': version.trim() }),
  },
  mode: {
    label: 'Set the execution mode',
    change: ({ mode }) =>
      update(
        mode === 'inherit'
          ? { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } }
          : { 'execution-mode': mode },
      ),
  },
  protect: {
    label: 'Set the deletion protection',
    change: ({ protection }) =>
      update(
        protection === 'inherit'
          ? { 'setting-overwrites': { 'deletion-protection': false } }
          : { 'deletion-protection': protection === 'true' },
      ),
  },
  variable: {
    startsGroup: true,
    label: actionLabels['set-variable'],
    required: ({ key }) => ({ Key: key }),
    change: ({ key, category, value, isHcl }) => ({
      action: 'set-variable',
      parameters: { key, category, value, hcl: isHcl },
    }),
  },
  'no-variable': {
    label: actionLabels['delete-variable'],
    required: ({ key }) => ({ Key: key }),
    change: ({ key, category }) => ({ action: 'delete-variable', parameters: { key, category } }),
  },
  set: assigns('assign-variable-set'),
  'no-set': assigns('unassign-variable-set'),
  delete: {
    startsGroup: true,
    label: actionLabels['safe-delete'],
    change: () => ({ action: 'safe-delete', parameters: {} }),
  },
} as const satisfies Readonly<Record<string, BulkAction>>;

export type BulkActionName = keyof typeof bulkActions;
