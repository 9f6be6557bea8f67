import type { HistoryEntry } from '../../../../shared/client/history.ts';

/** Stands for the holder of a lock whom the caller may not see. */
export const HIDDEN_HOLDER = 'a team that you may not see';

/** Names who made a change. */
export const nameOfActor = ({ kind, name, id }: HistoryEntry['attributes']['actor']): string =>
  kind === 'service' ? 'the service' : (name ?? id ?? 'somebody you may not see');
