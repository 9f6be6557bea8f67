import { get as getOverHttp } from 'node:http';
import { get as getOverHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Client of a server with the API of HCP Terraform that shares nothing with the command line, as a second opinion. */
export interface JsonApi {
  /** Sends a request, again while the server is out of order. @returns the document. @throws for an error. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  readonly send: (method: string, path: string, body?: object) => Promise<any>;
  /** Reads all pages of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  readonly list: (path: string) => Promise<readonly any[]>;
  /** Downloads what a URL or a path names. */
  readonly download: (url: string) => Promise<Buffer>;
}

/** Statuses after which a reading request is sent again. */
const transient = [429, 500, 503];

/**
 * Opens a client.
 * @param origin such as `http://127.0.0.1:8080`.
 * @param ca certificate that is trusted for downloads over HTTPS.
 */
export const openJsonApi = (origin: string, token: string, ca?: Buffer): JsonApi => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
  const send: JsonApi['send'] = async (method, path, body) => {
    for (;;) {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${origin}/api/v2${path}`, init);
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : JSON.parse(text);
      if (method !== 'GET' || !transient.includes(response.status)) {
        throw new Error(`${method} ${path}: ${response.status} ${text}`);
      }
      await sleep(50);
    }
  };
  const client: JsonApi = {
    send,
    list: async (path) => {
      const items: unknown[] = [];
      for (let page: number | null | undefined = 1; page; ) {
        const { data, meta } = await send('GET', `${path}${path.includes('?') ? '&' : '?'}page[number]=${page}`);
        items.push(...data);
        page = meta?.pagination?.['next-page'];
      }
      return items;
    },
    download: (text) => {
      const url = new URL(text, origin);
      const get = url.protocol === 'https:' ? getOverHttps : getOverHttp;
      // URLs of states at other hosts, and presigned ones, need no token.
      const options = { ca, ...(url.pathname.startsWith('/api/v2/') && { headers }) };
      return new Promise((resolve, reject) => {
        get(url, options, (response) => {
          const {
            statusCode: status = 0,
            headers: { location },
          } = response;
          if (status === 200) buffer(response).then(resolve, reject);
          else if (status === 307 && location !== undefined) client.download(location).then(resolve, reject);
          else reject(new Error(`${url}: ${status}`));
        }).on('error', reject);
      });
    },
  };
  return client;
};
