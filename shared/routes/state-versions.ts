import { BASE_PATH } from './api.ts';
import { type Routes, WORKSPACE } from './route.ts';

const all = `${BASE_PATH}/state-versions` as const;
const one = `${all}/{state_version_id}` as const;
const fn = 'state-versions';

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

const read = { method: 'GET', function: fn, status: 200 } as const;
const action = { method: 'POST', function: fn, status: 200 } as const;
const redirect = { method: 'GET', function: fn, status: 307 } as const;

/** States and what is in them (docs/reference/state-versions.md). */
export const stateVersions = {
  'state-versions.create': {
    method: 'POST',
    path: `${WORKSPACE}/state-versions`,
    function: fn,
    status: 201,
    headers,
    body: { schema: 'newStateVersion', required: true, large: true },
  },
  'state-versions.roll-back': {
    method: 'PATCH',
    path: `${WORKSPACE}/state-versions`,
    function: fn,
    status: 201,
    headers,
    body: { schema: 'stateRollback', required: true },
  },
  'state-versions.list': { ...read, path: all },
  'state-versions.show': { ...read, path: one, includes: stateVersionIncludes },
  'state-versions.current': {
    ...read,
    path: `${WORKSPACE}/current-state-version`,
    headers,
    includes: stateVersionIncludes,
  },
  'state-versions.outputs': { ...read, path: `${one}/outputs` },
  'state-versions.current-outputs': { ...read, path: `${WORKSPACE}/current-state-version-outputs` },
  'state-versions.download': { ...redirect, path: `${one}/download` },
  'state-versions.json-download': { ...redirect, path: `${one}/json-download` },
  'state-versions.soft-delete': { ...action, path: `${one}/actions/soft_delete_backing_data` },
  'state-versions.restore': { ...action, path: `${one}/actions/restore_backing_data` },
  'state-versions.delete': { ...action, path: `${one}/actions/permanently_delete_backing_data` },
  'state-outputs.show': { ...read, path: `${BASE_PATH}/state-version-outputs/{state_version_output_id}` },
} as const satisfies Routes;
