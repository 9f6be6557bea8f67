import type { Run } from '../../api/types.ts';
import { runStatusLabel } from '../../components/badge.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { durationOf } from './run-duration.ts';
import './runs-chart.css';

const failed = new Set(['errored', 'canceled', 'force_canceled', 'discarded', 'policy_soft_failed']);

const BAR = 12;
const HEIGHT = 64;

/** Shows the durations of the newest runs as bars, the newest on the right. A table has the same numbers. */
export const RunsChart = ({ runs }: { readonly runs: readonly Run[] }) => {
  const shown = runs
    .map((run) => ({ run, duration: durationOf(run), isFailed: failed.has(run.attributes.status) }))
    .reverse();
  const longest = Math.max(1, ...shown.map(({ duration }) => duration));
  const failures = shown.filter(({ isFailed }) => isFailed).length;
  return (
    <figure className="runs-chart">
      <svg
        role="img"
        aria-label={`Durations of the last ${shown.length} runs. The longest took ${formatDuration(longest)}. ${failures} failed or were canceled.`}
        viewBox={`0 0 ${Math.max(shown.length, 10) * BAR} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
      >
        {shown.map(({ run, duration, isFailed }, index) => {
          const height = Math.max(3, (duration / longest) * HEIGHT);
          return (
            <rect
              key={run.id}
              x={index * BAR + 1}
              y={HEIGHT - height}
              width={BAR - 3}
              height={height}
              rx="1"
              className={isFailed ? 'run-bar run-bar-failed' : 'run-bar'}
            >
              <title>{`${runStatusLabel(run.attributes.status)}, ${formatDuration(duration)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="muted">
        Durations of the last {shown.length} runs, up to {formatDuration(longest)}. Bars with a dashed outline failed or
        were canceled: {failures}.
      </figcaption>
    </figure>
  );
};
