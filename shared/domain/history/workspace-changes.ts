import { wireName, withWireNames } from '../changes/wire-names.ts';
import type { LongText, Workspace } from '../workspace/workspace-record.ts';
import { type AttributeChange, type AttributeValue, compareValues } from './history-entry.ts';

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

const stateVersion = (of: { readonly id: string; readonly serial: number } | null | undefined) =>
  of ? { id: of.id, serial: of.serial } : null;

/** Attributes of a workspace with one value each, by their wire names. Null stands for no value. */
const attributes: Readonly<Record<string, (workspace: Workspace) => unknown>> = {
  name: ({ name }) => name,
  project: ({ project }) => project,
  'setting-overwrites': ({ overwrites }) => withWireNames(overwrites),
  'vcs-repo': ({ vcsRepo }) => vcsRepo && withWireNames(vcsRepo),
  'ssh-key': ({ sshKey }) => sshKey,
  'data-retention-policy': ({ retentionPolicy }) => retentionPolicy && withWireNames(retentionPolicy),
  lock: ({ lock }) => {
    if (lock === undefined) return null;
    const { by: holder, at, expiresAt, renewedBy: _, ...rest } = lock;
    const expiry = expiresAt !== undefined && { 'expires-at': time(expiresAt) };
    return { ...withWireNames(rest), holder, at: time(at), ...expiry };
  },
  'current-state-version': ({ current }) => stateVersion(current),
  'intermediate-state-version': ({ intermediate }) => stateVersion(intermediate),
  'pending-state-version': ({ pending }) => stateVersion(pending),
  'current-run': ({ run, runStatus }) => run && { id: run.id, status: runStatus },
  'current-configuration-version': ({ configurationVersion }) => configurationVersion?.id,
  'deleted-at': ({ deletedAt }) => deletedAt && time(deletedAt),
};

/** Settings whose value is a time. */
const times: ReadonlySet<string> = new Set(['autoDestroyAt']);

const settingValue = (name: string, value: unknown): unknown => {
  if (times.has(name) && typeof value === 'number') return time(value);
  return typeof value === 'object' && value !== null ? withWireNames(value) : value;
};

/** Lists the values of a workspace that its own item has, without its long text. */
const valuesOf = (workspace: Workspace): AttributeValue[] => [
  ...Object.entries(attributes).map(([attribute, read]) => ({ attribute, value: read(workspace) })),
  ...Object.entries(workspace.settings).map(([name, value]) => ({
    attribute: wireName(name),
    value: settingValue(name, value),
  })),
  ...workspace.tags.map(({ key, value = null }) => ({ attribute: 'tag-bindings', member: key, value: { value } })),
  ...Object.entries(workspace.access).map(([team, value]) => ({ attribute: 'team-access', member: team, value })),
];

/** Converts the long text of a workspace to attributes by their wire names. */
export const textAttributes = ({ description, triggerPatterns, triggerPrefixes }: LongText) => ({
  description,
  'trigger-patterns': triggerPatterns,
  'trigger-prefixes': triggerPrefixes,
});

const textValues = (text: LongText | undefined): AttributeValue[] =>
  text === undefined ? [] : Object.entries(textAttributes(text)).map(([attribute, value]) => ({ attribute, value }));

/**
 * Lists the attributes in which two states of a workspace differ (HIST-4). Long text is compared only if both states
 * have it. A deletion changes no other attributes.
 * @param before undefined for a new workspace.
 */
export const workspaceChanges = (before: Workspace | undefined, after: Workspace): AttributeChange[] => {
  const hasText = after.text !== undefined && (before === undefined || before.text !== undefined);
  const valuesWithText = (workspace: Workspace | undefined) =>
    workspace === undefined ? [] : [...valuesOf(workspace), ...(hasText ? textValues(workspace.text) : [])];
  return compareValues(valuesWithText(before), valuesWithText(after));
};

/** Lists the attributes in which two states of long text differ, from their values by wire name. */
export const textChanges = (
  old: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): AttributeChange[] => {
  const values = (of: Readonly<Record<string, unknown>>) =>
    Object.entries(of).map(([attribute, value]) => ({ attribute, value }));
  return compareValues(values(old), values(current));
};
