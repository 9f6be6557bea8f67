import { SIGN_IN_LINK } from './sign-in/sign-in-links.ts';

/** An OpenID Connect provider at which people sign in (setting `identityProviders`). */
export interface IdentityProvider {
  /** Name in paths, such as `/sign-in/keycloak`. */
  readonly name: string;
  /** Name on the sign-in page. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Authentication at the token endpoint: by PKCE alone, by a token of AWS, or by a secret. */
  readonly clientAuthentication: 'none' | 'aws' | 'secret';
  /** Name of the SSM parameter with the secret. */
  readonly secretParameter?: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Names of claims, or JSON pointers to them. */
  readonly usernameClaim: string;
  readonly emailClaim: string;
  readonly groupsClaim: string;
  /** Domains whose verified addresses identify an existing user at the first sign-in. */
  readonly trustedEmailDomains: readonly string[];
  /** Groups of which a person must be in one. Empty for everybody. */
  readonly requiredGroups: readonly string[];
  /** Group whose people are site administrators. */
  readonly siteAdminGroup?: string;
  /** Value of the claim `acr` that a sign-in must have. */
  readonly requiredAcr?: string;
}

/** Names that are paths of their own below `/sign-in`. */
export const reservedProviderNames: readonly string[] = ['providers', 'session', SIGN_IN_LINK];
