import type { Run } from '../../api/types.ts';

/** Computes the time from the creation of a run to its last report, in milliseconds. */
export const durationOf = ({ attributes }: Run): number => {
  const times = Object.values(attributes['status-timestamps']).map((time) => Date.parse(time));
  return Math.max(0, ...times.map((time) => time - Date.parse(attributes['created-at'])));
};
