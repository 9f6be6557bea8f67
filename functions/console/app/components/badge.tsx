import type { ReactNode } from 'react';
import type { Run } from '../../../../shared/client/types.ts';
import { runStatusLabel } from '../lib/words.ts';
import './badge.css';
import { Icon, type IconName } from './icon.tsx';
import { toVisible } from './visible-text.tsx';

export type BadgeKind = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

interface BadgeProps {
  readonly kind?: BadgeKind;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** Shows a short text as a label, such as a status or a tag. */
export const Badge = ({ kind = 'neutral', icon, children }: BadgeProps) => (
  <span className={`badge badge-${kind}`}>
    {icon !== undefined && <Icon name={icon} />}
    {toVisible(children)}
  </span>
);

/** Statuses of runs in progress. */
type InProgress =
  | 'pending'
  | 'fetching'
  | 'fetching_completed'
  | 'pre_plan_running'
  | 'pre_plan_awaiting_decision'
  | 'pre_plan_completed'
  | 'queuing'
  | 'plan_queued'
  | 'planning'
  | 'post_plan_running'
  | 'post_plan_awaiting_decision'
  | 'cost_estimating'
  | 'policy_checking'
  | 'tf_policy_checked'
  | 'confirmed'
  | 'pre_apply_running'
  | 'pre_apply_completed'
  | 'queuing_apply'
  | 'apply_queued'
  | 'applying'
  | 'post_apply_running'
  | 'post_apply_completed'
  | 'assessing'
  | 'assessed';

/** Kinds of statuses: `warning` waits for a decision of somebody, all others have ended. */
const kinds: Readonly<Record<string, BadgeKind>> = {
  applied: 'success',
  planned_and_finished: 'success',
  errored: 'danger',
  policy_soft_failed: 'danger',
  force_canceled: 'danger',
  discarded: 'neutral',
  canceled: 'neutral',
  planned: 'warning',
  planned_and_saved: 'warning',
  cost_estimated: 'warning',
  policy_checked: 'warning',
  policy_override: 'warning',
  tf_policy_override: 'warning',
  post_plan_completed: 'warning',
} satisfies Record<Exclude<Run['attributes']['status'], InProgress>, BadgeKind>;

const kindOf = (status: string): BadgeKind => kinds[status] ?? 'info';

/** Returns whether a run in this status waits for a decision of somebody. */
export const isWaitingStatus = (status: string): boolean => kindOf(status) === 'warning';

/** Returns whether a run in this status has ended. */
export const isFinalStatus = (status: string): boolean => kindOf(status) !== 'info' && !isWaitingStatus(status);

/** Icons of the kinds, so that nobody has to tell statuses apart by their colors. */
const icons: Readonly<Record<BadgeKind, IconName>> = {
  success: 'succeeded',
  danger: 'failed',
  warning: 'waiting',
  info: 'running',
  neutral: 'ended',
};

/** Shows the icon of the status of a run, in its color. */
export const StatusIcon = ({ status }: { readonly status: string }) => (
  <span className={`status-${kindOf(status)}`}>
    <Icon name={icons[kindOf(status)]} />
  </span>
);

/** Shows the status of a run. */
export const RunStatus = ({ status }: { readonly status: string }) => (
  <Badge kind={kindOf(status)} icon={icons[kindOf(status)]}>
    {runStatusLabel(status)}
  </Badge>
);
