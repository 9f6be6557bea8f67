import type { Run } from '../../api/types.ts';
import { isFinalStatus, runStatusLabel } from '../../components/badge.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { durationOf } from './run-duration.ts';
import './runs-chart.css';

const failed = new Set(['errored', 'canceled', 'force_canceled', 'discarded', 'policy_soft_failed']);

const lookOf = (run: Run): string => {
  if (failed.has(run.attributes.status)) return 'run-bar run-bar-failed';
  return isFinalStatus(run.attributes.status) ? 'run-bar' : 'run-bar run-bar-unfinished';
};

const BAR = 12;
const HEIGHT = 64;

const legend = [
  { look: 'run-bar', label: 'succeeded' },
  { look: 'run-bar run-bar-failed', label: 'failed or canceled' },
  { look: 'run-bar run-bar-unfinished', label: 'not finished' },
];

/** Shows the durations of the newest runs as bars, the newest on the right. A table has the same numbers. */
export const RunsChart = ({ runs }: { readonly runs: readonly Run[] }) => {
  const shown = runs
    .map((run) => ({ run, duration: durationOf(run), isFailed: failed.has(run.attributes.status), look: lookOf(run) }))
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
        {shown.map(({ run, duration, look }, index) => {
          const height = Math.max(3, (duration / longest) * HEIGHT);
          return (
            <rect
              key={run.id}
              x={index * BAR + 1}
              y={HEIGHT - height}
              width={BAR - 3}
              height={height}
              rx="1"
              className={look}
            >
              <title>
                {`${run.attributes.message ?? run.id}: ${runStatusLabel(run.attributes.status)}, ${formatDuration(duration)}`}
              </title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="muted">
        The last {shown.length} runs, the newest on the right. The longest took {formatDuration(longest)}.
        <ul className="runs-legend">
          {legend.map(({ look, label }) => (
            <li key={label}>
              <svg width="10" height="10" aria-hidden="true">
                <rect x="0.5" y="0.5" width="9" height="9" rx="1" className={look} />
              </svg>{' '}
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
};
