import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { moveAmong } from '../lib/move-among.ts';
import './run-bars.css';

/** A bar of a chart of runs: what has succeeded above what has failed, as numbers of runs or as their durations. */
export interface RunBar {
  readonly key: string;
  readonly label: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly address: LinkProps;
}

interface RunBarsProps {
  readonly label: string;
  /** The newest last. One with neither number has no bar. */
  readonly bars: readonly RunBar[];
  /** The times at the ends of the chart. */
  readonly from: ReactNode;
  readonly to: ReactNode;
}

/** Shows runs as bars that lead to them. */
export const RunBars = ({ label: name, bars, from, to }: RunBarsProps) => {
  const most = Math.max(1, ...bars.map(({ succeeded, failed }) => succeeded + failed));
  const last = bars.findLastIndex(({ succeeded, failed }) => succeeded + failed > 0);
  const height = (value: number) => ({ blockSize: `${(100 * value) / most}%` });
  return (
    <div>
      <ol className="run-bars" aria-label={name} onKeyDown={(event) => moveAmong(event, 1)}>
        {bars.map(({ key, label, succeeded, failed, address }, index) => (
          <li key={key}>
            {succeeded + failed > 0 && (
              <Link {...address} aria-label={label} title={label} tabIndex={index === last ? 0 : -1}>
                {succeeded > 0 && <span className="run-bar" style={height(succeeded)} />}
                {failed > 0 && <span className="run-bar run-bar-failed" style={height(failed)} />}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <div className="run-axis muted" aria-hidden="true">
        <span>{from}</span>
        <span>{to}</span>
      </div>
    </div>
  );
};
