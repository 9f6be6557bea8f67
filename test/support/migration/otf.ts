import { LOOPBACK } from '../../../infra/local/http/loopback.ts';
import { findFreePort } from '../clients/free-port.ts';
import { otf } from '../clients/programs.ts';
import { startTlsProxy, type TlsProxy } from '../clients/tls-proxy.ts';
import type { Postgres } from './postgres.ts';
import { startProcess } from './process.ts';

/** Token of the administrator of the server. */
export const OTF_TOKEN = 'token-of-the-site';

/** A server of OTF, also with HTTPS, which terraform requires. */
export interface Otf {
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  readonly proxy: TlsProxy;
  readonly stop: () => Promise<void>;
}

/** Starts OTF with a database and an empty folder. */
export const startOtf = async ({ url }: Postgres, folder: string): Promise<Otf> => {
  const address = `${LOOPBACK}:${await findFreePort()}`;
  const origin = `http://${address}`;
  const proxy = await startTlsProxy(folder);
  proxy.forwardTo(origin);
  const secret = '6b07b57377755b07cf61709780ee7484';
  const server = await startProcess(
    [otf.path, '--address', address, '--hostname', address, '--database', url, '--secret', secret],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, OTF_SITE_TOKEN: OTF_TOKEN } },
    async () => (await fetch(`${origin}/.well-known/terraform.json`)).ok,
  );
  return {
    origin,
    proxy,
    stop: async () => {
      await server.stop();
      await proxy.stop();
    },
  };
};
