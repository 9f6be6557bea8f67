/** Segment of a path of names in AWS, neither `.` nor `..`. */
const segment = (characters: string): string => `(?!\\.\\.?/)(?!\\.\\.?$)[${characters}]+`;
const parameterSegment = segment('A-Za-z0-9_.-');
const secretSegment = segment('A-Za-z0-9_+=.@-');
const arn = (service: string): string => `arn:aws(?:-[a-z]+)*:${service}:[a-z]{2}(?:-[a-z]+)+-[0-9]+:[0-9]{12}:`;
// A parameter below `aws/reference/` stands for a secret of Secrets Manager, which has an ARN of its own.
const parameters = `(?:ssm:/|${arn('ssm')}parameter/)(?!aws/reference/)`;
const secrets = `${arn('secretsmanager')}secret:`;

/** Regular expressions of names, wherever they are sent from. */
export const patterns = {
  /** Letters, digits, `-` and `_`: names in paths. */
  pathName: '^[A-Za-z0-9_-]+$',
  /** Also spaces and dots, except at the ends: names that are only shown. */
  shownName: '^[A-Za-z0-9_-]+([ .]+[A-Za-z0-9_-]+)*$',
  /** Also `/`, and spaces except at the ends. */
  teamName: '^[A-Za-z0-9/_-]+( +[A-Za-z0-9/_-]+)*$',
  projectName: '^[A-Za-z0-9 _-]+$',
  /** `ssm:/path`, or the ARN of an SSM parameter or of a Secrets Manager secret (VAR-17). */
  valueReference: `^(?:${parameters}${parameterSegment}(?:/${parameterSegment})*|${secrets}${secretSegment}(?:/${secretSegment})*)$`,
  /** The beginning of such a reference, up to the end of a segment (VAR-18). */
  valueReferencePrefix: `^(?:${parameters}(?:${parameterSegment}/)*(?:${parameterSegment})?|${secrets}(?:${secretSegment}/)*(?:${secretSegment})?)$`,
  /** A tag, the key of a tag binding, or a key with a value. The first `=` ends the key. */
  tagCondition: '^[A-Za-z0-9_.+@:-]+(=[A-Za-z0-9_.=+@:-]+)?$',
  email: '^[^@\\s]+@[^@\\s]+$',
} as const;
