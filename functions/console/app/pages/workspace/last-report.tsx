import type { Run } from '../../api/types.ts';
import { isFinalStatus } from '../../components/badge.tsx';
import { Time } from '../../components/time.tsx';
import { durationOf } from './run-duration.ts';
import './last-report.css';

/** A run without a report for this long, in milliseconds, may have been abandoned. */
const SILENCE = 21_600_000;

/** Shows when a run that has not ended was last reported. */
export const LastReport = ({ run }: { readonly run: Run }) => {
  const { status, 'created-at': createdAt } = run.attributes;
  if (isFinalStatus(status)) return null;
  const lastReport = Date.parse(createdAt) + durationOf(run);
  return (
    <div className={Date.now() - lastReport > SILENCE ? 'run-silent' : 'muted'}>
      last report <Time value={new Date(lastReport).toISOString()} />
    </div>
  );
};
