/**
 * What takes the place of `@aws-sdk/credential-provider-node` in the bundles (docs/decisions/0010): a function's credentials
 * are always in its environment, so the chain of places to look for others is only weight at a cold start.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
