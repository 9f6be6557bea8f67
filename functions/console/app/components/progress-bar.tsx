import type { Progress } from '../lib/run-all.ts';
import './progress-bar.css';

/** Shows the progress of long work. */
export const ProgressBar = ({ label, done, total }: Progress & { readonly label: string }) => (
  <div className="stack stack-tight">
    <span>
      {label}: {done.toLocaleString()} of {total.toLocaleString()}
    </span>
    <progress className="progress" value={done} max={Math.max(total, 1)} aria-label={label} />
  </div>
);
