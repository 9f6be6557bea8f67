import { OAuthError } from '../../shared/domain/errors.ts';
import type { Operations } from '../../shared/http/operation.ts';
import type { SignInDependencies } from './dependencies.ts';
import { exchangeToken } from './exchange.ts';
import { grantByCode } from './login-token.ts';

const grants = {
  authorization_code: grantByCode,
  'urn:ietf:params:oauth:grant-type:token-exchange': exchangeToken,
} as const;

const isGrant = (type: string): type is keyof typeof grants => Object.hasOwn(grants, type);

export const tokenOperations = {
  /** `POST /oauth2/token`: gives a token for what the grant type names. */
  'oauth2.token': (request, dependencies) => {
    const { grant_type: type } = request.body;
    if (isGrant(type)) return grants[type](request, dependencies);
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${Object.keys(grants).join(', ')}`);
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
