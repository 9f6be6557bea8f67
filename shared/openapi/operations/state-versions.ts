import { stateOutput, stateVersion } from '../../resources/state-versions/openapi.ts';
import { team } from '../../resources/teams/openapi.ts';
import { user } from '../../resources/users/openapi.ts';
import type { stateVersions as routes, StateVersionInclude } from '../../routes/state-versions.ts';
import type { Inclusions } from '../../schemas/resource-schema.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';

const READ = 'The caller needs permission to read state versions.';
const OUTPUTS = 'The caller needs permission to read state outputs.';
const TOO_LARGE = 'The outputs are larger than 5 MB: download the state to read them.';

const include: Inclusions<StateVersionInclude> = {
  created_by: [user, team],
  outputs: [stateOutput],
  run: [],
  'run.configuration_version': [],
  'run.created_by': [],
};

const location = {
  Location: { description: 'Where it can be read for some minutes, without a token.', schema: text(), required: true },
} as const;

/** States and what is in them (docs/reference/state-versions.md). */
export const stateVersions: Group<keyof typeof routes> = {
  name: 'State versions',
  description: 'What the infrastructure tool knows of a workspace, version by version.',
  operations: {
    'state-versions.create': {
      summary: 'Create a state version',
      description:
        'The state is a part of the body, or is uploaded to the two URLs of the answer, with PUT and without a token. It becomes the current one when the lock is released. The caller needs permission to write state versions, and the lock.',
      rule: 'STATE-5',
      body: 'Unknown attributes are ignored.',
      answers: one(stateVersion),
      refuses: {
        409: 'The workspace is not locked, or not by the caller.',
        412: "The serial or the lineage does not follow that of the workspace's state. `force` skips the question.",
        413: 'The body is larger than 4 MiB: upload the state.',
      },
    },
    'state-versions.list': {
      summary: 'List state versions',
      description: `Of one workspace, the newest first. ${READ}`,
      rule: 'STATE-12',
      query: {
        'filter[organization][name]': {
          description: 'The organization of the workspace.',
          schema: text(),
          required: true,
        },
        'filter[workspace][name]': { description: 'The workspace.', schema: text(), required: true },
      },
      answers: page(stateVersion),
      refuses: { 404: 'There is no such workspace, or not for the caller.' },
    },
    'state-versions.show': {
      summary: 'Show a state version',
      description: READ,
      rule: 'STATE-12',
      answers: one(stateVersion),
      include,
    },
    'state-versions.current': {
      summary: "Show a workspace's current state version",
      description: READ,
      rule: 'STATE-11',
      answers: one(stateVersion),
      include,
      refuses: { 404: 'The workspace is not there, or not for the caller; or it has no state.' },
    },
    'state-versions.outputs': {
      summary: 'List the outputs of a state version',
      description: OUTPUTS,
      rule: 'STATE-14',
      answers: list(stateOutput),
      refuses: { 422: TOO_LARGE },
    },
    'state-versions.current-outputs': {
      summary: "List the outputs of a workspace's current state version",
      description: `None where there is no state. ${OUTPUTS}`,
      rule: 'STATE-15',
      answers: list(stateOutput),
      refuses: { 422: TOO_LARGE, 503: 'A newer state is being processed, or the service is busy.' },
    },
    'state-versions.download': {
      summary: 'Download a state',
      description: `Leads to the raw bytes as they were uploaded. ${READ}`,
      rule: 'STATE-13',
      headers: location,
      refuses: { 404: 'It is not there, or not for the caller; or its content has not arrived.' },
    },
    'state-versions.json-download': {
      summary: 'Download a state as JSON',
      description: `Leads to the JSON form, where one was uploaded. ${READ}`,
      rule: 'STATE-13',
      headers: location,
      refuses: { 404: 'It is not there, or not for the caller; or no JSON form was uploaded.' },
    },
    'state-outputs.show': {
      summary: 'Show an output',
      description: `With its value, also where it is sensitive. ${OUTPUTS}`,
      rule: 'STATE-14',
      answers: one(stateOutput),
      refuses: { 422: TOO_LARGE },
    },
  },
};
