import { prefixes } from '../../domain/ids.ts';
import { computePhase, currentMoment, type Phase, type Run } from '../../domain/runs/run.ts';
import { type Resource, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { applyAttributes, attributes, planAttributes } from './attributes.ts';
import { runActions, runPermissions } from './run-permissions.ts';
import { statusTimestamps } from './status-timestamps.ts';

/** Returns the id of the plan or of the apply of a run. */
const partId = (kind: 'plan' | 'apply', { id }: Run): string => prefixes[kind] + id.slice(prefixes.run.length);

/** Builds an object with false for each name: only the runner can act on a run. */
const none = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, false])) as Record<N, boolean>;

/** Builds the resource of a run, as its runner reported it (RUN-8). */
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
      actions: none(runActions),
      permissions: none(runPermissions),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      workspace: toOne('workspaces', workspace),
      plan: toOne('plans', partId('plan', run)),
      apply: toOne('applies', partId('apply', run)),
      'configuration-version': toOneLinked('configuration-versions', description.configurationVersion),
    },
    links: { self: `${BASE_PATH}/runs/${id}` },
  };
};

const phaseAttributes = ({ status, startedAt, endedAt }: Phase): ComputedValues<typeof applyAttributes> => ({
  status,
  'status-timestamps': {
    ...(startedAt !== undefined && { 'started-at': timestamp(startedAt) }),
    ...(endedAt !== undefined && { [status === 'finished' ? 'finished-at' : `${status}-at`]: timestamp(endedAt) }),
  },
});

/** Builds the resource of the plan of a run. */
export const planResource = (run: Run): Resource => {
  const values: ComputedValues<typeof planAttributes> = {
    ...phaseAttributes(computePhase(run, 'plan')),
    'has-changes': run.description.hasChanges,
  };
  return { id: partId('plan', run), type: 'plans', attributes: values };
};

/** Builds the resource of the apply of a run. */
export const applyResource = (run: Run): Resource => ({
  id: partId('apply', run),
  type: 'applies',
  attributes: phaseAttributes(computePhase(run, 'apply')),
});
