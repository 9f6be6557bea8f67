import { type ConsumersChange, consumersChange } from '../../changes/change-records.ts';
import { absent, all, any, type Condition, equals, unchanged } from '../../changes/conditions.ts';
import { DomainError } from '../../errors.ts';
import { type ConsumerSet, canChange, chunksFor, hasRoom, type Sizing } from '../../workspace/consumer-set.ts';
import { stateReaders, type Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Step, type Transition } from '../transition.ts';

/** Thrown if the chunks are full, or if one transaction cannot change enough of them: all chunks must be rewritten. */
export class NeedsNewChunks extends Error {
  override readonly name = 'NeedsNewChunks';
}

/** Thrown if the set has changed since new chunks were written from it. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/**
 * Requires that the consumers of a workspace can be changed.
 * @throws DomainError 404 for a deleted workspace, 422 if the state is shared with the organization or the project.
 */
export const requireChangeable = (image: Workspace | undefined): Workspace => {
  const workspace = requireAlive(image);
  const readers = stateReaders(workspace.settings);
  if (readers === 'consumers') return workspace;
  const setting = readers === 'project' ? 'project-remote-state' : 'global-remote-state';
  throw new DomainError('unprocessable', `Remote state consumers cannot be changed while ${setting} is true`);
};

const PROJECT_SETTING = 'settings.projectRemoteState';
const CHANGEABLE: Condition = all(
  ALIVE,
  equals('settings.globalRemoteState', false),
  any(absent(PROJECT_SETTING), equals(PROJECT_SETTING, false)),
);

const TYPE = 'workspace.consumers-changed';

const changeConsumers = (
  request: RequestContext,
  details: ConsumersChange,
  planStep: (image: Workspace) => Step,
): Transition => ({
  type: TYPE,
  plan: (image) => {
    const { condition, ...step } = planStep(requireChangeable(image));
    return { ...step, condition: all(CHANGEABLE, condition), consumers: details };
  },
  applied: ({ change }) => change.request === request.id && change.type === TYPE,
  counter: 'sequence',
});

/** Returns the number of changes of a set; 0 for a workspace without one. */
export const countChanges = (set: ConsumerSet | undefined): number => set?.changes ?? 0;

/** Condition that the set has not changed since it was read. */
const asRead = (set: ConsumerSet | undefined): Condition =>
  unchanged(set ? 'consumers.changes' : 'consumers', set?.changes);

/**
 * Adds remote state consumers. `plan` throws `NeedsNewChunks`, or a `DomainError` as `requireChangeable`.
 * @param ids ids of workspaces; those that are already consumers are ignored.
 * @param generation generation for the first set of the workspace.
 */
export const addConsumers = (
  request: RequestContext,
  ids: readonly string[],
  generation: string,
  sizing: Sizing,
): Transition =>
  changeConsumers(request, consumersChange('added', ids), ({ consumers: known }) => {
    const fresh = { generation, chunks: chunksFor(ids.length, sizing), changes: 0, atMost: 0 };
    const before = known ?? fresh;
    if (!hasRoom(before, ids.length, sizing)) throw new NeedsNewChunks();
    const set = { ...before, changes: before.changes + 1, atMost: before.atMost + ids.length };
    return {
      condition: asRead(known),
      change: { set: { consumers: set } },
      chunks: { kind: known === undefined ? 'create' : 'add', ids, set },
    };
  });

/**
 * Removes remote state consumers. `plan` throws `NeedsNewChunks`, or a `DomainError` as `requireChangeable`.
 * @param ids ids of workspaces; those that are not consumers are ignored.
 */
export const removeConsumers = (request: RequestContext, ids: readonly string[], sizing: Sizing): Transition =>
  changeConsumers(request, consumersChange('removed', ids), ({ consumers: known }) => {
    if (known === undefined || !canChange(known.chunks, ids.length, sizing)) throw new NeedsNewChunks();
    const set = { ...known, changes: known.changes + 1 };
    return { condition: asRead(known), change: { set: { consumers: set } }, chunks: { kind: 'remove', ids, set } };
  });

/**
 * Switches the workspace to chunks of a new generation, which were written before.
 * @param copied given if the new chunks are a copy of the current set: the number of changes when it was read. If the set
 * has changed since, `plan` throws `ChangedMeanwhile`. Without it, the new chunks replace the current set, including
 * concurrent changes of it.
 */
export const replaceConsumers = (
  request: RequestContext,
  { generation, chunks, atMost }: Pick<ConsumerSet, 'generation' | 'chunks' | 'atMost'>,
  details: ConsumersChange,
  copied?: { readonly changes: number },
): Transition => ({
  ...changeConsumers(request, details, ({ consumers: known }) => {
    if (copied !== undefined && countChanges(known) !== copied.changes) throw new ChangedMeanwhile();
    const parts = { 'consumers.generation': generation, 'consumers.chunks': chunks, 'consumers.atMost': atMost };
    return known === undefined
      ? { condition: absent('consumers'), change: { set: { consumers: { generation, chunks, changes: 1, atMost } } } }
      : {
          condition: copied === undefined ? equals('consumers.generation', known.generation) : asRead(known),
          change: { set: parts, add: { 'consumers.changes': 1 } },
        };
  }),
  // The generation is unique to this request.
  applied: (image) => image.consumers?.generation === generation,
});
