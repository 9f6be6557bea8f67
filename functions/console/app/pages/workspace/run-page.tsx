import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { type HistoryEntry, listHistory } from '../../../../../shared/client/history.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { apiQuery } from '../../api/query-client.ts';
import { showRun } from '../../api/runs.ts';
import { Badge, isFinalStatus, RunStatus } from '../../components/badge.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { formatDuration, formatExact } from '../../lib/format-time.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { runStatusLabel } from '../../lib/words.ts';
import { IfPermitted } from './if-permitted.tsx';
import { SilenceAdvice } from './last-report.tsx';
import './run-page.css';
import { commitOf, NotReported, RunKind, RunSource } from './run-parts.tsx';
import { durationOf, stepsOf } from './run-times.ts';
import { VersionLink } from './state/version-parts.tsx';
import { useWorkspace } from './use-workspace.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/runs/$run');

type Run = Schemas['Run'];

/** Shows a run: when it had which status, what it ran, and what it has changed. */
export const RunPage = () => (
  <IfPermitted permission="can-read-run" name="the runs">
    <LoadedRun />
  </IfPermitted>
);

const LoadedRun = () => {
  const { workspace, document: workspaceDocument } = useWorkspace();
  const { organization, workspace: name, run: id } = route.useParams();
  const request = showRun(id);
  const query = useQuery(apiQuery(request));
  const isElsewhere = query.data && query.data.document.data.relationships.workspace.data.id !== workspace.id;
  if (isNotFound(query.error) || isElsewhere) {
    return (
      <Section title="Run not found">
        <p>
          The workspace has no run <code>{toVisible(id)}</code>. Continue with{' '}
          <Link to="/$organization/workspaces/$workspace/runs" params={{ organization, workspace: name }}>
            all runs
          </Link>
          .
        </p>
      </Section>
    );
  }
  return (
    <Loaded query={query}>
      {({ document }) => {
        const run = document.data;
        return (
          <div className="page-columns">
            <div className="stack">
              <Section
                title={toVisible(run.attributes.message || 'Run without a message')}
                aside={<RunStatus status={run.attributes.status} />}
                description={<Origin run={run} author={commitOf(document, run).commit?.['sender-username'] ?? null} />}
                actions={<OptionsMenu of="the run" requests={[request]} />}
              >
                <SilenceAdvice document={workspaceDocument} run={run} />
                <Timeline run={run} />
              </Section>
              <Effects run={run} />
            </div>
            <div className="stack">
              <About run={run} />
              <Configuration {...commitOf(document, run)} />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
};

/** Shows the id of a run, who sent its commit, and when it was created. */
const Origin = ({ run: { id, attributes }, author }: { readonly run: Run; readonly author: string | null }) => (
  <>
    <code>{id}</code>
    {author !== null && <> by {toVisible(author)}</>} · <Time value={attributes['created-at']} />
  </>
);

/** Shows the statuses that a run has had. Only the last one has a color: the others are over. */
const Timeline = ({ run }: { readonly run: Run }) => (
  <ol className="run-steps" aria-label="Timeline">
    {stepsOf(run).map(({ status, at, duration }) => (
      <li key={status} className="run-step">
        <span>
          {duration === undefined ? (
            <RunStatus status={status} />
          ) : (
            <Badge icon="check">{runStatusLabel(status)}</Badge>
          )}
        </span>
        <time dateTime={at} className="run-step-time muted">
          {formatExact(new Date(at))}
        </time>
        <span className="run-step-duration">{duration !== undefined && formatDuration(duration)}</span>
      </li>
    ))}
  </ol>
);

const yesOrNo = (value: boolean | null): ReactNode => (value === null ? <NotReported /> : value ? 'yes' : 'no');

const About = ({ run }: { readonly run: Run }) => {
  const { attributes, id } = run;
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Kind', <RunKind key="kind" run={run} />],
          ['Source', <RunSource key="source" name={attributes.source} />],
          ['Created', <Time key="created" value={attributes['created-at']} />],
          ['Duration', isFinalStatus(attributes.status) ? formatDuration(durationOf(run)) : 'not finished'],
          ['Has changes', yesOrNo(attributes['has-changes'])],
          ['Applied without confirmation', yesOrNo(attributes['auto-apply'])],
          ['Saved plan', yesOrNo(attributes['save-plan'])],
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

/** Shows a text as a link, if the address is one of the web: a runner has reported it. */
const ReportedLink = ({ url, children }: { readonly url: string | null; readonly children: ReactNode }) =>
  url !== null && /^https?:\/\//.test(url) ? (
    <a href={url} rel="noreferrer" target="_blank">
      {children}
    </a>
  ) : (
    children
  );

const Configuration = ({ version, commit }: ReturnType<typeof commitOf>) => {
  if (version === undefined) {
    return (
      <Section title="Configuration">
        <NotReported />
      </Section>
    );
  }
  const { attributes, id } = version;
  const pullRequest = commit?.['pull-request-number'] ?? null;
  const commitFacts: readonly (readonly [string, ReactNode])[] =
    commit === undefined
      ? []
      : [
          [
            'Commit',
            <ReportedLink key="commit" url={commit['commit-url']}>
              <code>{toVisible(commit['commit-sha']?.slice(0, 8) ?? 'unknown')}</code>
            </ReportedLink>,
          ],
          ['Commit message', commit['commit-message'] ?? 'none'],
          ['Branch', commit.branch ?? 'none'],
          ['Author', commit['sender-username'] ?? 'unknown'],
          ...(commit.identifier === null ? [] : [['Repository', commit.identifier] as const]),
          ...(commit.tag === null ? [] : [['Tag', commit.tag] as const]),
          ...(pullRequest === null
            ? []
            : [
                [
                  'Pull request',
                  <ReportedLink key="pull" url={commit['pull-request-url']}>
                    {toVisible([`#${pullRequest}`, commit['pull-request-title']].filter(Boolean).join(' '))}
                  </ReportedLink>,
                ] as const,
              ]),
        ];
  return (
    <Section title="Configuration">
      <Facts
        facts={[
          ...commitFacts,
          ['Status', attributes.speculative ? `${attributes.status}, for plans only` : attributes.status],
          ...(attributes['error-message'] ? [['Error', attributes['error-message']] as const] : []),
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

/** Time by which the clock of a runner may differ from that of the service, in milliseconds. */
const CLOCK_MARGIN = 3_600_000;

/** Number of changes by a run that are read, which is more than a run makes. */
const READ_CHANGES = 100;

/** Describes the request of the changes by a run. They have no latest time, because reports can be late (RUN-1). */
const changesOf = (workspace: string, run: Run) => {
  const filter = {
    'filter[actor]': run.id,
    'filter[action]': '',
    'filter[since]': new Date(Date.parse(run.attributes['created-at']) - CLOCK_MARGIN).toISOString(),
    'filter[until]': '',
  };
  return listHistory(workspace, filter, undefined, READ_CHANGES);
};

interface Version {
  readonly id: string;
  readonly serial: number;
}

/** Returns the old and the new values of an attribute in the entries that change it, the newest first. */
const valuesOf = <T,>(entries: readonly HistoryEntry[], name: string) =>
  entries.flatMap(({ attributes: { changes, 'created-at': at } }) =>
    changes
      .filter(({ attribute }) => attribute === name)
      .map((change) => ({ at, old: change.old as T | null, new: change.new as T | null })),
  );

/** Shows which state a run has written, and when it held the lock, as the history of the workspace has it. */
const Effects = ({ run }: { readonly run: Run }) => {
  const { organization, name, workspace } = useWorkspace();
  const missing = missingPermission(workspace.attributes.permissions, 'can-read-settings');
  const request = changesOf(workspace.id, run);
  const history = useQuery({ ...apiQuery(request), enabled: missing === undefined });
  const params = { organization, workspace: name };
  if (missing !== undefined) return <Section title="What the run has changed">{missing}</Section>;
  return (
    <Section
      title="What the run has changed"
      actions={
        <>
          <OptionsMenu of="the changes" requests={[request]} />
          <Link
            to="/$organization/workspaces/$workspace/history"
            params={params}
            search={{ actor: run.id }}
            className="button button-quiet"
          >
            Show in the history
          </Link>
        </>
      }
    >
      <Loaded query={history} lines={2}>
        {({ document: { data, links } }) => {
          // After a thousand newer changes of the workspace, those of the run are on a later page of its history.
          if (links.next !== null) return <p className="muted">The workspace has many newer changes.</p>;
          const states = valuesOf<Version>(data, 'current-state-version').filter((change) => change.new !== null);
          const [newer, older] = [states[0]?.new, states.at(-1)?.old];
          const locks = valuesOf<{ readonly reason?: string | null }>(data, 'lock');
          const taken = locks.findLast((lock) => lock.new !== null);
          const released = locks.find((lock) => lock.new === null);
          return (
            <Facts
              facts={[
                [
                  'State',
                  newer == null ? (
                    'not changed'
                  ) : (
                    <span key="state">
                      <VersionLink version={newer.id}>version {newer.serial.toLocaleString()}</VersionLink>
                      {older != null && (
                        <>
                          ,{' '}
                          <Link
                            to="/$organization/workspaces/$workspace/state"
                            params={params}
                            search={{ older: older.id, newer: newer.id }}
                          >
                            compare with version {older.serial.toLocaleString()}
                          </Link>
                        </>
                      )}
                    </span>
                  ),
                ],
                ['Lock taken', taken === undefined ? 'never' : <Time key="taken" value={taken.at} isFull />],
                ...(taken?.new?.reason ? [['Reason of the lock', taken.new.reason] as const] : []),
                ...(released === undefined
                  ? []
                  : [['Lock released', <Time key="released" value={released.at} isFull />] as const]),
              ]}
            />
          );
        }}
      </Loaded>
    </Section>
  );
};
