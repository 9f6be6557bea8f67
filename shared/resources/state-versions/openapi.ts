import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toManyLinked, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { count, flag, id, nullable, oneOf, path, text, time } from '../../schemas/schema.ts';

const url = (description: string) =>
  nullable(
    text(description, {
      pattern: '^https?://',
      examples: [`https://holdfast.example.com${BASE_PATH}/state-versions/sv-CvpbqPPtsWSnyrTk/download`],
    }),
  );
const anything = (description: string) => Type.Unsafe({ description });

export const stateVersion = resource('StateVersion', {
  type: 'state-versions',
  description: 'A version of the state of a workspace.',
  id: id(prefixes.stateVersion),
  attributes: {
    'created-at': time(),
    serial: count(),
    lineage: nullable(text()),
    md5: text('Of the raw bytes, in hexadecimal.', {
      pattern: '^[0-9a-f]{32}$',
      examples: ['4ae22d5ac0b2c5a6fb9e5b8a7ad8f1a0'],
    }),
    size: nullable(count('In bytes; null until its content has arrived.')),
    status: oneOf(
      ['pending', 'finalized', 'discarded'],
      'Pending until its content has arrived and was read; discarded when that did not come in time, or a newer version came first.',
    ),
    intermediate: flag('Whether it became, or is to become, the current one only with the end of the lock.'),
    'resources-processed': flag('Whether its content was read.'),
    'resource-count': nullable(count('Managed resources in it; 0 also where the content cannot be read.')),
    'terraform-version': nullable(text('Of the tool that wrote it.')),
    'state-version': nullable(count('Of the format that it is written in.')),
    'hosted-state-download-url': url('Where the raw state is; asks for the token, then leads on.'),
    'hosted-json-state-download-url': url('The same for its JSON form, where one was uploaded.'),
    'hosted-state-upload-url': url(
      'Where to upload the raw state, for one hour and without a token; only who creates it is told.',
    ),
    'hosted-json-state-upload-url': url('The same for its JSON form.'),
    'vcs-commit-sha': nullable(text('Always null.')),
    'vcs-commit-url': nullable(text('Always null.')),
  },
  relationships: {
    workspace: toOneLinked('workspaces'),
    run: toOneLinked('runs'),
    'created-by': toOneLinked('users', 'teams', 'runs'),
    outputs: toManyLinked('state-version-outputs'),
  },
  links: { self: path(`${BASE_PATH}/state-versions/sv-CvpbqPPtsWSnyrTk`) },
});

export const stateOutput = resource('StateVersionOutput', {
  type: 'state-version-outputs',
  description: 'An output of a state.',
  id: id(prefixes.stateOutput),
  attributes: {
    name: text(),
    sensitive: flag(),
    type: nullable(oneOf(['string', 'number', 'boolean', 'array', 'object'])),
    'detailed-type': anything('As the state writes it: `"string"`, `["list", "string"]`. Null where it does not say.'),
    value: anything('In lists, null where it is sensitive.'),
  },
  relationships: { configurable: toOne('state-versions') },
  links: { self: path(`${BASE_PATH}/state-version-outputs/wsout-CvpbqPPtsWSnyrTk`) },
});

export const workspaceOutput = resource('WorkspaceOutput', {
  type: 'workspace-outputs',
  description: 'An output of the current state of a workspace.',
  id: id(prefixes.stateOutput),
  attributes: {
    name: text(),
    sensitive: flag(),
    'output-type': nullable(oneOf(['string', 'number', 'boolean', 'array', 'object'])),
    value: anything('Null where it is sensitive.'),
  },
});
