import { ALGORITHM, findSecret, matchesSignature, type Secrets, type SignedRequest } from '../http/signature.ts';

/** The error that S3 returns for a presigned URL. */
type PresignedUrlError = readonly [
  code: 'AccessDenied' | 'AuthorizationQueryParametersError' | 'SignatureDoesNotMatch',
  text: string,
];

const MAX_SECONDS = 7 * 24 * 3_600;
/** Largest difference by which the clock of the signer may be ahead. */
const MAX_SKEW_MILLIS = 5 * 60_000;

/** Reports whether the query contains a signature. */
export const isPresigned = (query: URLSearchParams): boolean => query.has('X-Amz-Signature');

/**
 * Checks a presigned URL (Signature Version 4 in the query).
 * @param secrets secret access keys by access key id.
 * @returns the error of S3; undefined when the URL is valid.
 */
export const checkPresigned = (
  request: SignedRequest,
  secrets: Secrets,
  now = Date.now(),
): PresignedUrlError | undefined => {
  const parameter = (name: string): string => request.query.get(`X-Amz-${name}`) ?? '';
  const [credential, date] = [parameter('Credential'), parameter('Date')];
  const seconds = Number(parameter('Expires'));
  const signedAt = parseTime(date);
  if (parameter('Algorithm') !== ALGORITHM || !credential.endsWith('/s3/aws4_request') || signedAt === undefined)
    return ['AuthorizationQueryParametersError', 'The signature in the query is not complete.'];
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    return ['AuthorizationQueryParametersError', 'X-Amz-Expires must be less than a week (in seconds).'];
  if (now > signedAt + seconds * 1_000 || now < signedAt - MAX_SKEW_MILLIS)
    return ['AccessDenied', 'Request has expired'];
  const secret = findSecret(credential, secrets);
  if (secret === undefined) return ['AccessDenied', 'The access key does not exist'];
  const signature = {
    credential,
    date,
    signedHeaders: parameter('SignedHeaders'),
    signature: parameter('Signature'),
    payloadHash: parameter('Content-Sha256') || 'UNSIGNED-PAYLOAD',
  };
  return matchesSignature(request, signature, secret)
    ? undefined
    : ['SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.'];
};

/** Parses a time like `20261121T080000Z`. */
const parseTime = (text: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  return year === undefined
    ? undefined
    : Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
};
