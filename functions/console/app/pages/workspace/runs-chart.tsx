import type { Run } from '../../../../../shared/client/types.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { formatCount, runStatusLabel } from '../../lib/words.ts';
import { durationOf } from './run-times.ts';
import './runs-chart.css';

const looks = { applied: 'run-bar', errored: 'run-bar run-bar-failed' } as const;

type Outcome = keyof typeof looks;

const outcomeOf = ({ attributes }: Run): Outcome => (attributes.status === 'errored' ? 'errored' : 'applied');

/** Largest sizes in pixels. */
const BAR = 24;
const WIDTH = 480;
const HEIGHT = 64;

/** Shows the durations of runs that applied or failed as bars, the newest on the right. A table has the same numbers. */
export const RunsChart = ({ runs }: { readonly runs: readonly Run[] }) => {
  const shown = runs.map((run) => ({ run, duration: durationOf(run), outcome: outcomeOf(run) })).reverse();
  const bar = Math.min(BAR, WIDTH / shown.length);
  const longest = Math.max(1, ...shown.map(({ duration }) => duration));
  const counts = Object.entries(looks).flatMap(([outcome, look]) => {
    const count = shown.filter((each) => each.outcome === outcome).length;
    return count === 0 ? [] : [{ look, label: `${count} ${runStatusLabel(outcome)}` }];
  });
  const summary = `The longest took ${formatDuration(longest)}.`;
  return (
    <figure className="runs-chart">
      <svg
        role="img"
        aria-label={`Durations of the last ${formatCount(shown.length, 'run')} that applied or failed. ${summary} ${counts.map(({ label }) => label).join(', ')}.`}
        viewBox={`0 0 ${bar * shown.length} ${HEIGHT}`}
        width={bar * shown.length}
        preserveAspectRatio="xMinYMax meet"
      >
        {shown.map(({ run, duration, outcome }, index) => {
          const height = Math.max(3, (duration / longest) * HEIGHT);
          return (
            <rect
              key={run.id}
              x={index * bar + 1}
              y={HEIGHT - height}
              width={bar - 3}
              height={height}
              rx="1"
              className={looks[outcome]}
            >
              <title>
                {`${run.attributes.message ?? run.id}: ${runStatusLabel(run.attributes.status)}, ${formatDuration(duration)}`}
              </title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="muted">
        Durations of these runs, the newest on the right. {summary}
        <ul className="runs-legend">
          {counts.map(({ look, label }) => (
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
