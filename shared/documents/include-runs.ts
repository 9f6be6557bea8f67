import { currentMoment, type Run } from '../domain/runs/run.ts';
import type { Resource } from '../jsonapi/document.ts';
import { readmeResource } from '../resources/configuration-versions/response.ts';
import { applyResource, planResource, runResource } from '../resources/runs/response.ts';
import type { WorkspaceInclude } from '../routes/route.ts';
import type { Found, RecordReference } from '../store/directory/directory-reader.ts';
import { versionResources } from './configuration-versions.ts';
import { type Inclusion, mayReadRuns, of, type Presenting, type Seen } from './inclusion.ts';

/** Includes runs and configuration versions, for callers who may read runs (HTTP-30). */

/** Includes the newest run and, if requested, a part of it. */
const ofRun = (part: (run: Run) => readonly Resource[] = () => []): Inclusion => ({
  needs: (seen) => (mayReadRuns(seen) ? runOf(seen) : undefined),
  of: async (seen, found, { store }) => {
    const run = await readRun(seen, found, store);
    return { resources: run === undefined ? [] : [runResource(run), ...part(run)] };
  },
});
const runOf = ({ workspace: { id: workspace, run } }: Seen): RecordReference | undefined =>
  run && { kind: 'run', id: run.id, workspace };

/** Returns the newest run. A run whose status differs from that on the workspace was read too early, and is read again. */
const readRun = async (seen: Seen, found: Found, store: Presenting['store']): Promise<Run | undefined> => {
  const { id: workspace, run: current, runStatus } = seen.workspace;
  if (current === undefined || !mayReadRuns(seen)) return undefined;
  const run = found('run', current.id);
  const isNow = run !== undefined && currentMoment(run).status === runStatus;
  return isNow ? run : store.findRun(workspace, current.id);
};

/**
 * Includes the configuration version of the newest run. The workspace has its id, so both are read at the same time.
 */
const ofRunVersion = (withIngress: boolean): Inclusion => ({
  needs: (seen) => {
    const { id: workspace, run } = seen.workspace;
    if (run === undefined || !mayReadRuns(seen)) return undefined;
    const { id, configurationVersion: version } = run;
    const own = { kind: 'run', id, workspace } as const;
    return version === null ? own : [own, { kind: 'configurationVersion', id: version, workspace }];
  },
  of: async (seen, found, { store }) => {
    const run = await readRun(seen, found, store);
    if (run === undefined) return { resources: [] };
    const version = found('configurationVersion', run.description.configurationVersion ?? '');
    return { resources: [runResource(run), ...versionResources(version, withIngress)] };
  },
});

const ofCurrentVersion = (withIngress: boolean): Inclusion => {
  const current = ({ workspace: { id: workspace, configurationVersion } }: Seen): RecordReference | undefined =>
    configurationVersion && { kind: 'configurationVersion', id: configurationVersion.id, workspace };
  return {
    needs: (seen) => (mayReadRuns(seen) ? current(seen) : undefined),
    of: (seen, found) => {
      const version = found('configurationVersion', current(seen)?.id ?? '');
      return { resources: versionResources(version, withIngress) };
    },
  };
};

const plan = ofRun((run) => [planResource(run)]);
const apply = ofRun((run) => [applyResource(run)]);

export const runInclusions = {
  current_configuration_version: ofCurrentVersion(false),
  'current_configuration_version.ingress_attributes': ofCurrentVersion(true),
  current_run: ofRun(),
  'current_run.apply': apply,
  'current_run.configuration_version': ofRunVersion(false),
  'current_run.configuration_version.ingress_attributes': ofRunVersion(true),
  'current_run.plan': plan,
  // The same, as it was called before.
  latest_run: ofRun(),
  'latest_run.apply': apply,
  'latest_run.configuration_version': ofRunVersion(false),
  'latest_run.configuration_version.ingress_attributes': ofRunVersion(true),
  'latest_run.plan': plan,
  readme: {
    needs: ({ workspace: { id: workspace, readme } }) =>
      readme && { kind: 'readme', id: readme.configurationVersion, workspace },
    of: ({ workspace: { readme } }, found) => of(found('readme', readme?.configurationVersion ?? ''), readmeResource),
  },
} as const satisfies { readonly [N in WorkspaceInclude]?: Inclusion };
