import { gunzipSync } from 'node:zlib';
import { type Answer, answer } from './answer.ts';

interface Content {
  readonly mediaType: string;
  /** Compressed, in base 64. */
  readonly gzip: string;
  /** Of the content: another one has another. */
  readonly digest: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file that changes with deployments only. */
export class StaticFile {
  readonly content: Content;

  constructor(content: Content) {
    this.content = content;
  }
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Kept for some minutes, then asked for again by its tag: a deployment shows soon, and an unchanged file is not sent. */
const CACHING = 'public, max-age=300';

/** Whether `accept-encoding` names gzip, not with a weight of nothing (RFC 9110, 12.5.3). */
const acceptsGzip = (headers: Headers): boolean =>
  /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(headers['accept-encoding'] ?? '');

/** Whether the client holds the file already; weakly compared, as RFC 9110, 13.1.2 wants. */
const isHeld = (headers: Headers, digest: string): boolean =>
  (headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => ['*', `"${digest}"`].includes(tag.trim().replace(/^W\//, '')));

/** The answer with a file: not again to who holds it, and compressed to who can read that. */
export const fileAnswer = ({ content }: StaticFile, requested: Headers): Answer => {
  const { mediaType, gzip, digest, headers } = content;
  const ofEither = {
    'cache-control': CACHING,
    vary: 'accept-encoding',
    // Weak: the same for the compressed bytes and for the others.
    etag: `W/"${digest}"`,
    'x-content-type-options': 'nosniff',
    ...headers,
  };
  if (isHeld(requested, digest)) return answer(304, undefined, ofEither);
  const all = { 'content-type': mediaType, ...ofEither };
  return acceptsGzip(requested)
    ? {
        ...answer(200, undefined, { ...all, 'content-encoding': 'gzip' }),
        body: gzip,
        isBase64Encoded: true,
      }
    : { ...answer(200, undefined, all), body: gunzipSync(Buffer.from(gzip, 'base64')).toString() };
};
