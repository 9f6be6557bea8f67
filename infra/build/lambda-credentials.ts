/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles (docs/decisions/0010). The credentials of a function are
 * always in its environment, and the other providers would only make cold starts slower.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
