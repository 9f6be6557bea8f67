import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { holderName } from '../../../../../shared/client/workspaces.ts';
import { tagsInForce, type WorkspaceDocument, workspaceQuery } from '../../api/workspaces.ts';
import { Badge, RunStatus } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageTitle } from '../../components/page.tsx';
import { ProductionBadge } from '../../components/production-badge.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { workspacePages } from '../../layout/navigation.ts';
import { useRecentPage } from '../../lib/recent-pages.ts';
import { formatCount } from '../../lib/words.ts';
import './workspace-layout.css';
import { WorkspaceNotFound } from '../workspace-not-found.tsx';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace');

/** Frame of all pages of a workspace: its name, its lock, and the tabs. */
export const WorkspaceLayout = () => {
  const { organization, workspace } = route.useParams();
  const { run, version } = useParams({ strict: false });
  const query = useQuery(workspaceQuery(organization, workspace));
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const tabs = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path has another tab
  useEffect(() => {
    const bar = tabs.current;
    if (bar === null) return;
    // The bar reports its size at first and after each change.
    const observer = new ResizeObserver(() => {
      bar.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    });
    observer.observe(bar);
    return () => observer.disconnect();
  }, [path]);
  useRecentPage([organization, 'workspaces', workspace], query.data && workspace);
  if (query.data === undefined && isNotFound(query.error)) {
    return <WorkspaceNotFound organization={organization} name={workspace} />;
  }
  const tab = workspacePages.slice(1).find(({ to }) => to.split('/')[4] === path.split('/')[4]);
  const attributes = query.data?.document.data.attributes;
  const holder = query.data && holderName(query.data.document, query.data.document.data);
  const project = query.data && firstIncluded(query.data.document, 'projects');
  return (
    <div className="page">
      <PageTitle
        title={[run !== undefined ? `Run ${run}` : version !== undefined ? `State ${version}` : tab?.label, workspace]
          .filter((part) => part !== undefined)
          .join(' · ')}
      />
      <header>
        <div className="page-above">
          <Link to="/$organization/workspaces" params={{ organization }}>
            Workspaces
          </Link>
          {project !== undefined && (
            <>
              {' / '}
              <ResourceLink type="projects" id={project.id} name={project.attributes.name} />
            </>
          )}
        </div>
        <div className="cluster">
          <h1>{workspace}</h1>
          {attributes?.locked && (
            <Badge kind="warning">
              <Icon name="lock" />
              {holder === undefined ? 'locked' : `locked by ${holder}`}
            </Badge>
          )}
          {query.data !== undefined && <Production document={query.data.document} />}
          {attributes?.['deletion-protection'] && <Badge kind="info">protected</Badge>}
        </div>
        {query.data && <Summary document={query.data.document} />}
      </header>
      <nav ref={tabs} className="tabs" aria-label="Workspace">
        <ul>
          {workspacePages.map(({ to, label }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ organization, workspace }}
                activeOptions={{ exact: label === 'Overview' }}
                className="tab"
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Loaded query={query}>{() => <Outlet />}</Loaded>
    </div>
  );
};

/** Shows the description of a workspace and what is looked up most, on all of its pages. */
const Summary = ({ document }: { readonly document: WorkspaceDocument }) => {
  const { organization, workspace } = route.useParams();
  const { attributes } = document.data;
  const run = firstIncluded(document, 'runs');
  return (
    <>
      {attributes.description && <p className="workspace-description">{toVisible(attributes.description)}</p>}
      <p className="workspace-summary muted">
        {run !== undefined && (
          <Link to="/$organization/workspaces/$workspace/runs/$run" params={{ organization, workspace, run: run.id }}>
            <RunStatus status={run.attributes.status} />
          </Link>
        )}
        <span>{formatCount(attributes['resource-count'], 'resource')}</span>
        <span>Tool version {attributes['infra-version-resolved'] ?? attributes['infra-version']}</span>
        <span>{attributes['execution-mode']}</span>
      </p>
    </>
  );
};

const Production = ({ document }: { readonly document: WorkspaceDocument }) => {
  const bindings = (document.included ?? []).flatMap((resource) =>
    resource.type === 'effective-tag-bindings' ? [resource.attributes] : [],
  );
  return (
    <ProductionBadge
      tags={tagsInForce(document.data.attributes['tag-names'], bindings)}
      production={firstIncluded(document, 'organizations')?.attributes['production-tag']}
    />
  );
};
