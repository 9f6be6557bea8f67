import { phaseStatuses, runStatuses } from '../../domain/runs/run.ts';
import { flag, flags, nullable, object, oneOf, optional, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';
import { runActions, runPermissions } from './run-permissions.ts';
import { statusTimestampName } from './status-timestamps.ts';

/** Builds the schema of the times at which statuses were reached. */
export const statusTimes = (statuses: readonly string[]) =>
  object(Object.fromEntries(statuses.map((status) => [statusTimestampName(status), optional(time())])), {
    description: 'When each status was first reported.',
  });

/** The attributes of a run (RUN-8). */
export const attributes = {
  status: { response: oneOf(runStatuses) },
  'status-timestamps': { response: statusTimes(runStatuses) },
  message: { response: nullable(text()) },
  source: { response: nullable(text()) },
  'created-at': { response: time() },
  'is-destroy': { response: flag('Whether the run destroys the resources of the workspace.') },
  'has-changes': { response: nullable(flag('Whether there is anything to apply; null until the plan has finished.')) },
  'plan-only': { response: flag() },
  'save-plan': { response: flag() },
  'auto-apply': { response: flag() },
  actions: { response: flags(runActions) },
  permissions: { response: flags(runPermissions) },
} as const satisfies AttributeTable;

/** The attributes of the apply of a run. */
export const applyAttributes = {
  status: { response: oneOf(phaseStatuses) },
  'status-timestamps': {
    response: object({
      'started-at': optional(time()),
      'finished-at': optional(time()),
      'errored-at': optional(time()),
      'canceled-at': optional(time()),
    }),
  },
} as const satisfies AttributeTable;

/** The attributes of the plan of a run. */
export const planAttributes = {
  ...applyAttributes,
  'has-changes': { response: nullable(flag()) },
} as const satisfies AttributeTable;
