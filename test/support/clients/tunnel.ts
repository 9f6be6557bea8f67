import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { LOOPBACK } from '../../../infra/local/http/loopback.ts';

/**
 * Starts an HTTP proxy that connects to one port on this computer, whatever host a client names. With it as `HTTPS_PROXY`, programs
 * reach a test service under the host name of a deployment.
 */
export const startTunnel = async (port: number) => {
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (_, client, head) => {
    const upstream = connect(port, LOOPBACK, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const [one, other] of [
      [upstream, client],
      [client, upstream],
    ] as const)
      one.on('error', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
