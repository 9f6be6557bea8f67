import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { LOOPBACK } from '../../../infra/local/http/loopback.ts';

/** Finds a port of this computer for a program that needs a fixed one. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
