import { currentMoment, type Run } from '../domain/runs/run.ts';
import type { Resource } from '../jsonapi/document.ts';
import { readmeResource } from '../resources/configuration-versions/response.ts';
import { applyResource, planResource, runResource } from '../resources/runs/response.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import { runReference } from '../store/directory/directory-reader.ts';
import { versionResources } from './configuration-versions.ts';
import { fromRecord, type Inclusion, inclusion, mayReadRuns, type Presenting, type Seen } from './inclusion.ts';

/** Includes runs and configuration versions, for callers who may read runs (HTTP-30). */

/** Returns the reference of the newest run, for callers who may read runs. */
const newestRun = (seen: Seen) => {
  const { run } = seen.workspace;
  return run && mayReadRuns(seen) ? runReference(seen.workspace, run.id) : undefined;
};

/** Reads the newest run again if its status differs from that on the workspace, because it was then read too early. */
const withStatus = async (run: Run | undefined, seen: Seen, store: Presenting['store']): Promise<Run | undefined> => {
  const reference = newestRun(seen);
  const isCurrent = run !== undefined && currentMoment(run).status === seen.workspace.runStatus;
  if (reference === undefined || isCurrent) return run;
  const place = await store.runs.findPlace(reference.id);
  return place && store.runs.find(place);
};

/** Includes the newest run and, if requested, a part of it. */
const includeRun = (part: (run: Run) => readonly Resource[] = () => []): Inclusion =>
  inclusion({
    needs: (seen) => ({ run: newestRun(seen) }),
    build: async ({ run }, seen, { store }) => {
      const newest = await withStatus(run, seen, store);
      return { resources: newest === undefined ? [] : [runResource(newest), ...part(newest)] };
    },
  });

/**
 * Includes the configuration version of the newest run. The workspace has its id, so both are read at the same time.
 */
const includeRunVersion = (withIngress: boolean): Inclusion =>
  inclusion({
    needs: (seen) => {
      const { id: workspace, run } = seen.workspace;
      const id = newestRun(seen) && run?.configurationVersion;
      return {
        run: newestRun(seen),
        version: id == null ? undefined : { kind: 'configurationVersion', id, workspace },
      };
    },
    build: async ({ run, version }, seen, { store }) => {
      const newest = await withStatus(run, seen, store);
      return {
        resources: newest === undefined ? [] : [runResource(newest), ...versionResources(version, withIngress)],
      };
    },
  });

const includeCurrentVersion = (withIngress: boolean): Inclusion =>
  inclusion({
    needs: (seen) => {
      const { id: workspace, configurationVersion: current } = seen.workspace;
      return {
        version: current && mayReadRuns(seen) ? { kind: 'configurationVersion', id: current.id, workspace } : undefined,
      };
    },
    build: ({ version }) => ({ resources: versionResources(version, withIngress) }),
  });

const plan = includeRun((run) => [planResource(run)]);
const apply = includeRun((run) => [applyResource(run)]);

export const runInclusions = {
  current_configuration_version: includeCurrentVersion(false),
  'current_configuration_version.ingress_attributes': includeCurrentVersion(true),
  current_run: includeRun(),
  'current_run.apply': apply,
  'current_run.configuration_version': includeRunVersion(false),
  'current_run.configuration_version.ingress_attributes': includeRunVersion(true),
  'current_run.plan': plan,
  // Former names of `current_run`.
  latest_run: includeRun(),
  'latest_run.apply': apply,
  'latest_run.configuration_version': includeRunVersion(false),
  'latest_run.configuration_version.ingress_attributes': includeRunVersion(true),
  'latest_run.plan': plan,
  readme: inclusion({
    needs: ({ workspace: { id: workspace, readme } }) => ({
      readme: readme && { kind: 'readme', id: readme.configurationVersion, workspace },
    }),
    build: ({ readme }) => fromRecord(readme, readmeResource),
  }),
} as const satisfies { readonly [N in WorkspaceInclude]?: Inclusion };
