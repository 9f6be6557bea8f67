import { expect, it } from 'vitest';
import { dispatch } from '../../../shared/http/dispatch.ts';
import type { HttpEvent, StatefulContext } from '../../../shared/http/request.ts';
import { routes } from '../../../shared/routes/index.ts';

/** Returns the URL that an operation receives for a request with forged headers. */
const urlOf = async (publicUrl: string | undefined): Promise<string> => {
  const urls: string[] = [];
  const operation = async ({ url }: { url: string }) => {
    urls.push(url);
  };
  const handle = dispatch('documentation', { ping: operation } as never, { publicUrl });
  const event = {
    rawPath: '/api/v2/ping',
    headers: { host: 'forged.example', 'x-forwarded-proto': 'ftp', 'x-forwarded-host': 'forged.example' },
    requestContext: { requestId: 'request', domainName: 'api.example.com', http: { sourceIp: '127.0.0.1' } },
  };
  const state = { routeId: 'ping', route: routes.ping };
  await handle(event as unknown as HttpEvent, { state } as unknown as StatefulContext);
  return urls.join();
};

it('builds the URL of a request under the public URL', async () => {
  expect(await urlOf('https://holdfast.example')).toBe('https://holdfast.example/api/v2/ping');
});

it('builds the URL of a request from its domain name, whatever its headers are', async () => {
  expect(await urlOf(undefined)).toBe('https://api.example.com/api/v2/ping');
});
