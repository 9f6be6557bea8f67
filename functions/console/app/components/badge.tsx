import type { ReactNode } from 'react';
import { runStatusLabel } from '../lib/words.ts';
import './badge.css';
import { toVisible } from './visible-text.tsx';

export type BadgeKind = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

/** Shows a short text as a label, such as a status or a tag. */
export const Badge = ({ kind = 'neutral', children }: { readonly kind?: BadgeKind; readonly children: ReactNode }) => (
  <span className={`badge badge-${kind}`}>{toVisible(children)}</span>
);

const finished = ['applied', 'planned_and_finished'];
const failed = ['errored', 'policy_soft_failed', 'force_canceled'];
const ended = ['discarded', 'canceled'];
const waiting = [
  'planned',
  'planned_and_saved',
  'cost_estimated',
  'policy_checked',
  'policy_override',
  'tf_policy_override',
  'post_plan_completed',
];

/** Returns whether a run in this status has ended. */
export const isFinalStatus = (status: string): boolean => [...finished, ...failed, ...ended].includes(status);

/** Returns whether a run in this status waits for a decision of somebody. */
export const isWaitingStatus = (status: string): boolean => waiting.includes(status);

const kindOf = (status: string): BadgeKind => {
  if (finished.includes(status)) return 'success';
  if (failed.includes(status)) return 'danger';
  if (ended.includes(status)) return 'neutral';
  return isWaitingStatus(status) ? 'warning' : 'info';
};

/** Shows the status of a run. */
export const RunStatus = ({ status }: { readonly status: string }) => (
  <Badge kind={kindOf(status)}>{runStatusLabel(status)}</Badge>
);
