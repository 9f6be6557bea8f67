import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Run } from '../../../../../shared/client/types.ts';
import { apiQuery } from '../../api/query-client.ts';
import { listRuns, RUNS_PAGE_SIZE, type RunFilter, type RunsDocument } from '../../api/runs.ts';
import { isFinalStatus, RunStatus } from '../../components/badge.tsx';
import { DataTable, toColumns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField } from '../../components/form.tsx';
import { LabeledSearch } from '../../components/labeled-search.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { IfPermitted } from './if-permitted.tsx';
import { LastReport } from './last-report.tsx';
import { REPORT_HINT, reportCommand } from './report-command.ts';
import { commitOf, NotReported, RunKind, RunSource } from './run-parts.tsx';
import { durationOf } from './run-times.ts';
import './runs-page.css';
import { toVisible } from '../../components/visible-text.tsx';
import { useWorkspace } from './use-workspace.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/runs');

/** Shows the runs of a workspace and the configuration versions that they used. */
export const RunsPage = () => (
  <IfPermitted permission="can-read-run" name="the runs">
    <Runs />
  </IfPermitted>
);

const groups = [
  { value: '', label: 'All' },
  { value: 'non_final', label: 'In progress' },
  { value: 'final', label: 'Finished' },
];

const Runs = () => {
  const workspace = useWorkspace().workspace.id;
  const { group = '', search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [page, setPage] = useState(1);
  const filter: RunFilter = { group, search: useDebounced(search) };
  const isFiltered = filter.group !== '' || filter.search !== '' || search !== '';
  const runs = useQuery(apiQuery(listRuns(workspace, filter, page)));
  // Until its runs are loaded, a page that is not filtered any more shows the runs of the former filter.
  const isEmpty = !isFiltered && !runs.isPlaceholderData && runs.data?.document.data.length === 0 && page === 1;
  const change = (changed: Partial<RunFilter>) => {
    setPage(1);
    navigate({ search: { group, search, ...changed }, replace: true });
  };
  return (
    <Section title="Runs" actions={<ListMenu title="Runs" request={listRuns(workspace, filter, page)} />}>
      {!isEmpty && (
        <div className="runs-filters">
          <SelectField
            name="group"
            label="Status"
            value={group}
            options={groups}
            onChange={(value) => change({ group: value })}
          />
          <LabeledSearch
            label="Search"
            placeholder="Message, commit or user"
            value={search}
            onChange={(value) => change({ search: value })}
          />
        </div>
      )}
      <Loaded query={runs}>
        {({ document }) =>
          isEmpty ? (
            <NoRuns />
          ) : document.data.length === 0 ? (
            <EmptyState title="No run matches" />
          ) : (
            <>
              <RunTable document={document} />
              <Pages
                page={page}
                pageSize={RUNS_PAGE_SIZE}
                total={document.meta.pagination['total-count']}
                onChange={setPage}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
};

/** Says how runs are reported, with an event that locks nothing. */
const NoRuns = () => {
  const { organization, workspace } = useWorkspace();
  const now = new Date().toISOString();
  const run = {
    id: workspace.id.replace('ws-', 'run-'),
    status: 'planned_and_finished',
    at: now,
    'created-at': now,
    'plan-only': true,
    message: 'First report',
  };
  return (
    <EmptyState
      title="No runs yet"
      examples={[{ label: 'AWS CLI', code: reportCommand(organization, workspace.id, run) }]}
    >
      <p className="muted">
        Your runner reports each status of a run as an event. This reports a plan that has finished. {REPORT_HINT}
      </p>
    </EmptyState>
  );
};

const RunTable = ({ document }: { readonly document: RunsDocument }) => (
  <div className="runs">
    <DataTable
      label="Runs"
      rows={document.data}
      rowKey={({ id }) => id}
      columns={toColumns<Run>({
        message: { name: 'Run', cell: (run) => <Title document={document} run={run} /> },
        status: { cell: (run) => <Status run={run} /> },
        'plan-only': { name: 'Kind', cell: (run) => <RunKind run={run} /> },
        Configuration: { cell: (run) => <Configuration document={document} run={run} /> },
        source: { cell: ({ attributes }) => <RunSource name={attributes.source} /> },
        'created-at': true,
        'status-timestamps': {
          name: 'Duration',
          isNumber: true,
          cell: (run) => (isFinalStatus(run.attributes.status) ? formatDuration(durationOf(run)) : 'not finished'),
        },
        // Shown as the kind.
        'is-destroy': false,
        'has-changes': false,
        'save-plan': false,
        'auto-apply': false,
        actions: false,
        permissions: false,
      })}
    />
  </div>
);

/** Shows the status of a run, and when it was reported if the run has not ended. */
const Status = ({ run }: { readonly run: Run }) => (
  <div>
    <RunStatus status={run.attributes.status} />
    <LastReport run={run} />
  </div>
);

interface RunProps {
  readonly document: RunsDocument;
  readonly run: Run;
}

/** Shows the message of a run, its id and who sent its commit. */
const Title = ({ document, run }: RunProps) => {
  const { organization, name } = useWorkspace();
  const { id, attributes } = run;
  const sender = commitOf(document, run).commit?.['sender-username'];
  const link = (label: ReactNode, className?: string, title?: string) => (
    <Link
      to="/$organization/workspaces/$workspace/runs/$run"
      params={{ organization, workspace: name, run: id }}
      className={className}
      title={title}
    >
      {label}
    </Link>
  );
  return (
    <>
      {/* The link itself is cut, so that it reaches into no other row. */}
      {attributes.message && link(toVisible(attributes.message), 'run-text', attributes.message)}
      <div className="muted">
        {attributes.message ? <code>{id}</code> : link(<code>{id}</code>)}
        {sender && <> by {toVisible(sender)}</>}
      </div>
    </>
  );
};

/** Shows the commit of a run, or the status of its configuration version. */
const Configuration = ({ document, run }: RunProps) => {
  const { version, commit } = commitOf(document, run);
  if (version === undefined) return <NotReported />;
  const { status, speculative, 'error-message': error } = version.attributes;
  if (commit !== undefined) {
    return (
      <div className="run-text" title={commit['commit-message'] ?? undefined}>
        <code>{toVisible(commit['commit-sha']?.slice(0, 8))}</code> {toVisible(commit.branch)}
      </div>
    );
  }
  return <span title={error ?? undefined}>{speculative ? `${status}, for plans only` : status}</span>;
};
