import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LOOPBACK } from '../../../infra/local/http/loopback.ts';

/** HTTPS server on this computer that forwards each request to another port. */
export interface TlsProxy {
  /** `localhost:40123`: the host that clients are configured with. */
  readonly host: string;
  /** Certificate of the server, as a file. Clients must trust it. */
  readonly certificateFile: string;
  /** Sets the origin that requests are forwarded to, for example `http://127.0.0.1:8080`. */
  forwardTo(origin: string): void;
  stop(): Promise<void>;
}

/**
 * Starts a proxy with a new certificate, which the command line of OpenSSL creates.
 * @param name in the certificate.
 */
export const startTlsProxy = async (folder: string, name = 'localhost'): Promise<TlsProxy> => {
  const [keyFile, certificateFile] = [join(folder, 'localhost.key'), join(folder, 'localhost.crt')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`],
      ...['-keyout', keyFile, '-out', certificateFile],
    ],
    { stdio: 'ignore' },
  );
  let target: string | undefined;
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificateFile) },
    (incoming, outgoing) => {
      if (target === undefined) return void outgoing.writeHead(503).end();
      const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' };
      const forwarded = request(target + incoming.url, { method: incoming.method, headers });
      forwarded.on('response', (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    certificateFile,
    forwardTo: (origin) => {
      target = origin;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
