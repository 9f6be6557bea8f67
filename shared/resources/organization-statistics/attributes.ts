import { count, list, nullable, object, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

const spans = (description: string) =>
  list(
    object({
      since: nullable(time('Earliest time of the span; null: the span has no beginning.')),
      before: nullable(time('End of the span, which is not in it; null: the span has no end.')),
      count: count('Number of workspaces.'),
    }),
    description,
  );

/** The attributes of the statistics of an organization (STAT-2). */
export const attributes = {
  'counted-at': { response: time('Time of the count, from which ages are computed.') },
  'workspace-count': { response: count('Number of workspaces that the caller may read.') },
  locks: { response: spans('Locked workspaces by the time of the lock, the newest first.') },
  'state-changes': { response: spans('Workspaces by the last change of the state, the newest first.') },
  'infra-versions': {
    response: list(
      object({
        'infra-version': text('Release that the workspaces have, or that their versions resolve to.', {
          examples: ['1.9.8'],
        }),
        count: count('Number of workspaces.'),
      }),
      'The most frequent releases of the infrastructure tool, at most eight.',
    ),
  },
  'other-infra-version-count': { response: count('Number of workspaces with any other release.') },
  'current-run-statuses': {
    response: list(
      object({ status: text(undefined, { examples: ['applied'] }), count: count('Number of workspaces.') }),
      'Workspaces by the status of the current run, the most frequent status first.',
    ),
  },
  'unprotected-count': { response: count('Number of workspaces that are not protected against deletion.') },
  'production-tag': {
    response: nullable(
      text('Tag of production, as in the organization; null: the organization has none.', {
        examples: ['environment=production'],
      }),
    ),
  },
  'production-count': { response: nullable(count('Number of workspaces that are production; null without a tag.')) },
  'unprotected-production-count': {
    response: nullable(count('Number of those that are not protected against deletion; null without a tag.')),
  },
  activity: {
    response: nullable(
      list(
        object({
          date: text('Day in UTC.', { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', examples: ['2026-11-28'] }),
          'change-count': count('Number of entries of the audit trail.'),
          'run-count': count('Number of runs that ended.'),
          'failed-run-count': count('Number of those runs that failed.'),
        }),
        'The days of the last year that have been counted, the earliest first. Null for all but owners.',
      ),
    ),
  },
} as const satisfies AttributeTable;
