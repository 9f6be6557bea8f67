import { zlib } from '../lib/zlib.ts';
import { negotiateEncoding } from './content-encoding.ts';
import { createResponse, type HttpResponse } from './response.ts';

/** Content that is compressed with gzip, in base64, or as it is. */
type Body = { readonly gzip: string } | { readonly text: string };

type FileContent = Body & {
  readonly mediaType: string;
  /** Digest of the content, for the entity tag. */
  readonly digest: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Result of an operation: a file that changes with deployments only. */
export class StaticFile {
  readonly content: FileContent;

  constructor(content: FileContent) {
    this.content = content;
  }
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Clients revalidate after some minutes: a deployment shows soon, and an unchanged file is not sent again. */
const CACHING = 'public, max-age=300';

/** Checks whether the client has the file already, by a weak comparison of entity tags (RFC 9110, 13.1.2). */
const isCached = (headers: Headers, digest: string): boolean =>
  (headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => ['*', `"${digest}"`].includes(tag.trim().replace(/^W\//, '')));

/**
 * Creates the response with a file: 304 for a client that has it already, compressed for a client that accepts gzip.
 * @param requestHeaders headers of the request, names in lower case.
 */
export const createFileResponse = ({ content }: StaticFile, requestHeaders: Headers): HttpResponse => {
  const { mediaType, digest, headers } = content;
  const shared = {
    'cache-control': CACHING,
    vary: 'accept-encoding',
    // Weak, because the compressed and the plain file have the same tag.
    etag: `W/"${digest}"`,
    ...headers,
  };
  if (isCached(requestHeaders, digest)) return createResponse(304, undefined, shared);
  const all = { 'content-type': mediaType, ...shared };
  // The stack compresses a text, as it does with documents.
  if ('text' in content) return { ...createResponse(200, undefined, all), body: content.text };
  const { gzip } = content;
  return negotiateEncoding(requestHeaders['accept-encoding']) === 'identity'
    ? { ...createResponse(200, undefined, all), body: zlib().gunzipSync(Buffer.from(gzip, 'base64')).toString() }
    : { ...createResponse(200, undefined, { ...all, 'content-encoding': 'gzip' }), body: gzip, isBase64Encoded: true };
};
