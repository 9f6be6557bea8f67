import type { HistoryEntry } from '../../../../shared/client/history.ts';

/** Names who made a change. */
export const nameOfActor = ({ kind, name, id }: HistoryEntry['attributes']['actor']): string =>
  kind === 'service' ? 'the service' : (name ?? id ?? 'somebody you may not see');
