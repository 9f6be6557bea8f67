import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { hasState } from '../../../../../shared/client/workspaces.ts';
import { isMeasured, measuredRunsQuery } from '../../api/runs.ts';
import type { WorkspaceDocument } from '../../api/workspaces.ts';
import { RunStatus } from '../../components/badge.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { ImportedFrom } from '../../components/imported-from.tsx';
import { Loaded, Skeleton } from '../../components/loaded.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { formatCount, NOT_REPORTED } from '../../lib/words.ts';
import { SilenceAdvice } from './last-report.tsx';
import { LockCard } from './lock-card.tsx';
import './overview-page.css';
import { toVisible } from '../../components/visible-text.tsx';
import { RunsChart } from './runs-chart.tsx';
import { VersionLink } from './state/version-parts.tsx';
import { OutputsCard, ResourcesCard } from './state-cards.tsx';
import { TagsCard } from './tags-card.tsx';
import { useWorkspace } from './use-workspace.ts';

const Markdown = lazy(() => import('../../components/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));

/** Shows the state of a workspace at a glance. */
export const OverviewPage = () => {
  const { organization, document } = useWorkspace();
  const readme = firstIncluded(document, 'workspace-readme');
  const hasRun = firstIncluded(document, 'runs') !== undefined;
  const runs = <RunsCard organization={organization} document={document} />;
  return (
    <div className="overview">
      <LockCard organization={organization} document={document} />
      <div className="stack overview-main">
        {hasRun && runs}
        <ResourcesCard />
        <OutputsCard />
        {!hasRun && runs}
        {readme !== undefined && (
          <Section title="README">
            <Suspense fallback={<Skeleton />}>
              <Markdown text={readme.attributes['raw-markdown']} />
            </Suspense>
          </Section>
        )}
      </div>
      <div className="stack">
        <AboutCard organization={organization} document={document} />
        <TagsCard />
      </div>
    </div>
  );
};

interface LinkedProps {
  readonly document: WorkspaceDocument;
  readonly organization: string;
}

const RunsCard = ({ document, organization }: LinkedProps) => {
  const { id, attributes } = document.data;
  const missing = missingPermission(attributes.permissions, 'can-read-run');
  const measured = attributes['workspace-kpis-run-count'];
  const runs = useQuery({
    ...measuredRunsQuery(id, measured ?? 0),
    enabled: missing === undefined && measured !== null,
  });
  const current = firstIncluded(document, 'runs');
  const duration = (value: number | null) => (value === null ? NOT_REPORTED : formatDuration(value));
  if (missing !== undefined) return <Section title="Runs">{missing}</Section>;
  const linkToRuns = (label: string) => (
    <Link to="/$organization/workspaces/$workspace/runs" params={{ organization, workspace: attributes.name }}>
      {label}
    </Link>
  );
  return (
    <Section title="Runs" actions={current && linkToRuns('All runs')}>
      {current === undefined ? (
        <p>
          <span className="muted">None yet. Runs appear here when a runner reports them.</span>{' '}
          {linkToRuns('How to report runs')}
        </p>
      ) : (
        <>
          <p>
            Current run:{' '}
            <Link
              to="/$organization/workspaces/$workspace/runs/$run"
              params={{ organization, workspace: attributes.name, run: current.id }}
            >
              <RunStatus status={current.attributes.status} />
            </Link>{' '}
            {toVisible(current.attributes.message)} · <Time value={current.attributes['created-at']} />
          </p>
          <SilenceAdvice document={document} run={current} />
          {measured !== null && (
            <>
              <p className="muted">
                Of the last {formatCount(measured, 'run')} that applied or failed
                {isMeasured(current) ? '' : ', without the current one'}:
              </p>
              <Facts
                facts={[
                  ['Average plan', duration(attributes['plan-duration-average'])],
                  ['Average apply', duration(attributes['apply-duration-average'])],
                  ['Failed', attributes['run-failures']],
                  ['Failed because of a policy', attributes['policy-check-failures']],
                ]}
              />
              <Loaded query={runs} lines={2}>
                {(data) => <RunsChart runs={data} />}
              </Loaded>
            </>
          )}
        </>
      )}
    </Section>
  );
};

/** Returns a fact if there is a value. */
const reported = (name: string, value: string | null | undefined) => (value ? [[name, value] as const] : []);

const AboutCard = ({ document, organization }: LinkedProps) => {
  const { attributes, id } = document.data;
  const project = firstIncluded(document, 'projects');
  const resolved = attributes['infra-version-resolved'];
  const version = attributes['infra-version'];
  const source = attributes['imported-from'];
  return (
    <Section title="About">
      <Facts
        facts={[
          [
            'Project',
            project === undefined ? (
              'not visible to you'
            ) : (
              <ResourceLink key="project" type="projects" id={project.id} name={project.attributes.name} />
            ),
          ],
          ['Execution mode', attributes['execution-mode']],
          ['Tool version', resolved === null || resolved === version ? version : `${version} (${resolved})`],
          [
            'Deletion protection',
            <Link
              key="protection"
              to="/$organization/workspaces/$workspace/settings"
              params={{ organization, workspace: attributes.name }}
            >
              {attributes['deletion-protection'] ? 'on' : 'off'}
            </Link>,
          ],
          ['State', <CurrentState key="state" organization={organization} document={document} />],
          ['Managed resources', <ResourceCount key="resources" workspace={document.data} />],
          ...reported('Repository', attributes['vcs-repo']?.identifier),
          ...reported('Working directory', attributes['working-directory']),
          ['Created', <Time key="created" value={attributes['created-at']} />],
          ...(source === null ? [] : ([['Imported from', <ImportedFrom key="source" source={source} />]] as const)),
          ['ID', <CopyableId key="id" id={id} />],
        ]}
      />
    </Section>
  );
};

const ResourceCount = ({ workspace: { attributes, relationships } }: { readonly workspace: Workspace }) => {
  const count = attributes['resource-count'].toLocaleString();
  const isShown =
    attributes.permissions['can-read-state-versions'] && relationships['current-state-version'].data !== null;
  return isShown ? <VersionLink version="current">{count}</VersionLink> : count;
};

const CurrentState = ({ document, organization }: LinkedProps) => {
  const { attributes } = document.data;
  const version = firstIncluded(document, 'state-versions');
  if (!hasState(document.data)) return 'none yet';
  if (version === undefined) return 'not visible to you';
  return (
    <>
      <Link to="/$organization/workspaces/$workspace/state" params={{ organization, workspace: attributes.name }}>
        version {version.attributes.serial}
      </Link>
      , <Time value={version.attributes['created-at']} />
    </>
  );
};
