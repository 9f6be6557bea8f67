import type { Run } from '../../../../../shared/client/types.ts';
import { isFinalStatus } from '../../components/badge.tsx';

/** Computes the time from the creation of a run to its last report, in milliseconds. */
export const durationOf = ({ attributes }: Run): number => {
  const times = Object.values(attributes['status-timestamps']).map((time) => Date.parse(time));
  return Math.max(0, ...times.map((time) => time - Date.parse(attributes['created-at'])));
};

/** A run without a report for this long, in milliseconds, may have been abandoned. */
const SILENCE = 21_600_000;

/** Returns when a run was last reported, in milliseconds. */
export const lastReportOf = (run: Run): number => Date.parse(run.attributes['created-at']) + durationOf(run);

/** Returns whether a run that has not ended was not reported for long. */
export const isSilent = (run: Run): boolean =>
  !isFinalStatus(run.attributes.status) && Date.now() - lastReportOf(run) > SILENCE;
