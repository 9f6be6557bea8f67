/** A login that a user has allowed. */
export interface AllowedLogin {
  /** Id and name of the user who allowed the token. */
  readonly user: string;
  readonly name: string;
  /** Id of the token that the login brings. */
  readonly token: string;
  /** Latest expiry of the token, in milliseconds; absent if only the setting limits it. */
  readonly until?: number;
}

/** Content of an authorization code of `terraform login`. */
export interface AuthorizationCode extends AllowedLogin {
  /** Port of the command line on the user's machine. */
  readonly port: number;
  /** SHA-256 of the verifier that the command line keeps, in base64url. */
  readonly challenge: string;
}

/** Content of the `state` of a sign-in at an identity provider. */
export interface SignInFlow {
  /** Name of the identity provider. */
  readonly provider: string;
  /** SHA-256 of the cookie of the browser that started the sign-in. */
  readonly browser: string;
  /** Path of the console to continue with. */
  readonly to: string;
}

/** Contents of secrets that work once, by the kind of the secret. */
export interface OneTimeContents {
  readonly 'authorization-code': AuthorizationCode;
  readonly 'sign-in-flow': SignInFlow;
  /** A sign-in link: the id of its user. */
  readonly 'sign-in-link': { readonly user: string };
  /** An accepted logout token of an identity provider, by its issuer and its `jti`. */
  readonly 'logout-token': { readonly provider: string };
}

/** Kind of a secret that works once. */
export type OneTimeKind = keyof OneTimeContents;
