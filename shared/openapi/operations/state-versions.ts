import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { sortOrders } from '../../resources/workspace-resources/attributes.ts';
import type { StateVersionInclude } from '../../routes/state-versions.ts';
import type { Inclusions } from '../../schemas/resource-schema.ts';
import { count, oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';
import { configurationVersion, run, stateOutput, stateVersion, team, user, workspaceResource } from '../resources.ts';

const READ = 'The caller needs permission to read state versions.';
const OUTPUTS = 'The caller needs permission to read state outputs.';
const OWNERS = 'The caller must be an owner of the organization.';
const NOT_ALLOWED = 'The state version is needed, or its content is not in the status that the action requires.';
const TOO_LARGE = 'The outputs are larger than 5 MB. Download the state to read them.';

const include: Inclusions<StateVersionInclude> = {
  created_by: [user, team],
  outputs: [stateOutput],
  run: [run],
  'run.configuration_version': [run, configurationVersion],
  'run.created_by': [run],
};

const location = {
  Location: text('URL of the content. It needs no token and expires after a few minutes.'),
} as const;

const snapshotInterval = {
  'x-terraform-snapshot-interval': text('Seconds after which command lines save the state during an apply.', {
    pattern: '^[0-9]+$',
  }),
} as const;

const countsBy = (part: string) =>
  Type.Unsafe<Readonly<Record<string, number>>>({
    type: 'object',
    description: `Number of resources on all pages by ${part}, of the ${limits.resourceCounts} with the most.`,
    additionalProperties: count(),
  });

/** State versions and their outputs (docs/reference/state-versions.md). */
export const stateVersions = {
  name: 'State versions',
  description: 'Versions of the state of a workspace.',
  response: one(stateVersion),
  operations: {
    'state-versions.create': {
      summary: 'Create a state version',
      description:
        'Send the state in the body, or upload it to the two URLs of the response, with PUT and without a token. The state version becomes the current one as soon as its content has been read, while the workspace is still locked; with `intermediate`, when the lock ends. The caller needs permission to write state versions, and must hold the lock.',
      rule: 'STATE-5',
      body: 'Unknown attributes are ignored.',
      headers: snapshotInterval,
      errors: {
        409: 'The workspace is not locked by the caller.',
        412: "The serial or the lineage does not follow that of the workspace's state. `force` skips this check.",
        413: 'The outputs, or the state in the body, are too large. The lock is still held. Upload the state instead.',
      },
    },
    'state-versions.roll-back': {
      summary: 'Roll back to a state version',
      description:
        'Creates a state version with the content of an older one, which becomes the current one. The caller needs permission to write state versions, and must hold the lock.',
      rule: 'STATE-21',
      headers: snapshotInterval,
      errors: { 409: 'The workspace is not locked by the caller.' },
    },
    'state-versions.list': {
      summary: 'List state versions',
      description: `Returns the state versions of one workspace, the newest first. ${READ}`,
      rule: 'STATE-12',
      query: {
        'filter[organization][name]': text('Name of the organization.'),
        'filter[workspace][name]': text('Name of the workspace.'),
        'filter[imported-from][id]': text('Only versions that were imported from this id. All versions are read.'),
      },
      requiredQuery: ['filter[organization][name]', 'filter[workspace][name]'],
      response: page(stateVersion),
      errors: { 404: 'The workspace does not exist, or the caller may not see it.' },
    },
    'state-versions.show': { summary: 'Show a state version', description: READ, rule: 'STATE-12', include },
    'state-versions.current': {
      summary: "Show a workspace's current state version",
      description: READ,
      rule: 'STATE-11',
      headers: snapshotInterval,
      include,
      errors: { 404: 'The workspace does not exist or has no state, or the caller may not see it.' },
    },
    'state-versions.outputs': {
      summary: 'List the outputs of a state version',
      description: OUTPUTS,
      rule: 'STATE-14',
      response: list(stateOutput),
      errors: { 422: TOO_LARGE },
    },
    'state-versions.current-outputs': {
      summary: "List the outputs of a workspace's current state version",
      description: `Returns an empty list if there is no state. ${OUTPUTS}`,
      rule: 'STATE-15',
      response: list(stateOutput),
      errors: { 422: TOO_LARGE, 503: 'A newer state is being processed, or the service is busy.' },
    },
    'workspace-resources.list': {
      summary: "List the managed resources of a workspace's current state",
      description: `The content of the state is read for each request. An empty list if there is no state. ${READ}`,
      rule: 'STATE-23',
      query: {
        q: text('Part of the address, ignoring case.'),
        sort: oneOf(sortOrders, 'Sort order. Default: by address.'),
      },
      response: {
        ...page(workspaceResource),
        meta: { 'type-counts': countsBy('type'), 'module-counts': countsBy('module') },
      },
      errors: {
        404: 'The workspace does not exist, the content of its state is deleted, or the caller may not see it.',
        422: 'The state is encrypted, too old or too large to read its resources.',
      },
    },
    'state-versions.download': {
      summary: 'Download a state',
      description: `Redirects to the bytes as they were uploaded. ${READ}`,
      rule: 'STATE-13',
      headers: location,
      errors: { 404: 'The state version does not exist or has no content yet, or the caller may not see it.' },
    },
    'state-versions.json-download': {
      summary: 'Download a state as JSON',
      description: `Redirects to the JSON form, if one was uploaded. ${READ}`,
      rule: 'STATE-13',
      headers: location,
      errors: { 404: 'The state version does not exist or has no JSON form, or the caller may not see it.' },
    },
    'state-versions.soft-delete': {
      summary: 'Delete the content of a state version softly',
      description: `It can be restored until it is deleted permanently. The current version keeps its content. ${OWNERS}`,
      rule: 'STATE-22',
      errors: { 409: NOT_ALLOWED },
    },
    'state-versions.restore': {
      summary: 'Restore the content of a state version',
      description: `Undoes a soft deletion. ${OWNERS}`,
      rule: 'STATE-22',
      errors: { 409: NOT_ALLOWED },
    },
    'state-versions.delete': {
      summary: 'Delete the content of a state version permanently',
      description: `The content must have been deleted softly before. ${OWNERS}`,
      rule: 'STATE-22',
      errors: { 409: NOT_ALLOWED },
    },
    'state-outputs.show': {
      summary: 'Show an output',
      description: `Returns the value even if the output is sensitive. ${OUTPUTS}`,
      rule: 'STATE-14',
      response: one(stateOutput),
      errors: { 422: TOO_LARGE },
    },
  },
} satisfies Group;
