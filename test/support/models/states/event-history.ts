import type { OutgoingEvent } from '../../../../shared/events/schemas/outgoing.ts';

/**
 * Replays the events of a workspace. They are totally ordered, so the lock holder, the pending state version and the
 * current state version are known at each event. Events that the rules forbid are findings (LOCK-13, DEL-1).
 */

interface State {
  lock: { readonly id: string; readonly holder: string } | undefined;
  pending: { readonly id: string; readonly lock: string } | undefined;
  /** Newest finalized intermediate version, which becomes current when its lock ends. */
  waiting: string | undefined;
  current: string | undefined;
  isGone: boolean;
}

/** Data of a state version that events do not contain. */
export interface AboutVersion {
  readonly resources: number;
  /** Whether the version becomes current only when its lock ends. */
  readonly intermediate: boolean;
}

export const checkHistoryOfEvents = (
  events: readonly OutgoingEvent[],
  about: (stateVersion: string) => AboutVersion,
): string[] => {
  const findings: string[] = [];
  const state: State = { lock: undefined, pending: undefined, waiting: undefined, current: undefined, isGone: false };

  /** Ends the lock: the waiting version becomes current. */
  const release = (event: Extract<OutgoingEvent, { type: 'workspace.unlocked' | 'workspace.force-unlocked' }>) => {
    must(event, state.lock !== undefined, 'nothing was locked');
    must(event, event.stateVersion?.id === state.waiting, `${state.waiting ?? 'nothing'} was waiting for it`);
    if (state.waiting !== undefined) state.current = state.waiting;
    state.waiting = undefined;
    state.lock = undefined;
  };
  const must = (event: OutgoingEvent, holds: boolean, what: string): void => {
    if (!holds) findings.push(`${event.workspace.id} #${event.sequence} ${event.type} by ${event.actor.id}: ${what}`);
  };

  for (const event of events.toSorted((a, b) => a.sequence - b.sequence)) {
    must(event, !state.isGone, 'it was deleted before');
    const { lock, pending } = state;
    switch (event.type) {
      case 'workspace.locked':
        must(event, lock === undefined, `${lock?.holder} held the lock`);
        must(event, event.lock.holder === event.actor.id, 'it was locked for somebody else');
        state.lock = { id: event.lock.id, holder: event.lock.holder };
        break;
      case 'workspace.unlocked':
        must(event, lock?.holder === event.actor.id, `${lock?.holder} held the lock`);
        // An ended run is unlocked even if its upload never arrived.
        must(event, event.actor.kind === 'run' || pending?.lock !== lock?.id, `${pending?.id} was pending`);
        release(event);
        break;
      case 'workspace.force-unlocked':
        release(event);
        break;
      case 'workspace.state-version-created':
        must(event, lock?.holder === event.actor.id, `${lock?.holder} held the lock`);
        state.pending = { id: event.stateVersion.id, lock: lock?.id ?? '' };
        break;
      case 'workspace.state-version-finalized':
        must(event, pending?.id === event.stateVersion.id, `${pending?.id} was pending`);
        if (about(event.stateVersion.id).intermediate && lock?.id === pending?.lock)
          state.waiting = event.stateVersion.id;
        else [state.current, state.waiting] = [event.stateVersion.id, undefined];
        state.pending = undefined;
        break;
      case 'workspace.deleted':
        must(event, event.forced || lock === undefined, `${lock?.holder} held the lock`);
        must(event, event.forced || pending === undefined, `${pending?.id} was pending`);
        must(event, event.forced || state.waiting === undefined, `${state.waiting} was not current yet`);
        must(
          event,
          event.forced || state.current === undefined || about(state.current).resources === 0,
          `${state.current} managed resources`,
        );
        state.isGone = true;
        break;
      default:
        break;
    }
  }
  return findings;
};
