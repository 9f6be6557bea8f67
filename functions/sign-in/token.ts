import { OAuthError } from '../../shared/domain/errors.ts';
import type { Operations } from '../../shared/http/operation.ts';
import type { SignInDependencies } from './dependencies.ts';
import { grantByDeviceCode } from './device.ts';
import { exchangeToken } from './exchange.ts';
import { grantByCode } from './login-token.ts';

const grants = {
  authorization_code: grantByCode,
  'urn:ietf:params:oauth:grant-type:token-exchange': exchangeToken,
};

/** Lists the grants of the deployment by their types. */
const grantsOf = ({ hasDeviceLogin }: SignInDependencies) =>
  new Map(
    Object.entries(
      hasDeviceLogin ? { ...grants, 'urn:ietf:params:oauth:grant-type:device_code': grantByDeviceCode } : grants,
    ),
  );

export const tokenOperations = {
  /** `POST /oauth2/token`: gives a token for what the grant type names. */
  'oauth2.token': (request, dependencies) => {
    const offered = grantsOf(dependencies);
    const grant = offered.get(request.body.grant_type);
    if (grant !== undefined) return grant(request, dependencies);
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${[...offered.keys()].join(', ')}`);
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
