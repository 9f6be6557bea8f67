import { prefixes } from '../../domain/ids.ts';
import { currentMoment, type Phase, phaseOf, type Run } from '../../domain/runs/run.ts';
import { momentsOf, type Timeline } from '../../domain/runs/timeline.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';

/** `plan_queued` as it is called among the times: `plan-queued-at`. */
export const statusTimestamps = <S extends string>(timeline: Timeline<S>): Record<string, string> =>
  Object.fromEntries(
    momentsOf(timeline)
      .toSorted((one, other) => one.at - other.at)
      .map(({ status, at }) => [`${status.replaceAll('_', '-')}-at`, timestamp(at)]),
  );

/** A run has one plan and one apply: their ids follow from its own. */
const partId = (kind: 'plan' | 'apply', { id }: Run): string => prefixes[kind] + id.slice(prefixes.run.length);

/** Nothing is done to a run here: whoever runs it is asked to. */
const actions = ['is-cancelable', 'is-confirmable', 'is-discardable', 'is-force-cancelable'] as const;
const permissions = [
  'can-apply',
  'can-cancel',
  'can-comment',
  'can-discard',
  'can-force-cancel',
  'can-force-execute',
  'can-override-policy-check',
] as const;
export const runActions: readonly string[] = actions;
export const runPermissions: readonly string[] = permissions;
const none = (names: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(names.map((name) => [name, false]));

/** A run as its runner has told of it (RUN-8). */
export const runResource = (run: Run): Resource => {
  const { id, workspace, createdAt, timeline, planOnly, description } = run;
  return {
    id,
    type: 'runs',
    attributes: {
      status: currentMoment(run).status,
      'status-timestamps': statusTimestamps(timeline),
      message: description.message,
      source: description.source,
      'created-at': timestamp(createdAt),
      'is-destroy': description.isDestroy,
      'has-changes': description.hasChanges,
      'plan-only': planOnly,
      'save-plan': description.savePlan,
      'auto-apply': description.autoApply,
      actions: none(actions),
      permissions: none(permissions),
    },
    relationships: {
      workspace: toOne('workspaces', workspace),
      plan: toOne('plans', partId('plan', run)),
      apply: toOne('applies', partId('apply', run)),
      'configuration-version': toOne(
        'configuration-versions',
        description.configurationVersion,
        `${BASE_PATH}/configuration-versions/${description.configurationVersion}`,
      ),
    },
    links: { self: `${BASE_PATH}/runs/${id}` },
  };
};

const phaseAttributes = ({ status, startedAt, endedAt }: Phase) => ({
  status,
  'status-timestamps': {
    ...(startedAt !== undefined && { 'started-at': timestamp(startedAt) }),
    ...(endedAt !== undefined && { [status === 'finished' ? 'finished-at' : `${status}-at`]: timestamp(endedAt) }),
  },
});

export const planResource = (run: Run): Resource => ({
  id: partId('plan', run),
  type: 'plans',
  attributes: { ...phaseAttributes(phaseOf(run, 'plan')), 'has-changes': run.description.hasChanges },
});

export const applyResource = (run: Run): Resource => ({
  id: partId('apply', run),
  type: 'applies',
  attributes: phaseAttributes(phaseOf(run, 'apply')),
});
