import type { Organization } from '../../domain/directory/records.ts';
import type { ActivityDay, Statistics, TimeSpan } from '../../domain/statistics.ts';
import type { Document } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

const timeOrNull = (time: number | null): string | null => (time === null ? null : timestamp(time));

const spanOf = ({ since, before, count }: TimeSpan) => ({
  since: timeOrNull(since),
  before: timeOrNull(before),
  count,
});

const dayResource = ({ date, changes, runs, failedRuns }: ActivityDay) => ({
  date,
  'change-count': changes,
  'run-count': runs,
  'failed-run-count': failedRuns,
});

/**
 * Builds the document of the statistics of an organization.
 * @param at time of the count, in milliseconds.
 * @param activity numbers by day; null if the caller may not see them.
 */
export const statisticsDocument = (
  { name, productionTag = null }: Pick<Organization, 'name' | 'productionTag'>,
  at: number,
  statistics: Statistics,
  activity: readonly ActivityDay[] | null,
): Document => ({
  data: {
    id: name,
    type: 'organization-statistics',
    attributes: {
      'counted-at': timestamp(at),
      'workspace-count': statistics.workspaces,
      locks: statistics.locks.map(spanOf),
      'state-changes': statistics.stateChanges.map(spanOf),
      'infra-versions': statistics.infraVersions.map(({ version, count }) => ({ 'infra-version': version, count })),
      'other-infra-version-count': statistics.otherInfraVersions,
      'current-run-statuses': statistics.runStatuses,
      'unprotected-count': statistics.unprotected,
      'production-tag': productionTag,
      'production-count': statistics.production?.count ?? null,
      'unprotected-production-count': statistics.production?.unprotected ?? null,
      activity: activity?.map(dayResource) ?? null,
    } satisfies ComputedValues<typeof attributes>,
    links: { self: `${BASE_PATH}/organizations/${name}/statistics` },
  },
});
