import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { versionResources } from '../../shared/documents/configuration-versions.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Run } from '../../shared/domain/runs/run.ts';
import type { Operations } from '../../shared/http/operation.ts';
import type { Resource } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { applyResource, planResource, runResource } from '../../shared/resources/runs/response.ts';
import type { RunInclude } from '../../shared/routes/runs.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { RunsOwner } from '../../shared/store/runs/run-reader.ts';
import type { Store } from '../../shared/store/store.ts';
import { type RunFilter, readRunFilter } from './filter.ts';

const WITH_INGRESS = 'configuration_version.ingress_attributes';

/** Reads the resources to include with runs, each once. */
const inclusionsOf = async (
  { records }: Pick<Store, 'records'>,
  runs: readonly Run[],
  include: ReadonlySet<RunInclude>,
): Promise<readonly Resource[]> => {
  const withIngress = include.has(WITH_INGRESS);
  const needed = withIngress || include.has('configuration_version');
  const versionOf = ({ description }: Run) => (needed ? description.configurationVersion : null);
  const found = await records.find(
    runs.flatMap((run) => {
      const id = versionOf(run);
      return id === null ? [] : [{ kind: 'configurationVersion' as const, id, workspace: run.workspace }];
    }),
  );
  const resources = runs.flatMap((run) => [
    ...(include.has('plan') ? [planResource(run)] : []),
    ...(include.has('apply') ? [applyResource(run)] : []),
    ...versionResources(found('configurationVersion', versionOf(run) ?? ''), withIngress),
  ]);
  return [...new Map(resources.map((resource) => [`${resource.type} ${resource.id}`, resource])).values()];
};

/** Number of runs, newest first, that a filter tests (RUN-11). */
const MOST_TESTED = 10_000;

/** Returns the runs that match a filter, in their order. */
const filterRuns = async (
  { records }: Pick<Store, 'records'>,
  runs: readonly Run[],
  { matches, testsVersions }: RunFilter,
): Promise<readonly Run[]> => {
  const versions = testsVersions
    ? await records.find(
        runs.flatMap(({ workspace, description: { configurationVersion: id } }) =>
          id === null ? [] : [{ kind: 'configurationVersion' as const, id, workspace }],
        ),
      )
    : () => undefined;
  return runs.filter((run) =>
    matches(run, versions('configurationVersion', run.description.configurationVersion ?? '')),
  );
};

/** Returns the runs of a workspace that match a filter, newest first. */
const findRuns = async (
  store: Pick<Store, 'records' | 'runs'>,
  workspace: RunsOwner,
  filter: RunFilter,
): Promise<readonly Run[]> => {
  const found: Run[] = [];
  let remaining = MOST_TESTED;
  for await (const runs of store.runs.pages(workspace, filter.period)) {
    found.push(...(await filterRuns(store, runs.slice(0, remaining), filter)));
    remaining -= runs.length;
    if (remaining <= 0) break;
  }
  return found;
};

export const runOperations = {
  /** `GET /runs/:run_id` */
  'runs.show': async ({ digest, parameters: { run_id: id }, include }, { store }) => {
    let place: Awaited<ReturnType<Store['runs']['findPlace']>>;
    const target = {
      owner: async () => {
        place = await store.runs.findPlace(id);
        return place;
      },
    };
    const { results: run } = await authorizeWorkspace(store, digest, target, 'run.read', () => store.runs.find(place));
    if (run === undefined) throw notFound();
    const included = include.size > 0 && { included: await inclusionsOf(store, [run], include) };
    return { data: runResource(run), ...included };
  },

  /** `GET /workspaces/:workspace_id/runs`: newest first (RUN-8, RUN-11, RUN-12). */
  'runs.list': async ({ digest, parameters: { workspace_id: id }, query, include, url }, { store }) => {
    const page = readPage(query);
    const filter = readRunFilter(query, now());
    const range = rangeOf(page);
    const read = async (workspace: RunsOwner) => {
      if (filter === undefined) return store.runs.list(workspace, range);
      const found = await findRuns(store, workspace, filter);
      return { runs: found.slice(range.from, range.to), total: found.length };
    };
    const { results } = await authorizeWorkspace(store, digest, { id }, 'run.read', (ids, known) =>
      read(known ?? { id: ids.workspace }),
    );
    const { runs, total } = results;
    const included = include.size > 0 && { included: await inclusionsOf(store, runs, include) };
    return { data: runs.map(runResource), ...included, ...paginate(page, total, url, query) };
  },
} satisfies Partial<Operations<'runs', Dependencies>>;
