import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type BulkJob, listBulkJobs } from '../../../../../shared/client/bulk-jobs.ts';
import { bulkJobsQuery } from '../../api/bulk-jobs.ts';
import { Badge } from '../../components/badge.tsx';
import { DataTable, toColumns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NextPages } from '../../components/next-pages.tsx';
import { Page } from '../../components/page.tsx';
import { ActorLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { isWorking, outcomeGroups, statusOf, titleOfJob } from '../../lib/bulk-jobs.ts';
import { useOrganizationName } from './use-organization.ts';

/** Time between two requests for the progress of jobs, in milliseconds. */
const PAUSE = 5_000;

/** Lists the bulk jobs of an organization, the newest first, with their progress. */
export const BulkJobsPage = () => {
  const organization = useOrganizationName();
  const jobs = useInfiniteQuery({
    ...bulkJobsQuery(organization),
    refetchInterval: ({ state }) => (state.data?.pages.some(({ data }) => data.some(isWorking)) ? PAUSE : false),
  });
  return (
    <Page title="Bulk jobs" actions={<ListMenu title="Bulk jobs" request={listBulkJobs(organization)} />}>
      <Loaded query={jobs}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 && !jobs.hasNextPage ? (
            <EmptyState title="There are no bulk jobs">
              <p className="muted">
                A bulk job changes many workspaces at once. Select some in the{' '}
                <Link to="/$organization/workspaces" params={{ organization }}>
                  list of workspaces
                </Link>
                . It is listed here for 30 days.
              </p>
            </EmptyState>
          ) : (
            <DataTable
              label="Bulk jobs"
              rows={rows}
              rowKey={({ id }) => id}
              columns={toColumns<BulkJob>({
                action: {
                  name: 'Change',
                  cell: ({ id, attributes }) => (
                    <Link to="/$organization/bulk-jobs/$id" params={{ organization, id }}>
                      {titleOfJob(attributes)}
                    </Link>
                  ),
                },
                status: {
                  cell: ({ attributes }) => {
                    const { kind, label } = statusOf(attributes);
                    return <Badge kind={kind}>{label}</Badge>;
                  },
                },
                total: { name: 'Workspaces', isNumber: true },
                'outcome-counts': { name: 'Outcome', cell: ({ attributes }) => countsOf(attributes) },
                'created-at': {
                  cell: ({ attributes }) => (
                    <span>
                      <Time value={attributes['created-at']} /> by <ActorLink actor={attributes['created-by']} />
                    </span>
                  ),
                },
                note: true,
                // Shown with the others.
                parameters: false,
                'preview-counts': false,
                'created-by': false,
                // Shown on the page of the job.
                selection: false,
                rate: false,
                'max-failures': false,
                'skip-warned': false,
                failure: false,
                report: false,
                'ready-at': false,
                'applied-at': false,
                'canceled-at': false,
                'ended-at': false,
                'expires-at': false,
              })}
            />
          );
        }}
      </Loaded>
      <NextPages query={jobs} label="Show older jobs" />
    </Page>
  );
};

/** Says how many workspaces have which outcome, without those that have none. */
const countsOf = (attributes: BulkJob['attributes']): string =>
  outcomeGroups(attributes)
    .map(({ count, label }) => `${count.toLocaleString()} ${label}`)
    .join(', ');
