import type { Run } from '../../../../../shared/client/types.ts';
import type { WorkspaceDocument } from '../../api/workspaces.ts';
import { isFinalStatus, isWaitingStatus } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { REPORT_HINT, reportCommand } from './report-command.ts';
import { isSilent, lastReportOf } from './run-times.ts';
import './last-report.css';
import { useWorkspace } from './use-workspace.ts';

/** Shows when a run that has not ended was last reported. */
export const LastReport = ({ run }: { readonly run: Run }) =>
  isFinalStatus(run.attributes.status) ? null : (
    <div className={isSilent(run) ? 'run-silent' : 'muted'}>
      last report <LastTime run={run} />
    </div>
  );

const LastTime = ({ run }: { readonly run: Run }) => <Time value={new Date(lastReportOf(run)).toISOString()} />;

/** Everything that is known about a run, with its failure at this moment. */
const failureOf = ({ id, attributes, relationships }: Run): object => ({
  id,
  status: 'errored',
  at: new Date().toISOString(),
  'configuration-version': relationships['configuration-version']?.data?.id,
  ...Object.fromEntries(
    reported.flatMap((name) => (attributes[name] === null ? [] : [[name, attributes[name]] as const])),
  ),
});

const reported = [
  'created-at',
  'plan-only',
  'save-plan',
  'is-destroy',
  'auto-apply',
  'has-changes',
  'message',
  'source',
] as const;

/** Says when a run that has not ended was last reported, and what to do if that was long ago. */
export const SilenceAdvice = ({ document, run }: { readonly document: WorkspaceDocument; readonly run: Run }) => {
  const { organization, workspace } = useWorkspace();
  const { status } = run.attributes;
  if (!isSilent(run)) return <LastReport run={run} />;
  const holdsLock = document.data.relationships['locked-by']?.data?.id === run.id;
  return isWaitingStatus(status) ? (
    <Notice kind="info" title="The run waits for a decision">
      <p>
        The last report was <LastTime run={run} />. Confirm or discard the run in your runner.
      </p>
    </Notice>
  ) : (
    <Notice kind="warning" title="The runner may have stopped">
      <p>
        The last report was <LastTime run={run} />. Look whether the run still works. If not, report that it has failed
        {holdsLock && ', which also unlocks the workspace'}.
      </p>
      <details>
        <summary>Show the command</summary>
        <div className="stack">
          <CodeBlock label="AWS CLI" code={reportCommand(organization, workspace.id, failureOf(run))} />
          <p>{REPORT_HINT}</p>
        </div>
      </details>
    </Notice>
  );
};
