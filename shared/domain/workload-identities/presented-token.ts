/** Claims that identify an identity token, and whom it was issued for. Null: the token has no such claim. */
export interface PresentedToken {
  readonly issuer: string;
  readonly subject: string | null;
  readonly jti: string | null;
}
