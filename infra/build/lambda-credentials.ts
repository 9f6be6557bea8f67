import { fromEnv } from '@aws-sdk/credential-provider-env';
import { doesIdentityRequireRefresh, isIdentityExpired, memoizeIdentityProvider } from '@smithy/core';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles (docs/decisions/0010). The credentials of a function are
 * always in its environment, and the other providers would only make cold starts slower. They are read once, because every
 * access to the environment takes as long as a hash of the request.
 */
export const defaultProvider = () => memoizeIdentityProvider(fromEnv(), isIdentityExpired, doesIdentityRequireRefresh);
