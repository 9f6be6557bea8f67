import { linkOptions } from '@tanstack/react-router';
import type { Run } from '../../../../../shared/client/types.ts';
import { RunBars } from '../../components/run-bars.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { runStatusLabel } from '../../lib/words.ts';
import { workOf } from './run-times.ts';
import { useWorkspace } from './use-workspace.ts';

/** Smallest number of runs that are a course. */
const FEWEST = 3;

/** Shows the durations of runs that applied or failed as bars, the newest on the right. */
export const RunsChart = ({ runs }: { readonly runs: readonly Run[] }) => {
  const { organization, name } = useWorkspace();
  const [newest, oldest] = [runs[0], runs.at(-1)];
  if (newest === undefined || oldest === undefined || runs.length < FEWEST) return null;
  return (
    <figure className="stack stack-tight">
      <figcaption className="muted">
        Durations without waiting for a decision. The longest took {formatDuration(Math.max(...runs.map(workOf)))}.
      </figcaption>
      <RunBars
        label="Durations of runs"
        bars={runs.toReversed().map((run) => {
          const { message, status } = run.attributes;
          const [duration, hasFailed] = [workOf(run), status === 'errored'];
          return {
            key: run.id,
            label: `${message ?? run.id}: ${runStatusLabel(status)}, ${formatDuration(duration)}`,
            // A run without a duration has a bar, too.
            succeeded: hasFailed ? 0 : Math.max(1, duration),
            failed: hasFailed ? Math.max(1, duration) : 0,
            address: linkOptions({
              to: '/$organization/workspaces/$workspace/runs/$run',
              params: { organization, workspace: name, run: run.id },
            }),
          };
        })}
        from={<Time value={oldest.attributes['created-at']} />}
        to={<Time value={newest.attributes['created-at']} />}
      />
    </figure>
  );
};
