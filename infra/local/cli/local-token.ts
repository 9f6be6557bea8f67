import { parseArgs } from 'node:util';
import { type JWK, type JWTPayload, SignJWT } from 'jose';
import { base58 } from '../../../shared/lib/random.ts';
import { PlainError } from '../../command-line.ts';
import { ALGORITHM } from '../identity-provider/signing-key.ts';
import { readAccess, readSigningKey } from '../service/data-folder.ts';

/** Lifetime of an identity token in seconds. */
const LIFETIME = 3_600;

const USAGE = `npm run admin -- local-token --claims '{"sub":"repo:acme/network"}'`;

const parseClaims = (words: readonly string[]): Readonly<Record<string, unknown>> => {
  try {
    const { values } = parseArgs({ args: [...words], options: { claims: { type: 'string' } } });
    const claims: unknown = JSON.parse(values.claims ?? '');
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return { ...claims };
  } catch {
    // The usage says what is expected.
  }
  throw new PlainError(`The claims must be a JSON object: ${USAGE}`);
};

/** Signs claims, and adds those that depend on the time. */
const sign = (claims: JWTPayload, key: JWK): Promise<string> => {
  const now = Math.floor(Date.now() / 1_000);
  const header = { typ: 'JWT', alg: ALGORITHM, ...(key.kid !== undefined && { kid: key.kid }) };
  return new SignJWT({ jti: base58(16), iat: now, exp: now + LIFETIME, ...claims })
    .setProtectedHeader(header)
    .sign(key);
};

/**
 * Creates an identity token of a pipeline, as the local issuer signs it. Claims that every token has are added, unless they
 * are given.
 * @param words after `local-token`.
 * @throws PlainError for wrong arguments, and if no service with an issuer has run in the data folder.
 */
export const createLocalToken = async (words: readonly string[], dataFolder: string): Promise<string> => {
  const claims = parseClaims(words);
  const [access, key] = [readAccess(dataFolder), readSigningKey(dataFolder)];
  const { issuer: iss, audience: aud } = access ?? {};
  if (iss === undefined || aud === undefined || key === undefined)
    throw new PlainError(`The service in ${dataFolder} has no issuer: start it with npm start -- --sign-in`);
  return sign({ iss, aud, ...claims }, key);
};
