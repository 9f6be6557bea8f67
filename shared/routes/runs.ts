import { BASE_PATH } from './api.ts';
import { type Routes, routesOf, WORKSPACE } from './route.ts';

/** Values of `include` for runs and configuration versions (RUN-10). */
export const runIncludes = [
  'apply',
  'configuration_version',
  'configuration_version.ingress_attributes',
  'plan',
] as const;
export type RunInclude = (typeof runIncludes)[number];

const version = `${BASE_PATH}/configuration-versions/{configuration_version_id}` as const;
const { get } = routesOf('runs');

/** Runs and their resources. They are read-only: runs are executed and reported by other systems. */
export const runs = {
  'runs.list': get(`${WORKSPACE}/runs`, 200, { includes: runIncludes }),
  'runs.show': get(`${BASE_PATH}/runs/{run_id}`, 200, { includes: runIncludes }),
  'configuration-versions.show': get(version, 200, { includes: ['ingress_attributes'] }),
  'configuration-versions.ingress-attributes': get(`${version}/ingress-attributes`, 200),
} satisfies Routes;
