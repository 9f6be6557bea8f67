import { BASE_PATH } from './api.ts';
import { type Routes, required, routesOf, WORKSPACE } from './route.ts';

const all = `${BASE_PATH}/state-versions` as const;
const one = `${all}/{state_version_id}` as const;
const ofWorkspace = `${WORKSPACE}/state-versions` as const;
const { get, post, patch } = routesOf('state-versions');

/** Values of `include` for state versions. */
export const stateVersionIncludes = [
  'created_by',
  'outputs',
  'run',
  'run.configuration_version',
  'run.created_by',
] as const;
export type StateVersionInclude = (typeof stateVersionIncludes)[number];

/**
 * Tells command lines to save the state during an apply, at most every so many seconds (STATE-19). Without the header
 * they save it at the end only.
 */
const headers = { 'x-terraform-snapshot-interval': '60' } as const;

/** States and what is in them (docs/reference/state-versions.md). */
export const stateVersions = {
  'state-versions.create': post(ofWorkspace, 201, {
    headers,
    body: { schema: 'newStateVersion', required: true, large: true },
  }),
  'state-versions.roll-back': patch(ofWorkspace, 201, { headers, body: required('stateRollback') }),
  'state-versions.list': get(all, 200),
  'state-versions.show': get(one, 200, { includes: stateVersionIncludes }),
  'state-versions.current': get(`${WORKSPACE}/current-state-version`, 200, {
    headers,
    includes: stateVersionIncludes,
  }),
  'state-versions.outputs': get(`${one}/outputs`, 200),
  'state-versions.current-outputs': get(`${WORKSPACE}/current-state-version-outputs`, 200),
  'workspace-resources.list': get(`${WORKSPACE}/resources`, 200),
  'state-versions.download': get(`${one}/download`, 307),
  'state-versions.json-download': get(`${one}/json-download`, 307),
  'state-versions.soft-delete': post(`${one}/actions/soft_delete_backing_data`, 200),
  'state-versions.restore': post(`${one}/actions/restore_backing_data`, 200),
  'state-versions.delete': post(`${one}/actions/permanently_delete_backing_data`, 200),
  'state-outputs.show': get(`${BASE_PATH}/state-version-outputs/{state_version_output_id}`, 200),
} satisfies Routes;
