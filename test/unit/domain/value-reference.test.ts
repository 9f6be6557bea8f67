import { describe, expect, it } from 'vitest';
import { requireAllowedReference } from '../../../shared/domain/workspace/variable.ts';
import { patterns } from '../../../shared/schemas/patterns.ts';

const PARAMETERS = 'arn:aws:ssm:eu-central-1:123456789012:parameter/';
const SECRETS = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:';
const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'u').test(text);

describe('the form of a value reference', () => {
  it.each([
    'ssm:/password',
    'ssm:/production/database/password',
    'ssm:/a.b/..c/d..',
    `${PARAMETERS}password`,
    `${PARAMETERS}production/database`,
    `${SECRETS}database-AbCdEf`,
    `${SECRETS}production/data_base+1=x.y@z-AbCdEf`,
    'arn:aws-us-gov:ssm:us-gov-west-1:123456789012:parameter/x',
    'arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:x',
  ])('allows %s', (text) => {
    expect(matches(patterns.valueReference, text)).toBe(true);
  });

  it.each([
    ['', 'nothing'],
    ['ssm:', 'no path'],
    ['ssm:/', 'an empty path'],
    ['ssm:password', 'a relative path'],
    ['ssm://password', 'an empty segment'],
    ['ssm:/a//b', 'an empty segment in the middle'],
    ['ssm:/a/', 'a trailing separator'],
    ['ssm:/a/../b', 'a parent segment'],
    ['ssm:/a/..', 'a parent segment at the end'],
    ['ssm:/../a', 'a parent segment at the beginning'],
    ['ssm:/./a', 'a segment that is a dot'],
    ['ssm:/a/*', 'a wildcard'],
    ['ssm:/a?', 'a wildcard of one character'],
    ['ssm:/a:3', 'a version'],
    ['ssm:/a%2Fb', 'a percent sign'],
    ['ssm:/ä', 'a letter outside ASCII'],
    ['ssm:/a\n', 'a line break'],
    [' ssm:/a', 'a space'],
    ['SSM:/a', 'capital letters in the scheme'],
    ['ssm:/aws/reference/secretsmanager/database', 'a secret behind a parameter'],
    [`${PARAMETERS}aws/reference/secretsmanager/database`, 'a secret behind the ARN of a parameter'],
    [PARAMETERS, 'an ARN without a name'],
    [`${PARAMETERS}/password`, 'an ARN with an empty segment'],
    [SECRETS, 'an ARN of a secret without a name'],
    [`${SECRETS}a/../b`, 'an ARN with a parent segment'],
    [`${SECRETS}a:b`, 'a further part of an ARN'],
    ['ARN:aws:ssm:eu-central-1:123456789012:parameter/x', 'capital letters in the ARN'],
    ['arn:aws:ssm:*:123456789012:parameter/x', 'a wildcard as the region'],
    ['arn:aws:ssm:eu-central-1::parameter/x', 'no account'],
    ['arn:aws:ssm:eu-central-1:12345678901:parameter/x', 'a short account'],
    ['arn:aws:s3:eu-central-1:123456789012:parameter/x', 'another service'],
    ['arn:other:ssm:eu-central-1:123456789012:parameter/x', 'another partition'],
  ])('rejects %j because of %s', (text) => {
    expect(matches(patterns.valueReference, text)).toBe(false);
  });

  it.each(['ssm:/', 'ssm:/production', 'ssm:/production/', PARAMETERS, `${PARAMETERS}a/`, SECRETS, `${SECRETS}a`])(
    'allows the prefix %s',
    (text) => {
      expect(matches(patterns.valueReferencePrefix, text)).toBe(true);
    },
  );

  it.each([
    '',
    's',
    'ssm:',
    'arn:aws:ssm:',
    'ssm:/*',
    'ssm:/a/../',
    'ssm:/a//',
    'ssm:/a/./b',
    `${SECRETS}*`,
    'ssm:/A B',
  ])('rejects the prefix %j', (text) => {
    expect(matches(patterns.valueReferencePrefix, text)).toBe(false);
  });
});

describe('an allowed value reference', () => {
  const allows = (prefix: string, reference: string): boolean => {
    try {
      requireAllowedReference(reference, { allowedValueReferences: [prefix] });
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['ssm:/', 'ssm:/a'],
    ['ssm:/prod', 'ssm:/prod'],
    ['ssm:/prod', 'ssm:/prod/db'],
    ['ssm:/prod/', 'ssm:/prod/db'],
    [SECRETS, `${SECRETS}a`],
    [`${SECRETS}prod`, `${SECRETS}prod/db-AbCdEf`],
    [`${PARAMETERS}prod/`, `${PARAMETERS}prod/a/b`],
  ])('%s allows %s', (prefix, reference) => {
    expect(allows(prefix, reference)).toBe(true);
  });

  it.each([
    ['ssm:/prod', 'ssm:/production'],
    ['ssm:/prod', 'ssm:/prod-db'],
    ['ssm:/prod/', 'ssm:/prod'],
    ['ssm:/prod', 'ssm:/Prod/db'],
    ['ssm:/prod', `${PARAMETERS}prod/db`],
    [`${PARAMETERS}prod`, 'ssm:/prod/db'],
    [`${SECRETS}prod`, `${SECRETS}prod-AbCdEf`],
    [`${SECRETS}prod/`, `${SECRETS}prod`],
    [PARAMETERS, 'arn:aws:ssm:eu-central-1:210987654321:parameter/a'],
    [PARAMETERS, 'arn:aws:ssm:eu-west-1:123456789012:parameter/a'],
  ])('%s does not allow %s', (prefix, reference) => {
    expect(allows(prefix, reference)).toBe(false);
  });

  it('can be below a prefix of the organization or of the project, and without prefixes nothing is allowed', () => {
    const [organization, project] = [{ allowedValueReferences: ['ssm:/a'] }, { allowedValueReferences: ['ssm:/b'] }];
    expect(() => requireAllowedReference('ssm:/a/x', organization, project)).not.toThrow();
    expect(() => requireAllowedReference('ssm:/b/x', organization, project)).not.toThrow();
    expect(() => requireAllowedReference('ssm:/b/x', organization, undefined)).toThrow('allowed-value-references');
    expect(() => requireAllowedReference('ssm:/a/x', {}, {})).toThrow('allowed-value-references');
  });
});
