import { BASE_PATH } from './api.ts';
import { type Routes, WORKSPACE } from './route.ts';

/** Values of `include` for runs and configuration versions (RUN-10). */
export const runIncludes = [
  'apply',
  'configuration_version',
  'configuration_version.ingress_attributes',
  'plan',
] as const;
export type RunInclude = (typeof runIncludes)[number];

const version = `${BASE_PATH}/configuration-versions/{configuration_version_id}` as const;
const fn = { method: 'GET', function: 'runs', status: 200 } as const;

/** Runs and their resources. They are read-only: runs are executed and reported by other systems. */
export const runs = {
  'runs.list': { ...fn, path: `${WORKSPACE}/runs`, includes: runIncludes },
  'runs.show': { ...fn, path: `${BASE_PATH}/runs/{run_id}`, includes: runIncludes },
  'configuration-versions.show': { ...fn, path: version, includes: ['ingress_attributes'] },
  'configuration-versions.ingress-attributes': { ...fn, path: `${version}/ingress-attributes` },
} as const satisfies Routes;
