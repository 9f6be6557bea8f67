import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };

/**
 * Feature flags of the CDK with which the stacks are synthesized (docs/decisions/0005). They are not in `cdk.json`, so that
 * the CDK CLI, the local service, the tests and other apps create the same templates.
 */
export const featureFlags: Readonly<Record<string, unknown>> = {
  ...recommendedFlags,
  // CloudFormation does not delete an export that is in use, so the table cannot be removed while functions use it.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};
