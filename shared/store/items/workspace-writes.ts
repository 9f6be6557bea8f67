import { isDeepStrictEqual } from 'node:util';
import type { ChangeRecord } from '../../domain/changes/change-records.ts';
import {
  absent,
  all,
  applyChange,
  type Change,
  type Condition,
  equals,
  merge,
  unchanged,
} from '../../domain/changes/conditions.ts';
import type { Inactivity } from '../../domain/directory/records.ts';
import { computedId } from '../../domain/ids.ts';
import {
  type AccessIdWrite,
  ALIVE,
  type ClaimWrite,
  claimCondition,
  type Step,
} from '../../domain/transitions/transition.ts';
import { activityChange, computeDueTime, inactivityChange } from '../../domain/workspace/auto-destroy.ts';
import { type LongText, listedSettings, type Workspace } from '../../domain/workspace/workspace-record.ts';
import { cleanupPartition, duePartition, keys, listPartition } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { indexes } from '../dynamodb/table-definition.ts';
import { consumersWrites } from './consumer-items.ts';
import { itemWrite, put, remove, update } from './item-write.ts';
import { stateVersionWrite } from './state-version-items.ts';
import { attributes, longReason, storedAttributes, storedName } from './workspace-items.ts';

const projected = new Set<string>(indexes.list.projected);

/** Maximum size, in bytes, of long text that is stored in the workspace item. Longer text has its own item. */
const INLINE_TEXT = 512;

const size = (text: LongText): number => Buffer.byteLength(JSON.stringify(text));

const textWrite = (id: string, txt: LongText, rev: number): Write =>
  put(keys.workspaceText(id), 'workspace-text', { txt, rev }, all());

const accessIdWrite = ({ id: workspace, organization, project }: Workspace, { kind, team }: AccessIdWrite): Write => {
  if (kind === 'delete') return remove(keys.workspaceAccessId(workspace, team));
  const id = computedId('workspaceAccess', workspace, team);
  return itemWrite('workspace-access-id', { id, organization, workspace, project, team });
};

/** The items of a new workspace, none of which may exist. */
export const creationWrites = (workspace: Workspace, shards: number): Write[] => {
  const { text, ...rest } = workspace;
  const apart = size(text) > INLINE_TEXT;
  const due = computeDueTime(workspace);
  const attributes = {
    ...storedAttributes({
      ...rest,
      listedSettings: listedSettings(workspace),
      ...(due !== undefined && { due, dueShard: duePartition(workspace.id) }),
      ...(apart ? { textRevision: workspace.revision } : { text }),
    }),
    id: workspace.id,
    l: listPartition.workspacesOf(workspace.organization, workspace.id, shards),
  };
  return [
    itemWrite('workspace', attributes, absent('pk')),
    claimWrite(workspace, { kind: 'take', name: workspace.name, project: workspace.project }),
    ...(apart ? [textWrite(workspace.id, text, workspace.revision)] : []),
  ];
};

const claimWrite = (workspace: Pick<Workspace, 'id' | 'organization'>, claim: ClaimWrite): Write => {
  const key = keys.claim(workspace.organization, 'workspace', claim.name);
  const condition = claimCondition(claim.kind, workspace.id);
  if (claim.kind === 'give-up') return remove(key, condition);
  return put(key, 'workspace-name', { workspace: workspace.id, project: claim.project }, condition);
};

/**
 * Builds the writes of one step. The first one updates the workspace item. Every step also writes the change record,
 * its sequence number, the list position, the due time and the location of the long text. They are added here, so that
 * no transition can forget them.
 */
export const stepWrites = (
  image: Workspace,
  step: Step,
  changeRecord: ChangeRecord,
  now: number,
): { writes: Write[]; change: Change } => {
  const requested = step.isActivity ? merge(step.change, activityChange(image, now)) : step.change;
  const after = applyChange(requested, image);
  const due = dueStep(image, after, step.leavesDependants ? now : undefined);
  const change = merge(
    requested,
    { set: { change: changeRecord }, add: { sequence: 1 } },
    due.change,
    textChange(image, after, step.change),
    listedCopies(image, after),
  );
  const isListed = [...Object.keys(change.set ?? {}), ...(change.remove ?? [])].some((path) =>
    projected.has(storedName(path)),
  );
  const complete = isListed ? merge(change, { set: { listedAt: Math.max(now, image.listedAt + 1) } }) : change;
  // The time of the row must increase with every change, even if clocks differ. The time that was read must be
  // unchanged.
  const condition = all(step.condition, due.condition, isListed ? equals('listedAt', image.listedAt) : all());

  const text = complete.set?.['text'] as LongText | undefined;
  const revision = complete.set?.['textRevision'] as number | undefined;
  const stored = revision === undefined ? complete : withoutText(complete);
  return {
    change: complete,
    writes: [
      updateOf(image.id, condition, stored, after.deletedAt === undefined ? undefined : cleanupPartition(image.id)),
      ...(step.claims ?? []).map((claim) => claimWrite(image, claim)),
      ...(step.accessIds ?? []).map((accessId) => accessIdWrite(image, accessId)),
      ...(step.chunks === undefined ? [] : consumersWrites(image.id, step.chunks)),
      ...(step.stateWrites ?? []).map((write) => stateVersionWrite(image.id, write)),
      ...(text !== undefined && revision !== undefined ? [textWrite(image.id, text, revision)] : []),
      ...(complete.remove?.includes('textRevision') ? [remove(keys.workspaceText(image.id))] : []),
    ],
  };
};

/** Builds the update of a workspace item. A due time also sets the partition of the due index. */
const updateOf = (
  id: string,
  condition: Condition,
  { set = {}, remove = [], ...rest }: Change,
  partition = duePartition(id),
): Write => {
  const change = {
    ...rest,
    set: { ...set, ...(set['due'] !== undefined && { dueShard: partition }) },
    remove: [...remove, ...(remove.includes('due') ? ['dueShard'] : [])],
  };
  return update(keys.workspace(id), change, condition, attributes);
};

/**
 * Computes the due time after a change, and the condition that the replaced due time is unchanged. The due time depends
 * on settings and activity, which other requests may change at the same time. A deleted workspace is due for the cleanup:
 * at the end of the time in which it can be restored, and then as long as it has dependants.
 */
const dueStep = (
  image: Workspace,
  after: Workspace,
  cleanupAt: number | undefined,
): Pick<Step, 'condition' | 'change'> => {
  // Only deletion, restoration and purge change the due time of a deleted workspace, under conditions of their own.
  const isOrWasGone = image.deletedAt !== undefined || after.deletedAt !== undefined;
  const due = after.deletedAt === undefined ? computeDueTime(after) : (after.purgeAt ?? cleanupAt);
  if (due === image.due && !isOrWasGone) return { condition: all(), change: {} };
  return {
    condition: isOrWasGone ? all() : unchanged('due', image.due),
    change: due === undefined ? { remove: ['due'] } : { set: { due } },
  };
};

/**
 * Builds the write that copies the auto-destroy settings of the project to a workspace. It adds no change record, so no
 * event is published. Only the cleanup reads the copy.
 */
export const inactivityWrite = (image: Workspace, passed: Inactivity | undefined): Write => {
  const change = inactivityChange(image, passed);
  const due = dueStep(image, applyChange(change, image), undefined);
  const known = image.projectInactivity;
  const asSeen = unchanged(known ? 'projectInactivity.since' : 'projectInactivity', known?.since);
  const condition = all(ALIVE, equals('project', image.project), asSeen, due.condition);
  return updateOf(image.id, condition, merge(change, due.change));
};

/** Stores a long reason of the lock apart, and copies the settings that lists filter by, where a change concerns them (STORE-31). */
const listedCopies = (image: Workspace, after: Workspace): Change => {
  if (after.deletedAt !== undefined) return {};
  const reason = longReason(after.lock);
  const settings = after.settings === image.settings ? image.listedSettings : listedSettings(after);
  return {
    set: {
      ...(reason !== undefined && reason !== image.lockReason && { lockReason: reason }),
      ...(!isDeepStrictEqual(settings, image.listedSettings) && { listedSettings: settings }),
    },
    remove: reason === undefined && image.lockReason !== undefined ? ['lockReason'] : [],
  };
};

/** Moves the long text to its own item or into the workspace item, or deletes it with a workspace that is final. */
const textChange = (image: Workspace, after: Workspace, { set = {} }: Change): Change => {
  const text = set['text'] as LongText | undefined;
  if (text !== undefined && size(text) > INLINE_TEXT) return { set: { textRevision: set['revision'] } };
  const isFinal = after.deletedAt !== undefined && after.purgeAt === undefined;
  const leaves = text !== undefined || isFinal;
  return leaves && image.textRevision !== undefined ? { remove: ['textRevision'] } : {};
};

const withoutText = ({ set: { text: _, ...set } = {}, remove = [], ...rest }: Change): Change => ({
  ...rest,
  set,
  remove: [...remove, 'text'],
});
