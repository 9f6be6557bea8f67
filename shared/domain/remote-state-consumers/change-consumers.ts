import { type ConsumersChange, consumersChange } from '../changes/change-records.ts';
import { absent, all, type Condition, equals } from '../changes/conditions.ts';
import { ALIVE, type RequestContext, type Step, type Transition } from '../changes/transitions.ts';
import { DomainError, notFound } from '../errors.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import { type ConsumerSet, canChange, chunksFor, hasRoom, type Sizing } from './consumer-set.ts';

/** The chunks have no room for the change, or too many of them would have to be changed at once: it needs new ones. */
export class NeedsNewChunks extends Error {
  override readonly name = 'NeedsNewChunks';
}

/** The set is no longer the one that new chunks were made from. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/** @throws DomainError 404 for what is gone, 422 while every workspace of the organization may read the state. */
export const requireChangeable = (image: Workspace | undefined): Workspace => {
  if (!isAlive(image)) throw notFound();
  if (image.settings.globalRemoteState) {
    throw new DomainError(
      'unprocessable',
      'Remote state consumers cannot be changed while global-remote-state is true',
    );
  }
  return image;
};

const CHANGEABLE: Condition = all(ALIVE, equals('settings.globalRemoteState', false));

const TYPE = 'workspace.consumers-changed';

/**
 * A change of the set. That a workspace consumes another's state changes nothing on itself, so its own record stays as
 * it is.
 */
const changing = (
  request: RequestContext,
  announced: ConsumersChange,
  plan: (image: Workspace) => Step,
): Transition => ({
  type: TYPE,
  plan: (image) => {
    const { condition, ...step } = plan(requireChangeable(image));
    return { ...step, condition: all(CHANGEABLE, condition), consumers: announced };
  },
  applied: ({ change }) => change.request === request.id && change.type === TYPE,
  counter: 'sequence',
});

/** How often the set has changed, from none at all on. */
export const changesOf = (set: ConsumerSet | undefined): number => set?.changes ?? 0;

/** The set as it was read: with its changes counted, a write that arrives late finds that its moment has passed. */
const asSeen = (set: ConsumerSet | undefined): Condition =>
  set === undefined ? absent('consumers') : equals('consumers.changes', set.changes);

/**
 * Adds ids; those that are there already stay.
 * @param generation for the first set that the workspace has.
 */
export const addConsumers = (
  request: RequestContext,
  ids: readonly string[],
  generation: string,
  sizing: Sizing,
): Transition =>
  changing(request, consumersChange('added', ids), ({ consumers: known }) => {
    const fresh = { generation, chunks: chunksFor(ids.length, sizing), changes: 0, atMost: 0 };
    const before = known ?? fresh;
    if (!hasRoom(before, ids.length, sizing)) throw new NeedsNewChunks();
    const set = { ...before, changes: before.changes + 1, atMost: before.atMost + ids.length };
    return {
      condition: asSeen(known),
      change: { set: { consumers: set } },
      chunks: { kind: known === undefined ? 'create' : 'add', ids, set },
    };
  });

/** Removes ids from a set that there is; those that are not in it do no harm. */
export const removeConsumers = (request: RequestContext, ids: readonly string[], sizing: Sizing): Transition =>
  changing(request, consumersChange('removed', ids), ({ consumers: known }) => {
    if (known === undefined || !canChange(known.chunks, ids.length, sizing)) throw new NeedsNewChunks();
    const set = { ...known, changes: known.changes + 1 };
    return { condition: asSeen(known), change: { set: { consumers: set } }, chunks: { kind: 'remove', ids, set } };
  });

/**
 * Switches to chunks that were written before. `made` says that they were made from those there are, after so many
 * changes: then there may have been no others. Otherwise only the generation is pinned, and what is added to it or
 * removed meanwhile is replaced with it. Its plan throws ChangedMeanwhile.
 */
export const replaceConsumers = (
  request: RequestContext,
  { generation, chunks, atMost }: Pick<ConsumerSet, 'generation' | 'chunks' | 'atMost'>,
  announced: ConsumersChange,
  made?: { readonly after: number },
): Transition => ({
  ...changing(request, announced, ({ consumers: known }) => {
    if (made !== undefined && changesOf(known) !== made.after) throw new ChangedMeanwhile();
    const parts = { 'consumers.generation': generation, 'consumers.chunks': chunks, 'consumers.atMost': atMost };
    return known === undefined
      ? { condition: absent('consumers'), change: { set: { consumers: { generation, chunks, changes: 1, atMost } } } }
      : {
          condition: made === undefined ? equals('consumers.generation', known.generation) : asSeen(known),
          change: { set: parts, add: { 'consumers.changes': 1 } },
        };
  }),
  // No other request has this generation.
  applied: (image) => image.consumers?.generation === generation,
});
