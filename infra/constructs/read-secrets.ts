import { Aws } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type ReadableSecrets, readSecretsStatements, type SecretsData } from './secrets-policy.ts';

/**
 * Grants a role, or another principal of the same account and region, to read variables with the runner library, secrets
 * included (RUNNER-5).
 * @throws RangeError for an empty list, an id of another form, or too many ids for a policy; Error for a principal whose
 * policies cannot be changed.
 * @example
 * grantReadSecrets(role, data, { workspaces: ['ws-2jPTvTDXBPFzPGbT'], variableSets: ['varset-9uFQpXy7hT4kWm2c'] });
 */
export const grantReadSecrets = (grantee: IGrantable, data: SecretsData, scope: ReadableSecrets): Grant => {
  const [first, ...others] = readSecretsStatements(data, scope, Aws.REGION).map(
    ({ actions, resourceArns, conditions }) =>
      Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [...resourceArns], conditions }),
  );
  const grant = others.reduce((combined, one) => combined?.combine(one), first) as Grant;
  grant.assertSuccess();
  return grant;
};
