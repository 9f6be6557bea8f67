import { limits } from '../../domain/limits.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { anything, count, flag, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';
import { stateVersionSource } from '../imported-from.ts';

const url = {
  pattern: '^https?://',
  examples: [`https://holdfast.example.com${BASE_PATH}/state-versions/sv-CvpbqPPtsWSnyrTk/download`],
};
const md5 = { examples: ['4ae22d5ac0b2c5a6fb9e5b8a7ad8f1a0'] };
const content = { maxLength: limits.bodyWithState };

/** The attributes of a state version (STATE-1). */
export const attributes = {
  'created-at': { response: time() },
  serial: {
    request: count(
      'Higher than the serial of the current state. The same serial is accepted only with the same content.',
      { maximum: Number.MAX_SAFE_INTEGER },
    ),
    response: count(),
  },
  lineage: {
    request: nullable(
      text('The lineage of the current state, if the workspace has a state.', { maxLength: limits.id }),
    ),
    response: nullable(text()),
  },
  md5: {
    request: text('MD5 of the raw bytes of the state, in hexadecimal.', {
      maxLength: 32,
      pattern: '^[0-9a-fA-F]{32}$',
    }),
    response: text('MD5 of the raw bytes of the state, in hexadecimal.', { pattern: '^[0-9a-f]{32}$', ...md5 }),
  },
  force: { request: flag('Whether any serial and lineage are accepted; false if omitted.') },
  state: { request: nullable(text('The state, in base 64, if it is not uploaded separately.', content)) },
  'json-state': { request: nullable(text('The state in JSON format for other tools, in base 64.', content)) },
  'json-state-outputs': {
    request: nullable(text('The outputs of the state, in base 64. They are read from the state if possible.', content)),
  },
  size: { response: nullable(count('Size of the content in bytes; null until the content has arrived.')) },
  status: {
    response: oneOf(
      ['pending', 'finalized', 'discarded', 'backing_data_soft_deleted', 'backing_data_permanently_deleted'],
      'Pending until the content was read. Discarded if the content arrived too late, or after a newer version. An owner can delete the content of an old version, softly or permanently.',
    ),
  },
  intermediate: {
    request: flag(
      'Whether the version becomes the current one only when the lock ends. False if omitted: it becomes the current one when its content was read.',
    ),
    response: flag('Whether the version becomes the current one only when the lock ends.'),
  },
  'resources-processed': { response: flag('Whether the content was read.') },
  'resource-count': {
    response: nullable(count('Number of managed resources; 0 if the content cannot be read.')),
  },
  'terraform-version': { response: nullable(text('Version of the tool that wrote the state.')) },
  'state-version': { response: nullable(count('Version of the state format.')) },
  'hosted-state-download-url': {
    response: nullable(text('URL of the raw state. It requires the token and redirects to the content.', url)),
  },
  'hosted-json-state-download-url': {
    response: nullable(text('URL of the state in JSON format, if it was uploaded.', url)),
  },
  'hosted-state-upload-url': {
    response: nullable(
      text(
        'URL to upload the raw state, valid for one hour without a token. Only the response to the creator has it.',
        url,
      ),
    ),
  },
  'hosted-json-state-upload-url': {
    response: nullable(text('URL to upload the state in JSON format, under the same conditions.', url)),
  },
  'imported-from': stateVersionSource,
  'vcs-commit-sha': { response: nullable(text('Always null.')) },
  'vcs-commit-url': { response: nullable(text('Always null.')) },
} as const satisfies AttributeTable;

const outputType = nullable(oneOf(['string', 'number', 'boolean', 'array', 'object']));

/** The attributes of an output of a state version (STATE-14). */
export const outputAttributes = {
  name: { response: text() },
  sensitive: { response: flag() },
  type: { response: outputType },
  'detailed-type': {
    response: anything('The type as the state has it: `"string"`, `["list", "string"]`. Null if it has none.'),
  },
  value: { response: anything('In lists, null if the output is sensitive.') },
} as const satisfies AttributeTable;

/** The attributes of an output that is included with its workspace (HTTP-29). */
export const workspaceOutputAttributes = {
  name: { response: text() },
  sensitive: { response: flag() },
  'output-type': { response: outputType },
  value: { response: anything('Null if the output is sensitive.') },
} as const satisfies AttributeTable;
