import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../../../shared/client/errors.ts';
import { errorDetails } from '../../api/errors.ts';
import { resourceCountsQuery, stateVersionsQuery } from '../../api/state-versions.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { formatCount } from '../../lib/words.ts';
import { ResourceCourse } from './resource-course.tsx';
import './state-cards.css';
import { NoState } from './state/no-state.tsx';
import { Outputs } from './state/outputs.tsx';
import { ROOT_MODULE, VersionLink } from './state/version-parts.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Number of state versions whose resource counts are shown. */
const COURSE = 50;

/** Number of outputs that are shown. The page of the state has all of them. */
const SHOWN_OUTPUTS = 10;

const StateLink = ({ label }: { readonly label: string }) => {
  const { organization, name } = useWorkspace();
  return (
    <Link to="/$organization/workspaces/$workspace/state" params={{ organization, workspace: name }}>
      {label}
    </Link>
  );
};

/** Shows the resources of the current state and the course of their number, or how the first state is stored. */
export const ResourcesCard = () => {
  const { organization, name, workspace } = useWorkspace();
  const missing = missingPermission(workspace.attributes.permissions, 'can-read-state-versions');
  const versions = useQuery({
    ...stateVersionsQuery(organization, name, 1, COURSE),
    enabled: missing === undefined,
  });
  const current = workspace.relationships['current-state-version'].data?.id;
  if (missing !== undefined) {
    return (
      <Section title="Resources">
        <p className="muted">{missing}</p>
      </Section>
    );
  }
  if (current === undefined && versions.data?.document.data.length === 0) {
    return (
      <section className="section">
        <NoState />
      </section>
    );
  }
  return (
    <Section
      title="Resources"
      actions={current !== undefined && <VersionLink version="current">All resources</VersionLink>}
    >
      {current !== undefined ? (
        <ResourceCounts version={current} />
      ) : (
        versions.data !== undefined && (
          <p className="muted">No state yet. A state version becomes the current state when its content has arrived.</p>
        )
      )}
      <Loaded query={versions} lines={3}>
        {({ document: { data } }) => <ResourceCourse versions={data} />}
      </Loaded>
    </Section>
  );
};

/** Shows the outputs of the current state. */
export const OutputsCard = () => {
  const { workspace } = useWorkspace();
  const { permissions } = workspace.attributes;
  const missing = missingPermission(permissions, 'can-read-state-outputs');
  const current = workspace.relationships['current-state-version'].data?.id;
  if (missing === undefined && current === undefined) return null;
  return (
    <Section title="Outputs">
      {missing !== undefined || current === undefined ? (
        <p className="muted">{missing}</p>
      ) : (
        <Outputs version={current} limit={SHOWN_OUTPUTS}>
          {(count) =>
            permissions['can-read-state-versions'] ? (
              <StateLink label={`All ${count.toLocaleString()} outputs`} />
            ) : (
              <p className="muted">
                The first {SHOWN_OUTPUTS} of {formatCount(count, 'output')}.
              </p>
            )
          }
        </Outputs>
      )}
    </Section>
  );
};

/** Returns the module that the root module calls, of a module in it: `module.network` of `network.subnets["a"]`. */
const calledModule = (module: string): string =>
  module === ROOT_MODULE ? ROOT_MODULE : `module.${/^[^.[]*/.exec(module)?.[0] ?? module}`;

const ResourceCounts = ({ version }: { readonly version: string }) => {
  const { workspace } = useWorkspace();
  const counts = useQuery(resourceCountsQuery(workspace.id, version));
  // The state is encrypted, too old or too large.
  if (counts.error instanceof ApiError && counts.error.status === 422) {
    return <p className="muted">{errorDetails(counts.error).join(' ')}</p>;
  }
  return (
    <Loaded query={counts}>
      {({ pagination: { 'total-count': total }, 'type-counts': types, 'module-counts': modules }) =>
        total === 0 ? (
          <p className="muted">The current state has no managed resources.</p>
        ) : (
          <div className="resource-counts">
            <Counts noun="type" counts={Object.entries(types)} total={total} />
            {/* A state without modules has the root module only. */}
            {Object.keys(modules).some((module) => module !== ROOT_MODULE) && (
              <Counts
                noun="module"
                counts={Object.entries(modules).map(([module, count]) => [calledModule(module), count])}
                total={total}
              />
            )}
          </div>
        )
      }
    </Loaded>
  );
};

/** Number of types, and of modules, that are shown. */
const SHOWN_COUNTS = 8;

interface CountsProps {
  readonly noun: 'type' | 'module';
  /** Names with their counts; equal names are added. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  readonly total: number;
}

/** Shows the largest counts as bars. */
const Counts = ({ noun, counts, total }: CountsProps) => {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  const shown = [...sums].sort(([, a], [, b]) => b - a).slice(0, SHOWN_COUNTS);
  const others = total - shown.reduce((sum, [, count]) => sum + count, 0);
  const largest = shown[0]?.[1] ?? 1;
  return (
    <div className="stack stack-tight">
      <h3>By {noun}</h3>
      <ul className="resource-bars" aria-label={`Resources by ${noun}`}>
        {shown.map(([name, count]) => (
          <li key={name}>
            <VersionLink version="current" search={{ [noun]: name }}>
              {name === ROOT_MODULE ? 'Root module' : <code>{toVisible(name)}</code>}
            </VersionLink>
            <span className="number">{count.toLocaleString()}</span>
            <span className="resource-bar" style={{ inlineSize: `${(100 * count) / largest}%` }} />
          </li>
        ))}
      </ul>
      {others > 0 && (
        <VersionLink version="current" search={{ group: noun }}>
          {formatCount(others, 'resource')} of other {noun}s
        </VersionLink>
      )}
    </div>
  );
};
