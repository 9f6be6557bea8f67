import type { Run } from '../../api/types.ts';
import { isFinalStatus, isWaitingStatus } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { durationOf } from './run-duration.ts';
import './last-report.css';

/** A run without a report for this long, in milliseconds, may have been abandoned. */
const SILENCE = 21_600_000;

const lastReportOf = (run: Run): number => Date.parse(run.attributes['created-at']) + durationOf(run);

const isSilent = (run: Run): boolean => Date.now() - lastReportOf(run) > SILENCE;

/** Shows when a run that has not ended was last reported. */
export const LastReport = ({ run }: { readonly run: Run }) =>
  isFinalStatus(run.attributes.status) ? null : (
    <div className={isSilent(run) ? 'run-silent' : 'muted'}>
      last report <Time value={new Date(lastReportOf(run)).toISOString()} />
    </div>
  );

/** Says what to do about a run that has not ended and was not reported for long. */
export const SilenceAdvice = ({ run }: { readonly run: Run }) => {
  const { status } = run.attributes;
  if (isFinalStatus(status) || !isSilent(run)) return null;
  return isWaitingStatus(status) ? (
    <Notice kind="info" title="The run waits for a decision">
      <p>Confirm or discard it in your runner.</p>
    </Notice>
  ) : (
    <Notice kind="warning" title="The runner may have stopped">
      <p>
        Look whether the run still works. If not, report its end: the event <code>run.updated</code> with the status{' '}
        <code>errored</code> also releases the lock that the run holds.
      </p>
    </Notice>
  );
};
