/** Content of an authorization code of `terraform login`. */
export interface AuthorizationCode {
  /** Id and name of the user who allowed the token. */
  readonly user: string;
  readonly name: string;
  /** Port of the command line on the user's machine. */
  readonly port: number;
  /** SHA-256 of the verifier that the command line keeps, in base64url. */
  readonly challenge: string;
  /** Id of the token that the code brings. */
  readonly token: string;
  /** Latest expiry of the token, in milliseconds; absent if only the setting limits it. */
  readonly until?: number;
}

/** Contents of secrets that work once, by the kind of the secret. */
export interface OneTimeContents {
  readonly 'authorization-code': AuthorizationCode;
}

/** Kind of a secret that works once. */
export type OneTimeKind = keyof OneTimeContents;
