import {
  bulkActions,
  itemOutcomes,
  itemWarnings,
  jobStatuses,
  previewOutcomes,
} from '../../domain/bulk-jobs/bulk-job.ts';
import { limits } from '../../domain/limits.ts';
import {
  anything,
  count,
  flag,
  list,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  text,
  time,
} from '../../schemas/schema.ts';
import { actorSchema } from '../actor.ts';
import type { AttributeTable } from '../attribute-table.ts';

const counts = (names: readonly string[], description: string) =>
  object(Object.fromEntries(names.map((name) => [name, count()])), { description });

const ids = (description: string) =>
  optional(
    list(text(undefined, { maxLength: limits.id, minLength: 1 }), description, {
      maxItems: limits.jobIds,
      minItems: 1,
    }),
  );
const filter = optional(openObject({}));

/** Schema of the flag that leaves out items with a warning (JOB-5). */
export const skipWarned = flag('Whether the items with a warning are skipped.');

/** The attributes of a bulk job (JOB-1). */
export const attributes = {
  action: {
    offer: { required: true },
    request: oneOf(bulkActions, 'What the job does to each workspace.'),
    response: oneOf(bulkActions, 'What the job does to each workspace.'),
  },
  parameters: {
    request: openObject({}),
    response: anything('Parameters of the action, as the request had them.'),
  },
  selection: {
    offer: { required: true },
    request: openObject({
      ids: ids('Ids of workspaces.'),
      filter,
      except: ids('Ids of workspaces that match the filter and are left out.'),
    }),
    response: anything(
      'The selected workspaces: `ids`, the `filter` of a list with `except`, or the `job` of which it is a retry.',
    ),
  },
  rate: {
    request: count('Workspaces per second; 50 if omitted.', { minimum: 1, maximum: limits.jobRate }),
    response: count('Workspaces per second.'),
  },
  'max-failures': {
    request: nullable(
      count('Number of workspaces that may be refused or fail; null for the larger of 20 and 5 %.', {
        maximum: limits.jobItems,
      }),
    ),
    response: count('Number of workspaces that may be refused or fail. With one more, the job fails.'),
  },
  note: {
    request: nullable(text('Why, for others.', { maxLength: limits.jobNote })),
    response: nullable(text('Why, for others.')),
  },
  'skip-warned': { response: skipWarned },
  status: { response: oneOf(jobStatuses, 'Nothing changes before it is `active`.') },
  'preview-counts': {
    response: counts(
      [...previewOutcomes, 'warned'],
      'Previewed workspaces by the outcome of the preview. Those with a warning are `warned`, and among the changed ones.',
    ),
  },
  'outcome-counts': { response: counts(itemOutcomes, 'Workspaces by outcome. The counts add up to `total`.') },
  total: { response: nullable(count('Number of selected workspaces; null until they are found.')) },
  failure: { response: nullable(text('Why the job failed; null if it did not.')) },
  report: {
    response: nullable(
      object(
        {
          sha256: text('SHA-256 of the report, in hexadecimal.'),
          bytes: count('Length of the report.'),
        },
        { description: 'The report of a job that has ended after it was applied.' },
      ),
    ),
  },
  'created-by': { response: actorSchema('Whom the job acts for.') },
  'created-at': { response: time() },
  'ready-at': { response: nullable(time('When the preview was complete.')) },
  'applied-at': { response: nullable(time('When the job was applied.')) },
  'canceled-at': { response: nullable(time('When the job was canceled. An active one ends soon after that.')) },
  'ended-at': { response: nullable(time()) },
  'expires-at': { response: time('The job is no longer shown from then on.') },
} as const satisfies AttributeTable;

const error = nullable(
  object({
    status: text('HTTP status.'),
    title: text(),
    detail: optional(text()),
    source: optional(anything('Place in the request of the single change.')),
    meta: optional(anything('Facts about the cause.')),
  }),
);

/** The attributes of an item of a bulk job: one workspace (JOB-8). */
export const itemAttributes = {
  position: { response: count('Place among the items, from 0.') },
  'workspace-name': { response: nullable(text('Name when the job was created; null for an unknown id.')) },
  'preview-outcome': {
    response: nullable(oneOf(previewOutcomes, 'What the job would do; null until it is known.')),
  },
  changes: { response: anything('`old` and `new` of each attribute that would change, by name.') },
  warnings: { response: list(oneOf(itemWarnings), 'What to look at before the job is applied.') },
  outcome: { response: oneOf(itemOutcomes, 'What the job has done.') },
  error: { response: error },
} as const satisfies AttributeTable;
