import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { countChanges, type ResourceChange } from '../../../../../shared/client/compare-states.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { type HistoryEntry, listHistory } from '../../../../../shared/client/history.ts';
import type { StateVersion } from '../../../../../shared/client/state-versions.ts';
import type { DocumentOf, Run } from '../../../../../shared/client/types.ts';
import { apiQuery } from '../../api/query-client.ts';
import { showRun } from '../../api/runs.ts';
import { stateVersionQuery } from '../../api/state-versions.ts';
import { isFinalStatus, RunStatus, StatusIcon } from '../../components/badge.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { formatDay, formatDuration, formatExact, timeZone } from '../../lib/format-time.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { formatCount, runStatusLabel, toWords } from '../../lib/words.ts';
import { IfPermitted } from './if-permitted.tsx';
import { SilenceAdvice } from './last-report.tsx';
import './run-page.css';
import { commitOf, NotReported, RunKind, RunSource } from './run-parts.tsx';
import { formatOnDay, phasesOf } from './run-phases.ts';
import { durationOf, type Step, stepsOf } from './run-times.ts';
import { ChangeList, unreadable, useComparison } from './state/state-dialogs.tsx';
import { VersionLink } from './state/version-parts.tsx';
import { useWorkspace } from './use-workspace.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/runs/$run');

/** Shows a run: what it has changed, how long its phases took, and what it ran. */
export const RunPage = () => (
  <IfPermitted permission="can-read-run" name="the runs">
    <LoadedRun />
  </IfPermitted>
);

const LoadedRun = () => {
  const { workspace } = useWorkspace();
  const { organization, workspace: name, run: id } = route.useParams();
  const query = useQuery(apiQuery(showRun(id)));
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
  return <Loaded query={query}>{({ document }) => <LoadedDocument document={document} />}</Loaded>;
};

const LoadedDocument = ({ document }: { readonly document: DocumentOf<'get', '/api/v2/runs/{run_id}'> }) => {
  const { organization, name, workspace, document: workspaceDocument } = useWorkspace();
  const run = document.data;
  const { message } = run.attributes;
  const missing = missingPermission(workspace.attributes.permissions, 'can-read-settings');
  const request = changesOf(workspace.id, run);
  const history = useQuery({ ...apiQuery(request), enabled: missing === undefined });
  const effects = history.data && effectsOf(history.data.document);
  const comparison = useRunComparison(effects?.state);
  const changes = comparison.result !== undefined && 'changes' in comparison.result ? comparison.result.changes : [];
  const params = { organization, workspace: name };
  return (
    <>
      <div className="page-above cluster">
        <Link to="/$organization/workspaces/$workspace/runs" params={params}>
          Runs
        </Link>
        / <CopyableId id={run.id} />
      </div>
      <div className="page-columns">
        <div className="stack">
          <Section
            title={toVisible(message || 'Run without a message')}
            description={<Origin run={run} commit={commitOf(document, run).commit} />}
            actions={
              <>
                <OptionsMenu of="the run" requests={[showRun(run.id), request]} />
                {missing === undefined && (
                  <Link
                    to="/$organization/workspaces/$workspace/history"
                    params={params}
                    search={{ actor: run.id }}
                    className="button button-quiet"
                  >
                    Show in the history
                  </Link>
                )}
              </>
            }
          >
            <SilenceAdvice document={workspaceDocument} run={run} />
            {missing === undefined ? (
              <Loaded query={history} lines={2}>
                {() => effects && <Result run={run} effects={effects} comparison={comparison} />}
              </Loaded>
            ) : (
              <p className="muted">{missing}</p>
            )}
            <Timeline run={run} />
          </Section>
          {changes.length > 0 && (
            <Section title="Changes" description="Values that providers mark as sensitive are not shown.">
              <ChangeList changes={changes} />
            </Section>
          )}
        </div>
        <About run={run} {...commitOf(document, run)} />
      </div>
    </>
  );
};

type Commit = ReturnType<typeof commitOf>['commit'];

/** Shows the status of a run, who sent its commit, when it was created, and the commit. */
const Origin = ({ run: { attributes }, commit }: { readonly run: Run; readonly commit: Commit }) => {
  const author = commit?.['sender-username'] ?? null;
  const number = commit?.['pull-request-number'] ?? null;
  return (
    <span className="run-origin">
      <RunStatus status={attributes.status} />
      <span>
        {author !== null && <>by {toVisible(author)} · </>}
        <Time value={attributes['created-at']} />
      </span>
      {commit !== undefined && (
        <span>
          <ReportedLink url={commit['commit-url']}>
            <code>{toVisible(commit['commit-sha']?.slice(0, 8) ?? 'unknown')}</code>
          </ReportedLink>
          {commit.branch !== null && <> on {toVisible(commit.branch)}</>}
        </span>
      )}
      {number !== null && (
        <ReportedLink url={commit?.['pull-request-url'] ?? null}>
          {toVisible([`#${number}`, commit?.['pull-request-title']].filter(Boolean).join(' '))}
        </ReportedLink>
      )}
    </span>
  );
};

/** Shows the phases of a run and its end. Only what the run is in has a color. */
const Timeline = ({ run }: { readonly run: Run }) => {
  const { 'created-at': created, 'auto-apply': isAutomatic, 'plan-only': isPlan, status } = run.attributes;
  const steps = stepsOf(run);
  const phases = phasesOf(steps);
  const start = Date.parse(steps[0]?.at ?? created);
  const last = steps.at(-1);
  const isEnded = last !== undefined && isFinalStatus(last.status);
  const total = Math.max(1, (isEnded ? Date.parse(last.at) : Date.now()) - start);
  return (
    <div>
      <p className="run-day muted">
        {formatDay(new Date(created), Date.now())} · {timeZone()}
      </p>
      <ol className="run-steps" aria-label="Timeline">
        {phases.map(({ name, steps: [first, ...others], duration }) => (
          <li key={name} className="run-step">
            {duration === undefined ? <StatusIcon status={status} /> : <Icon name="check" />}
            <span>
              {name === 'Waiting' && !isAutomatic && !isPlan ? 'Waiting for confirmation' : name}
              {others.length > 0 && <span className="run-step-statuses muted">{describe([first, ...others])}</span>}
            </span>
            <span className="run-step-bar" aria-hidden="true">
              <span
                className={duration === undefined ? 'run-step-open' : undefined}
                style={{
                  insetInlineStart: `${(100 * (Date.parse(first.at) - start)) / total}%`,
                  width: `${(100 * (duration ?? total - Date.parse(first.at) + start)) / total}%`,
                }}
              />
            </span>
            <StepTime at={first.at} created={created} />
            <span className="run-step-duration">
              {duration === undefined ? 'not finished' : formatDuration(duration)}
            </span>
          </li>
        ))}
        {isEnded && (
          <li className="run-step run-step-end">
            <StatusIcon status={last.status} />
            <span>{toWords(runStatusLabel(last.status))}</span>
            <StepTime at={last.at} created={created} />
            <span className="run-step-duration">{formatDuration(durationOf(run))}</span>
          </li>
        )}
      </ol>
    </div>
  );
};

/** Names the statuses of a phase with their durations. */
const describe = (steps: readonly Step[]): string =>
  steps
    .map(({ status, duration }) =>
      [runStatusLabel(status), duration !== undefined && formatDuration(duration)].filter(Boolean).join(' '),
    )
    .join(', ');

const StepTime = ({ at, created }: { readonly at: string; readonly created: string }) => (
  <time dateTime={at} title={formatExact(new Date(at))} className="run-step-time muted">
    {formatOnDay(at, created)}
  </time>
);

const About = ({ run, version, commit }: { readonly run: Run } & ReturnType<typeof commitOf>) => {
  const { attributes } = run;
  const reported = (name: string, value: string | null | undefined): readonly Fact[] =>
    value == null ? [] : [[name, value]];
  // Runs that a commit starts have its message.
  const isCommitMessage = attributes.message !== null && commit?.['commit-message']?.startsWith(attributes.message);
  return (
    <Section title="About">
      <Facts
        facts={[
          ['Kind', <RunKind key="kind" run={run} />],
          ['Source', <RunSource key="source" name={attributes.source} />],
          ...reported('Applied without confirmation', attributes['auto-apply'] ? 'yes' : undefined),
          ...reported('Saved plan', attributes['save-plan'] ? 'yes' : undefined),
          ...reported('Repository', commit?.identifier),
          ...reported('Tag', commit?.tag),
          ...reported('Commit message', isCommitMessage ? undefined : commit?.['commit-message']),
          [
            'Configuration version',
            version === undefined ? <NotReported key="none" /> : <CopyableId key="id" id={version.id} />,
          ],
          ...(version === undefined ? [] : configurationFacts(version)),
        ]}
      />
    </Section>
  );
};

type Fact = readonly [name: string, value: ReactNode];

/** Says what is not as usual about a configuration version. */
const configurationFacts = ({
  attributes: { status, speculative, 'error-message': error },
}: Version): readonly Fact[] => [
  ...(status === 'uploaded' && !speculative
    ? []
    : [['Status of the configuration', speculative ? `${status}, for plans only` : status] as const]),
  ...(error ? [['Error', error] as const] : []),
];

type Version = NonNullable<ReturnType<typeof commitOf>['version']>;

/** Shows a text as a link, if the address is one of the web: a runner has reported it. */
const ReportedLink = ({ url, children }: { readonly url: string | null; readonly children: ReactNode }) =>
  url !== null && /^https?:\/\//.test(url) ? (
    <a href={url} rel="noreferrer" target="_blank">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** Time by which the clock of a runner may differ from that of the service, in milliseconds. */
const CLOCK_MARGIN = 3_600_000;

/** Number of changes by a run that are read, which is more than a run makes. */
const READ_CHANGES = 100;

/** Describes the request of the changes by a run. They have no latest time, because reports can be late (RUN-1). */
const changesOf = (workspace: string, run: Run) => {
  const filter = {
    // The service makes a state that a run has uploaded the current one.
    'filter[actor]': `${run.id},state-content`,
    'filter[action]': '',
    'filter[since]': new Date(Date.parse(run.attributes['created-at']) - CLOCK_MARGIN).toISOString(),
    'filter[until]': '',
  };
  return listHistory(workspace, filter, undefined, READ_CHANGES);
};

interface StateOfChange {
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

/** Changes of a workspace by one run. */
interface Effects {
  /** The state before the first version that the run wrote, and the last of these. */
  readonly state: { readonly older: StateOfChange | undefined; readonly newer: StateOfChange } | undefined;
  /** Times at which the run took and released the lock. */
  readonly taken: string | undefined;
  readonly released: string | undefined;
  /** Whether there are so many newer changes of the workspace that those of the run are on a later page of its history. */
  readonly isCut: boolean;
}

const effectsOf = ({ data, links }: DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/history'>): Effects => {
  const created = valuesOf<StateOfChange>(
    data.filter(({ attributes }) => attributes.actor.kind === 'run'),
    'pending-state-version',
  );
  const states = valuesOf<StateOfChange>(data, 'current-state-version').filter((change) =>
    created.some((version) => version.new !== null && version.new.id === change.new?.id),
  );
  const newer = states[0]?.new ?? undefined;
  const locks = valuesOf<object>(data, 'lock');
  return {
    state: newer && { newer, older: states.at(-1)?.old ?? undefined },
    taken: locks.findLast((lock) => lock.new !== null)?.at,
    released: locks.find((lock) => lock.new === null)?.at,
    isCut: links.next !== null,
  };
};

/** Size up to which states are compared without being asked to, in bytes. */
const SMALL = 1_000_000;

/** Compares the state before a run with the one that it wrote, unless they are large or the user may not read them. */
const useRunComparison = (state: Effects['state']) => {
  const { workspace } = useWorkspace();
  const mayRead = missingPermission(workspace.attributes.permissions, 'can-read-state-versions') === undefined;
  const [older, newer] = [state?.older?.id, state?.newer.id];
  const from = useQuery({ ...stateVersionQuery(older ?? ''), enabled: mayRead && older !== undefined, retry: false });
  const to = useQuery({ ...stateVersionQuery(newer ?? ''), enabled: mayRead && newer !== undefined, retry: false });
  const versions = { older: from.data?.document.data, newer: to.data?.document.data };
  const areSmall = [versions.older, versions.newer].every(
    (version) => version !== undefined && unreadable(version) === undefined && (version.attributes.size ?? 0) <= SMALL,
  );
  const { contents, result } = useComparison(
    areSmall ? versions.older : undefined,
    areSmall ? versions.newer : undefined,
  );
  return { ...versions, contents, result };
};

interface ResultProps {
  readonly run: Run;
  readonly effects: Effects;
  readonly comparison: ReturnType<typeof useRunComparison>;
}

/** Shows which state a run has written, how that differs from the one before, and when the run held the lock. */
const Result = ({ run, effects: { state, taken, released, isCut }, comparison }: ResultProps) => {
  const { organization, name } = useWorkspace();
  if (isCut) return <p className="muted">The workspace has many newer changes.</p>;
  const created = run.attributes['created-at'];
  const count = (version: StateVersion | undefined) => version?.attributes['resource-count']?.toLocaleString();
  const counts = [count(comparison.older), count(comparison.newer)].filter((each) => each !== undefined);
  const facts: readonly Fact[] = [
    ...(state === undefined
      ? []
      : [
          ...(state.older === undefined
            ? []
            : [
                [
                  'Changes',
                  <span key="changes" className="run-counts">
                    {comparison.result !== undefined && 'changes' in comparison.result && (
                      <ChangeCounts changes={comparison.result.changes} />
                    )}
                    <Link
                      to="/$organization/workspaces/$workspace/state"
                      params={{ organization, workspace: name }}
                      search={{ older: state.older.id, newer: state.newer.id }}
                    >
                      Compare
                    </Link>
                  </span>,
                ] as const,
              ]),
          [
            'State',
            <span key="state">
              {state.older !== undefined && (
                <>
                  <VersionLink version={state.older.id}>{state.older.serial.toLocaleString()}</VersionLink> →{' '}
                </>
              )}
              <VersionLink version={state.newer.id}>{state.newer.serial.toLocaleString()}</VersionLink>
            </span>,
          ] as const,
          ...(counts.length === 0 ? [] : [['Managed resources', counts.join(' → ')] as const]),
        ]),
    ...(taken === undefined
      ? []
      : [
          [
            'Lock held',
            released === undefined
              ? `since ${formatOnDay(taken, created)}`
              : `${formatOnDay(taken, created)} – ${formatOnDay(released, taken)}`,
          ] as const,
        ]),
  ];
  return (
    <div className="run-result">
      {state === undefined && <p>{withoutState(run)}</p>}
      {facts.length > 0 && <Facts facts={facts} />}
    </div>
  );
};

/** Says why a run has written no state. */
const withoutState = ({ attributes }: Run): string => {
  const { 'has-changes': hasChanges, 'plan-only': isPlan, status } = attributes;
  if (!isFinalStatus(status)) return 'The run has written no state yet.';
  if (hasChanges === null) return 'The run wrote no state.';
  if (!hasChanges) return 'The plan has no changes. The run wrote no state.';
  return isPlan
    ? 'The plan has changes. A run that only plans writes no state.'
    : 'The plan has changes, but the run wrote no state.';
};

const signs = { added: '+', changed: '~', removed: '−' } as const;

/** Shows how many resources were added, changed and removed, and how many outputs differ. */
const ChangeCounts = ({ changes }: { readonly changes: readonly ResourceChange[] }) => {
  const { outputs, ...counts } = countChanges(changes);
  return (
    <>
      {(['added', 'changed', 'removed'] as const).map((kind) => (
        <span key={kind} className={counts[kind] === 0 ? 'muted' : `run-${kind}`}>
          <span aria-hidden="true">{signs[kind]}</span>
          {counts[kind].toLocaleString()}
          <span className="visually-hidden"> {kind}</span>
        </span>
      ))}
      {outputs > 0 && <span className="muted">{formatCount(outputs, 'output')}</span>}
    </>
  );
};
