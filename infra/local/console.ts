/** `npm run console`: development server of the web console, next to a service that `npm start` runs. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createServer, type ProxyOptions } from 'vite';
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { createViteConfig } from '../build/console.ts';
import { messageFrom, PlainError } from '../command-line.ts';
import { LOOPBACK } from './http/loopback.ts';
import { readAccess, readBucketPort } from './service/data-folder.ts';

const PORT = 5173;
const ownOrigins: readonly unknown[] = [`http://${LOOPBACK}:${PORT}`, `http://localhost:${PORT}`];

/** Path below which requests are passed on to the emulated bucket, which only the console of the service may read. */
const BUCKET = '/@bucket';

/** Lets the service take pages of this server for programs. It rejects pages of other origins, as always. */
const hideOwnPage = (request: ClientRequest): void => {
  if (!ownOrigins.includes(request.getHeader('origin') ?? ownOrigins[0])) return;
  for (const name of ['origin', 'referer']) request.removeHeader(name);
};

/** Leads redirects to presigned URLs through this server. */
const redirectToProxy = (response: IncomingMessage): void => {
  const location = URL.parse(response.headers.location ?? '');
  if (location !== null) response.headers.location = BUCKET + location.pathname + location.search;
};

const start = async (): Promise<void> => {
  const { dataFolder } = readLocalSettings();
  const access = readAccess(dataFolder);
  if (!access) throw new PlainError(`There is no service in ${dataFolder}: start it with npm start`);
  const { origin } = new URL(access.baseUrl);
  const toService: ProxyOptions = {
    target: origin,
    changeOrigin: true,
    configure: (proxy) => void proxy.on('proxyReq', hideOwnPage).on('proxyRes', redirectToProxy),
  };
  const toBucket: ProxyOptions = {
    target: `http://${LOOPBACK}:${readBucketPort(dataFolder)}`,
    changeOrigin: true,
    rewrite: (path) => path.slice(BUCKET.length),
    configure: (proxy) =>
      void proxy.on('proxyReq', (request) => {
        hideOwnPage(request);
        if (request.getHeader('sec-fetch-site') === 'same-origin') request.removeHeader('sec-fetch-site');
      }),
  };
  const server = await createServer({
    ...(await createViteConfig()),
    logLevel: 'info',
    server: {
      host: LOOPBACK,
      port: PORT,
      strictPort: true,
      // Not `/api`: the sources of the console have a folder of that name.
      proxy: {
        '/api/v2': toService,
        '/docs': toService,
        '/cli': toService,
        '/openapi.json': toService,
        [BUCKET]: toBucket,
      },
    },
  });
  await server.listen();
  console.log(`The web console with hot reload, for the service at ${origin}:`);
  server.printUrls();
};

try {
  await start();
} catch (error) {
  console.error(error instanceof PlainError ? error.message : messageFrom(error));
  process.exit(1);
}
