import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { ExchangeReason, RefusedExchange } from '../../shared/domain/changes/change-records.ts';
import { cutText } from '../../shared/domain/cut-text.ts';
import type { WorkloadIdentity } from '../../shared/domain/directory/records.ts';
import {
  checkClaims,
  LEEWAY_SECONDS,
  MOST_SECONDS,
  type TokenCheck,
} from '../../shared/domain/workload-identities/check-claims.ts';
import { type Claims, textOfClaim } from '../../shared/domain/workload-identities/conditions.ts';
import type { PresentedToken } from '../../shared/domain/workload-identities/presented-token.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { IssuerError } from './get-text.ts';
import type { FindKeys } from './issuer-keys.ts';

/** Algorithms of signatures that are accepted (WI-7). None of them works with a shared secret. */
export const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Result of the checks of an identity token. */
export interface Examination {
  /** Why an exchange is refused; absent if the token is accepted. */
  readonly refusal?: RefusedExchange;
  /** Identifying claims of the token; absent unless its signature is valid. */
  readonly presented?: PresentedToken;
  readonly checks: readonly TokenCheck[];
}

/** Longest claim in the history. */
const SHOWN = 256;

const shownClaim = (value: unknown): string | null => {
  const text = textOfClaim(value);
  return text === undefined ? null : cutText(text, SHOWN);
};

/** Reads the claims and the algorithm of a token without a check of its signature; undefined for a text that is no token. */
const readUnverified = (token: string): { readonly claims: Claims; readonly algorithm: string } | undefined => {
  try {
    return { claims: decodeJwt(token), algorithm: cutText(String(decodeProtectedHeader(token).alg), SHOWN) };
  } catch {
    return undefined;
  }
};

/** Reason why the signature of a token is not accepted, and an explanation. */
type Problem = readonly [reason: ExchangeReason, message: string];

const problemOf = (error: unknown): Problem | undefined => {
  // The signature is checked before the claims.
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) return undefined;
  if (error instanceof errors.JWKSNoMatchingKey) return ['unknown-key', 'The issuer has no key that fits the token'];
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return ['unknown-key', 'The token does not name its key, and the issuer has several that fit'];
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return ['invalid-signature', 'The signature of the token is invalid'];
  }
  if (error instanceof IssuerError) return ['issuer-unavailable', error.message];
  if (
    error instanceof errors.JWKSTimeout ||
    (error as Error).name === 'AbortError' ||
    (error as Error).name === 'TimeoutError'
  ) {
    return ['issuer-unavailable', 'The issuer does not respond in time'];
  }
  if (error instanceof errors.JWKSInvalid || (error as errors.JOSEError).code === errors.JOSEError.code) {
    return ['issuer-unavailable', 'The keys of the issuer are malformed'];
  }
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && !code.startsWith('ERR_J')) {
    return ['issuer-unavailable', `The keys of the issuer cannot be read: ${code}`];
  }
  return ['invalid-signature', 'The token, or the keys of the issuer, are malformed'];
};

const explain = ({ subject, expected, actual }: TokenCheck): string =>
  `The claim ${subject} is ${actual === null ? 'missing' : `"${actual}"`}. Expected: ${expected}`;

/** Checks the signature of a token, and again the claims that every token has. @returns undefined if nothing is wrong. */
const checkSignature = async (
  token: string,
  { issuer, audience }: WorkloadIdentity,
  keys: () => Promise<JWTVerifyGetKey>,
  now: number,
): Promise<{ readonly problem?: Problem | undefined; readonly areClaimsValid: boolean }> => {
  try {
    await jwtVerify(token, await keys(), {
      algorithms: [...ALGORITHMS],
      issuer,
      audience,
      requiredClaims: ['exp'],
      maxTokenAge: MOST_SECONDS,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now),
    });
    return { areClaimsValid: true };
  } catch (error) {
    return { problem: problemOf(error), areClaimsValid: false };
  }
};

/** Opens the checks of identity tokens (WI-7). Tokens are never logged, and no error contains one. */
export const openExamination = (findKeys: FindKeys, clock: Clock) => {
  const refuse = (reason: ExchangeReason, message: string, checks: readonly TokenCheck[]): Examination => ({
    refusal: { reason, message },
    checks,
  });

  return async (identity: WorkloadIdentity, token: string): Promise<Examination> => {
    const now = clock();
    const unverified = readUnverified(token);
    if (unverified === undefined) {
      const format = { subject: 'format', isMet: false, expected: 'a signed JSON Web Token', actual: null };
      return refuse('malformed-token', 'The token is no signed JSON Web Token', [format]);
    }
    const { claims, algorithm } = unverified;
    const claimChecks = checkClaims(claims, identity, Math.floor(now / 1_000));
    const signed = (isMet: boolean, actual: string): readonly TokenCheck[] => [
      { subject: 'signature', isMet, expected: `a valid signature (${ALGORITHMS.join(', ')})`, actual },
      ...claimChecks,
    ];
    if (!ALGORITHMS.includes(algorithm)) {
      const message = `The token is signed with ${algorithm}. Accepted are ${ALGORITHMS.join(', ')}`;
      return refuse('unsupported-algorithm', message, signed(false, algorithm));
    }
    // The keys of another issuer are not loaded.
    const foreign = claimChecks.find(({ subject, isMet }) => subject === '/iss' && !isMet);
    if (foreign !== undefined) return refuse('claim', explain(foreign), signed(false, 'the token of another issuer'));

    const { problem, areClaimsValid } = await checkSignature(token, identity, () => findKeys(identity.issuer), now);
    if (problem !== undefined) return refuse(...problem, signed(false, problem[1]));
    const checks = signed(true, algorithm);
    const presented = { issuer: identity.issuer, subject: shownClaim(claims['sub']), jti: shownClaim(claims['jti']) };
    const failed = checks.find(({ isMet }) => !isMet);
    if (failed === undefined && areClaimsValid) return { presented, checks };
    const message = failed === undefined ? 'A claim of the token is malformed' : explain(failed);
    return { refusal: { reason: 'claim', message, presented }, presented, checks };
  };
};

export type Examine = ReturnType<typeof openExamination>;
