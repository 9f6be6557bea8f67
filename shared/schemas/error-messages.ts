import { DomainError } from '../domain/errors.ts';
import { patterns } from './patterns.ts';

/** Error of a compiled validator, in the form of ajv. */
export interface Complaint {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Compiled validator. It returns true, or it returns false and sets `errors` on itself. */
export interface Validator {
  (body: unknown): boolean;
  errors?: readonly Complaint[] | null;
}

/** Finds the first violation of a schema; undefined for a valid value. */
export const findComplaint = (validate: Validator, value: unknown): Complaint | undefined => {
  if (validate(value)) return undefined;
  const [complaint] = validate.errors ?? [];
  if (complaint === undefined) throw new TypeError('The validator reported no error');
  return complaint;
};

const formats: Readonly<Record<string, string>> = {
  name: "may only contain letters, numbers, '-' and '_'",
  'auto-destroy-at': 'must be a timestamp such as 2030-01-31T08:00:00Z',
  'auto-destroy-activity-duration': "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
  'working-directory': "must be a relative path, without drive letters, backslashes and '..'",
  'source-url': 'must be an http or https URL',
  'value-reference':
    'must be ssm:/path, or the ARN of an SSM parameter or of a Secrets Manager secret, without empty segments, wildcards, . and ..',
  'allowed-value-references':
    'must be prefixes such as ssm:/production/ or arn:aws:secretsmanager:eu-central-1:123456789012:secret:production/',
  identifier: 'must be owner/name, such as acme/network',
};

/** Descriptions of names that allow more characters than most. */
const nameFormats: Readonly<Record<string, string>> = {
  [patterns.shownName]: "may only contain letters, numbers, '-' and '_', and spaces and dots between them",
  [patterns.teamName]: "may only contain letters, numbers, '-', '_' and '/', and spaces between them",
  [patterns.projectName]: "may only contain letters, numbers, spaces, '-' and '_'",
};

/** Attributes whose length is part of their format. */
const ofFixedLength = new Set(['auto-destroy-at', 'auto-destroy-activity-duration']);

const kinds: Readonly<Record<string, string>> = {
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  string: 'must be a string',
  array: 'must be an array',
  object: 'must be an object',
};

const problem = (attribute: string, { keyword, params }: Complaint): string => {
  switch (keyword) {
    case 'type': {
      const [kind = ''] = [params['type']].flat() as string[];
      return kinds[kind] ?? `must be of type ${kind}`;
    }
    case 'minLength': {
      const minimum = Number(params['limit']);
      return minimum > 1 ? `is too short (minimum is ${minimum} characters)` : "can't be blank";
    }
    case 'required':
      return "can't be blank";
    case 'maxLength':
      return ofFixedLength.has(attribute)
        ? (formats[attribute] ?? '')
        : `is too long (maximum is ${params['limit']} characters)`;
    case 'maxItems':
      return `has too many elements (maximum is ${params['limit']})`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as string[]).join(', ')}`;
    case 'additionalProperties':
      return 'is not known here';
    case 'pattern':
      return nameFormats[String(params['pattern'])] ?? formats[attribute] ?? 'has an invalid format';
    default:
      return 'is invalid';
  }
};

/** Formats the name of an attribute for the beginning of a sentence: `Auto apply` for `auto-apply`. */
export const humanize = (attribute: string): string =>
  (attribute.charAt(0).toUpperCase() + attribute.slice(1)).replaceAll(/[-_]/g, ' ');

const ATTRIBUTES = '/attributes/';

/** Maps an error of a validator to an error that points at an attribute or another part of the document. */
export const errorOf = (complaint: Complaint): DomainError => {
  const { missingProperty, additionalProperty } = complaint.params;
  const member = missingProperty ?? additionalProperty;
  const pointer = complaint.instancePath + (member === undefined ? '' : `/${member}`);
  const attribute = pointer.split('/').findLast((key) => !/^\d+$/.test(key)) || 'document';
  const detail = `${humanize(attribute)} ${problem(attribute, complaint)}`;
  const isAttribute = pointer.includes(ATTRIBUTES);
  return new DomainError(isAttribute ? 'invalid-attribute' : 'unprocessable', detail, { source: { pointer } });
};
