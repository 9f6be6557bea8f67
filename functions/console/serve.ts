import { notFound } from '../../shared/domain/errors.ts';
import { negotiateEncoding, prefersBrotli } from '../../shared/http/content-encoding.ts';
import type { HttpEvent } from '../../shared/http/request.ts';
import { createResponse, type HttpResponse } from '../../shared/http/response.ts';
import type { EncodedFile, ReadFile } from './files.ts';

/** Browsers keep an asset for a year without a request, because its name changes with its content (CONSOLE-4). */
const ASSET_CACHING = 'public, max-age=31536000, immutable';

const chooseEncoding = (accepted: string | undefined): EncodedFile['encoding'] => {
  if (prefersBrotli(accepted)) return 'br';
  return negotiateEncoding(accepted) === 'identity' ? 'identity' : 'gzip';
};

/** Checks whether a client of the API requests `/` (CONSOLE-3). */
const wantsJson = (accept = ''): boolean => /json/i.test(accept) && !/text\/html/i.test(accept);

/**
 * Serves the files of the console: the page at all paths that are no assets, so that a deep link survives a reload
 * (CONSOLE-1). The page itself is never cached.
 * @param headers headers of each response in addition to the headers of the file.
 * @returns a function that throws DomainError 404 for an unknown asset.
 */
export const serveConsole =
  (readFile: ReadFile, headers: Readonly<Record<string, string>>) =>
  ({ rawPath, headers: requestHeaders }: HttpEvent): HttpResponse => {
    const isAsset = rawPath.startsWith('/assets/');
    if (rawPath === '/' && wantsJson(requestHeaders['accept'])) throw notFound();
    const encoding = chooseEncoding(requestHeaders['accept-encoding']);
    const file = readFile(isAsset ? rawPath.slice(1) : 'index.html', encoding);
    if (file === undefined) throw notFound();
    const response = createResponse(200, undefined, {
      'content-type': file.mediaType,
      ...(isAsset && { 'cache-control': ASSET_CACHING }),
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      ...headers,
    });
    return { ...response, body: file.content, isBase64Encoded: true };
  };
