import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { showStatistics } from '../../../../../shared/client/organizations.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { statisticsQuery } from '../../api/organizations.ts';
import { RunStatus } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Page, Section } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { formatCount } from '../../lib/words.ts';
import type { WorkspaceSearch, WorkspaceSort } from '../workspaces/search.ts';
import { HeatMap, HeatMapLegend, RunDays, runDays, total } from './activity.tsx';
import { CountList, type CountRow } from './count-list.tsx';
import './home.css';
import { ProductionTagDialog } from './production-tag.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

type Statistics = Schemas['OrganizationStatistics']['attributes'];
type Span = Statistics['locks'][number];

/** Words for the spans of times, the newest first. */
const LOCK_AGES = ['Under 1 hour', '1 hour to 1 day', '1 to 7 days', 'Over 7 days'];
const STATE_AGES = ['Under 30 days', '30 to 90 days', '90 to 180 days', 'Over 180 days'];

/** Shows the numbers of an organization as pictures that lead to filtered lists. They come with one request. */
export const HomePage = () => {
  const organization = useOrganizationName();
  const statistics = useQuery(statisticsQuery(organization));
  return (
    <Page
      title="Home"
      aside={<span className="muted">{toVisible(organization)}</span>}
      actions={<OptionsMenu of="the page" requests={[showStatistics(organization)]} />}
    >
      <Loaded query={statistics} lines={12}>
        {({ document: { data } }) =>
          data.attributes['workspace-count'] === 0 ? (
            <EmptyState
              title="There are no workspaces yet"
              action={
                <Link to="/$organization/workspaces" params={{ organization }} className="button button-primary">
                  First steps
                </Link>
              }
            >
              <p className="muted">You see only workspaces that you may read.</p>
            </EmptyState>
          ) : (
            <Pictures organization={organization} statistics={data.attributes} />
          )
        }
      </Loaded>
    </Page>
  );
};

interface PicturesProps {
  readonly organization: string;
  readonly statistics: Statistics;
}

const Pictures = ({ organization, statistics }: PicturesProps) => (
  <div className="home">
    <Tiles organization={organization} statistics={statistics} />
    <Activity organization={organization} statistics={statistics} />
    <div className="home-cards">
      <div>
        <Card
          title="Current runs"
          empty="No workspace has a run."
          rows={runRows(statistics)}
          organization={organization}
        />
        <Card title="Deletion protection" rows={protectionRows(statistics)} organization={organization}>
          {statistics['production-tag'] === null && <ProductionTagChoice />}
        </Card>
      </div>
      <div>
        <Card
          title="Locks by age"
          empty="No workspace is locked."
          rows={spanRows('locked', 'locked-at', LOCK_AGES, statistics.locks)}
          organization={organization}
        />
        <Card
          title="State changed"
          empty="No workspace has a state."
          rows={stateRows(statistics)}
          organization={organization}
        />
      </div>
      <div>
        <Card title="Tool versions" rows={versionRows(statistics)} organization={organization} />
      </div>
    </div>
    <p className="muted">Workspaces that you may not read are not counted.</p>
  </div>
);

const Card = ({
  title,
  empty,
  rows,
  organization,
  children,
}: {
  readonly title: string;
  /** Says that all numbers are 0, where they can be. */
  readonly empty?: string;
  readonly rows: readonly CountRow[];
  readonly organization: string;
  readonly children?: ReactNode;
}) => (
  <Section title={title}>
    {rows.some(({ count }) => count > 0) ? (
      <CountList organization={organization} label={title} rows={rows} />
    ) : (
      <p className="muted">{empty}</p>
    )}
    {children}
  </Section>
);

interface Tile {
  readonly label: string;
  readonly count: number;
  readonly search: WorkspaceSearch;
  /** Color of a number above 0 that needs attention, as in the bars. */
  readonly tone?: CountRow['tone'];
}

const tilesOf = (statistics: Statistics): readonly Tile[] => {
  const oldest = statistics.locks.at(-1);
  const failed = statistics['current-run-statuses'].find(({ status }) => status === 'errored');
  const { 'production-tag': tag, 'unprotected-production-count': unprotected } = statistics;
  return [
    { label: 'Workspaces', count: statistics['workspace-count'], search: {} },
    { label: 'Last run failed', count: failed?.count ?? 0, search: { run: 'errored' }, tone: 'danger' },
    {
      label: 'Locked for over 7 days',
      count: oldest?.count ?? 0,
      search: oldest === undefined ? {} : spanSearch('locked', 'locked-at', oldest),
      tone: 'warning',
    },
    tag === null || unprotected === null
      ? { label: 'Not protected', count: statistics['unprotected-count'], search: { protected: 'false' } }
      : {
          label: 'Unprotected production',
          count: unprotected,
          search: { tags: tag, protected: 'false' },
          tone: 'danger',
        },
  ];
};

/** Lets owners choose the tag without which production is not counted. */
const ProductionTagChoice = () => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p className="muted">No tag says yet which workspaces are production.</p>
      <div className="cluster">
        <Button disabledReason={useMissingPermission('can-update')} onClick={() => setOpen(true)}>
          Choose the production tag
        </Button>
      </div>
      {isOpen && <ProductionTagDialog onClose={() => setOpen(false)} />}
    </>
  );
};

/** Shows the numbers that people look for first. */
const Tiles = ({ organization, statistics }: PicturesProps) => (
  <ul className="home-tiles">
    {tilesOf(statistics).map(({ label, count, search, tone }) => (
      <li key={label}>
        <Link to="/$organization/workspaces" params={{ organization }} search={search} className="home-tile">
          <span className="muted">{label}</span>
          <span className={`home-tile-number${tone && count > 0 ? ` home-tile-${tone}` : ''}`}>
            {count.toLocaleString()}
          </span>
        </Link>
      </li>
    ))}
  </ul>
);

const spanSearch = (name: 'locked' | 'changed', sort: WorkspaceSort, { since, before }: Span): WorkspaceSearch => ({
  ...(since !== null && { [`${name}-since`]: since }),
  ...(before !== null && { [`${name}-before`]: before }),
  sort,
});

const spanRows = (
  name: 'locked' | 'changed',
  sort: WorkspaceSort,
  words: readonly string[],
  spans: readonly Span[],
): readonly CountRow[] =>
  spans.map((span, index) => ({
    key: span.since ?? '',
    label: words[index] ?? '',
    count: span.count,
    search: spanSearch(name, sort, span),
    tone: index === spans.length - 1 ? 'warning' : undefined,
  }));

/** Adds the number of all other workspaces, which no filter finds, unless rows have none or all of them. */
const withRest = (rows: readonly CountRow[], all: number, label: string): readonly CountRow[] => {
  const counted = rows.reduce((sum, { count }) => sum + count, 0);
  return counted === 0 || counted === all
    ? rows
    : [...rows, { key: 'none', label: <span className="muted">{label}</span>, count: all - counted }];
};

const stateRows = ({ 'state-changes': spans, 'workspace-count': all }: Statistics): readonly CountRow[] =>
  withRest(spanRows('changed', 'latest-change-at', STATE_AGES, spans), all, 'No state');

const runRows = ({ 'current-run-statuses': statuses, 'workspace-count': all }: Statistics): readonly CountRow[] => {
  const rows = statuses.map(
    ({ status, count }): CountRow => ({
      key: status,
      label: <RunStatus status={status} />,
      count,
      search: { run: status },
      tone: status === 'errored' ? 'danger' : undefined,
    }),
  );
  return withRest(rows, all, 'No run');
};

const byVersion = new Intl.Collator('en', { numeric: true });

/** Returns the rows of the most frequent versions, the newest first. */
const versionRows = (statistics: Statistics): readonly CountRow[] => {
  const rows = statistics['infra-versions']
    .map(({ 'infra-version': version, count }) => ({ key: version, label: version, count, search: { version } }))
    .toSorted((a, b) => byVersion.compare(b.key, a.key));
  const others = statistics['other-infra-version-count'];
  return others === 0 ? rows : [...rows, { key: 'others', label: 'Other versions', count: others }];
};

const protectionRows = (statistics: Statistics): readonly CountRow[] => {
  const unprotected = statistics['unprotected-count'];
  const { 'production-tag': tag, 'unprotected-production-count': production } = statistics;
  return [
    { key: 'off', label: 'Off', count: unprotected, search: { protected: 'false' }, tone: 'warning' },
    ...(tag === null || production === null
      ? []
      : [
          {
            key: 'production',
            label: 'Off in production',
            count: production,
            search: { tags: tag, protected: 'false' },
            tone: 'danger' as const,
            isPart: true as const,
          },
        ]),
    { key: 'on', label: 'On', count: statistics['workspace-count'] - unprotected, search: { protected: 'true' } },
  ];
};

const Activity = ({ organization, statistics: { activity, 'counted-at': countedAt } }: PicturesProps) => {
  if (activity === null) {
    return (
      <p className="muted home-note">
        Only owners see changes and runs by day, because these count all entries of the audit trail.
      </p>
    );
  }
  if (activity.length === 0) {
    return (
      <p className="muted home-note">
        Changes and runs are counted for the first time about an hour after they were made.
      </p>
    );
  }
  const now = Date.parse(countedAt);
  const changes = total(activity, 'change-count');
  const lately = runDays(activity, now);
  const [runs, failed] = [total(lately, 'run-count'), total(lately, 'failed-run-count')];
  const runWords = runs === 0 ? 'No run has ended.' : `${failed.toLocaleString()} failed`;
  return (
    <div className="home-activity">
      <Section
        title={`${formatCount(changes, 'change')} in a year`}
        actions={<HeatMapLegend />}
        description="Days in UTC, counted about an hour later"
      >
        <HeatMap organization={organization} days={activity} now={now} />
      </Section>
      <Section title={`${formatCount(runs, 'run')} in 30 days`} description={runWords}>
        <RunDays organization={organization} days={activity} now={now} />
      </Section>
    </div>
  );
};
