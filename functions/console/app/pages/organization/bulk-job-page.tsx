import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import {
  applyBulkJob,
  type BulkJob,
  cancelBulkJob,
  downloadJobReport,
  retryBulkJob,
  showBulkJob,
} from '../../../../../shared/client/bulk-jobs.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { bulkJobQuery } from '../../api/bulk-jobs.ts';
import { accountQuery, projectsQuery } from '../../api/organizations.ts';
import { queryKeyOf } from '../../api/query-client.ts';
import { download } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { variableSetQuery } from '../../api/variable-sets.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Changes } from '../../components/changes.tsx';
import { CheckboxField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { ActorLink, ResourceLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { nameOfActor } from '../../lib/actor.ts';
import { isPreview, isTitleComplete, isWorking, statusOf, tagsOf, titleOfJob } from '../../lib/bulk-jobs.ts';
import { offerFile } from '../../lib/offer-file.ts';
import { formatCount } from '../../lib/words.ts';
import { useUnused } from '../workspaces/use-unused.ts';
import { BulkJobItems } from './bulk-job-items.tsx';

const route = getRouteApi('/signed-in/$organization/bulk-jobs/$id');

/** Time between two requests for the progress of a job, in milliseconds. */
const PAUSE = 1_000;

/** Shows a bulk job: its preview, its progress, and what has become of each workspace. */
export const BulkJobPage = () => {
  const { organization, id } = route.useParams();
  const job = useQuery({
    ...bulkJobQuery(id),
    refetchInterval: ({ state }) => (isWorking(state.data?.document.data) ? PAUSE : false),
  });
  if (isNotFound(job.error)) {
    return (
      <NotFound
        kind="Bulk job"
        reason="Bulk jobs are kept for 30 days, and shown to those who started them and to those who manage all workspaces."
        list={<JobsLink organization={organization}>all bulk jobs</JobsLink>}
      />
    );
  }
  return (
    <Loaded query={job}>
      {({ document, etag }) => <JobContent organization={organization} job={document.data} etag={etag} />}
    </Loaded>
  );
};

const JobsLink = ({ organization, children }: { readonly organization: string; readonly children: ReactNode }) => (
  <Link to="/$organization/bulk-jobs" params={{ organization }}>
    {children}
  </Link>
);

interface JobProps {
  readonly organization: string;
  readonly job: BulkJob;
}

const JobContent = ({ organization, job, etag }: JobProps & { readonly etag: string | undefined }) => {
  const { attributes } = job;
  const { status, failure, total, 'preview-counts': previews, 'outcome-counts': outcomes } = attributes;
  const title = titleOfJob(attributes);
  const queryClient = useQueryClient();
  const isActive = status === 'active';
  // What the job has changed is out of date everywhere once it has ended, and while the page is left.
  useEffect(() => {
    if (!isActive) return;
    return () => void queryClient.invalidateQueries();
  }, [isActive, queryClient]);
  const { kind, label } = statusOf(attributes);
  return (
    <Page
      title={title}
      above={<JobsLink organization={organization}>Bulk jobs</JobsLink>}
      aside={<Badge kind={kind}>{label}</Badge>}
      actions={<JobActions organization={organization} job={job} />}
    >
      <JobFacts organization={organization} job={job} />
      {failure !== null && (
        <Notice kind="danger" title="The bulk job failed">
          {toVisible(failure)}
        </Notice>
      )}
      {isWorking(job) && (
        <ProgressBar
          label={isActive ? 'Changing' : 'Preparing the preview'}
          done={isActive ? (total ?? 0) - outcomes.pending : previews.changed + previews.unchanged + previews.refused}
          total={total ?? 0}
        />
      )}
      {status === 'ready' && <Confirmation organization={organization} job={job} etag={etag} />}
      {status !== 'preparing' && <BulkJobItems organization={organization} job={job} />}
    </Page>
  );
};

/** Shows what the job does, to which workspaces, and for whom. */
const JobFacts = ({ organization, job: { attributes, relationships } }: JobProps) => {
  const { parameters, selection, note, 'applied-at': appliedAt, 'ended-at': endedAt } = attributes;
  const {
    project,
    'variable-set': set,
    ...values
  } = parameters as {
    readonly project?: string;
    readonly 'variable-set'?: string;
  };
  const projects = useQuery({ ...projectsQuery(organization), enabled: project !== undefined });
  const variableSet = useQuery({ ...variableSetQuery(set ?? ''), enabled: set !== undefined });
  const named = projects.data?.document.data.find(({ id }) => id === project);
  const changes = Object.entries(values).map(([name, value]) => ({ name, old: null, new: value }));
  const retried = relationships['retry-of'].data?.id;
  const times = [
    ['Confirmed', appliedAt],
    ['Ended', endedAt],
  ] as const;
  return (
    <Facts
      facts={[
        ...(project === undefined
          ? []
          : [
              [
                'Project',
                <ResourceLink key="project" type="projects" id={project} name={named?.attributes.name ?? project} />,
              ] as const,
            ]),
        ...(set === undefined
          ? []
          : [
              [
                'Variable set',
                <ResourceLink
                  key="set"
                  type="varsets"
                  id={set}
                  name={variableSet.data?.document.data.attributes.name ?? set}
                />,
              ] as const,
            ]),
        ...(changes.length > 0 && !isTitleComplete(attributes)
          ? [['Values', <Changes key="values" changes={changes} />] as const]
          : []),
        [
          'Workspaces',
          retried !== undefined ? (
            <>
              what{' '}
              <Link key="retried" to="/$organization/bulk-jobs/$id" params={{ organization, id: retried }}>
                another bulk job
              </Link>{' '}
              has not changed
            </>
          ) : 'filter' in (selection as object) ? (
            'those that matched a filter'
          ) : (
            'selected in the list'
          ),
        ],
        [
          'Created',
          <span key="created">
            <Time value={attributes['created-at']} isFull /> by <ActorLink actor={attributes['created-by']} />
          </span>,
        ],
        ...times.flatMap(([name, at]) => (at === null ? [] : [[name, <Time key={name} value={at} isFull />] as const])),
        ...(note === null ? [] : [['Note', note] as const]),
      ]}
    />
  );
};

const jobPaths = (organization: string, id: string): readonly string[] => [
  `/organizations/${organization}/bulk-jobs`,
  `/bulk-jobs/${id}`,
];

const CancelButton = ({ organization, job: { id, attributes } }: JobProps) => {
  const cancellation = useAction({ invalidates: jobPaths(organization, id) });
  return (
    <>
      {cancellation.error !== null && <ErrorNotice error={cancellation.error} />}
      <Button
        isPending={cancellation.isPending || attributes['canceled-at'] !== null}
        onClick={() => cancellation.run(cancelBulkJob(id))}
      >
        {attributes.status === 'active' ? 'Stop' : 'Cancel'}
      </Button>
    </>
  );
};

/** Shows the buttons for what can be done with a job, except its confirmation. */
const JobActions = ({ organization, job }: JobProps) => {
  const { id, attributes } = job;
  const { status, report, total, 'outcome-counts': counts } = attributes;
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>(null);
  const retry = useAction<{ readonly data: BulkJob }>({
    invalidates: jobPaths(organization, id),
    onDone: ({ document }) =>
      navigate({ to: '/$organization/bulk-jobs/$id', params: { organization, id: document.data.id } }),
  });
  const hasEnded = !isPreview(attributes) && !isWorking(job);
  const left = total === null ? undefined : total - counts.applied - counts.unchanged;
  const save = () => download(downloadJobReport(id)).then((blob) => offerFile(blob, `${id}.jsonl`), setError);
  const failure = retry.error ?? error;
  return (
    <>
      {failure !== null && <ErrorNotice error={failure} />}
      <OptionsMenu of="the page" requests={[showBulkJob(id)]} />
      {/* A preview has it next to its confirmation. */}
      {!hasEnded && status !== 'ready' && <CancelButton organization={organization} job={job} />}
      {report !== null && <Button onClick={save}>Download the report</Button>}
      {hasEnded && left !== 0 && (
        <Button look="primary" isPending={retry.isPending} onClick={() => retry.run(retryBulkJob(id))}>
          {left === undefined ? 'Retry' : `Retry ${left.toLocaleString()}`}
        </Button>
      )}
    </>
  );
};

/** Actions that cannot be taken back for a workspace whose holder or user does not expect them. */
const dangerous: readonly BulkJob['attributes']['action'][] = ['safe-delete', 'force-unlock'];

/** Tags and versions that a job sets, of which the preview warns if no workspace has them. */
const soughtOf = ({ action, parameters }: BulkJob['attributes']) => {
  const { 'infra-version': version } = parameters as { readonly 'infra-version'?: string };
  if (action === 'add-tags' || action === 'add-tag-bindings') return tagsOf(parameters).map((tag) => ({ tags: tag }));
  return action === 'update' && typeof version === 'string' ? [{ version }] : [];
};

/** Lets the user apply the preview, with or without the workspaces that have warnings. */
const Confirmation = ({ organization, job, etag }: JobProps & { readonly etag: string | undefined }) => {
  const { id, attributes } = job;
  const { action, 'preview-counts': counts } = attributes;
  const queryClient = useQueryClient();
  const account = useQuery({ ...accountQuery(), retry: false });
  const [isCautious, setCautious] = useState(false);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const application = useAction({ invalidates: jobPaths(organization, id), onDone: () => setDialogOpen(false) });
  const unused = useUnused(organization, soughtOf(attributes));
  const { error } = application;
  // The job was canceled or started elsewhere meanwhile.
  useEffect(() => {
    if (error !== null) void queryClient.invalidateQueries({ queryKey: queryKeyOf(`/bulk-jobs/${id}`) });
  }, [error, id, queryClient]);
  const changing = counts.changed - (isCautious ? counts.warned : 0);
  const owner = attributes['created-by'];
  const isForeign = owner.kind === 'user' && owner.id !== (account.data?.document.data.id ?? owner.id);
  const reason = isForeign
    ? `Only ${nameOfActor(owner)} can confirm it.`
    : changing === 0
      ? 'Nothing would change.'
      : undefined;
  const label = `Change ${formatCount(changing, 'workspace')}`;
  const request = applyBulkJob(id, etag, isCautious);
  return (
    <section className="stack" aria-label="Confirmation">
      {error !== null && !isDialogOpen && <ErrorNotice error={error} />}
      {unused.length > 0 && (
        <Notice kind="warning">
          {unused.map((sentence) => (
            <p key={sentence}>{toVisible(sentence)}</p>
          ))}
        </Notice>
      )}
      {counts.warned > 0 && (
        <CheckboxField
          name="isCautious"
          label={`Leave out ${counts.warned === 1 ? 'the workspace' : `the ${counts.warned.toLocaleString()} workspaces`} with warnings`}
          isChecked={isCautious}
          onChange={setCautious}
        />
      )}
      <div className="cluster">
        <Button
          look={dangerous.includes(action) ? 'danger' : 'primary'}
          isPending={application.isPending}
          disabledReason={reason}
          onClick={() => (dangerous.includes(action) ? setDialogOpen(true) : application.run(request))}
        >
          {label}
        </Button>
        <CancelButton organization={organization} job={job} />
        <span className="muted">
          Nothing changes until you confirm. Workspaces that changed since this preview are skipped.
        </span>
      </div>
      {isDialogOpen && (
        <ActionDialog
          title={titleOfJob(attributes)}
          submitLabel={label}
          isDangerous
          confirmName={String(changing)}
          action={application}
          request={request}
          onClose={() => setDialogOpen(false)}
        />
      )}
    </section>
  );
};
