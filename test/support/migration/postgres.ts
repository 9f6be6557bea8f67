import { execFile, execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOOPBACK } from '../../../infra/local/http/loopback.ts';
import { findFreePort } from '../clients/free-port.ts';
import { startProcess } from './process.ts';

const run = promisify(execFile);

/** A server of PostgreSQL with an empty database, whose files are removed at the end. */
export interface Postgres {
  /** `15.18` */
  readonly version: string;
  /** `postgres://holdfast@127.0.0.1:40123/postgres?sslmode=disable` */
  readonly url: string;
  /** Runs a statement of SQL. @returns the lines of its result, with `|` between the columns. */
  readonly query: (sql: string) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

/** The user `postgres`, if this process is that of root: PostgreSQL refuses to run as root. */
const findUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

/** Starts a server. @param programs the folder of `initdb`, `postgres` and `psql`. */
export const startPostgres = async (programs: string): Promise<Postgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
  const user = findUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { cwd: folder, ...user };
  const data = join(folder, 'data');
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'holdfast', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    options,
  );
  const port = await findFreePort();
  const url = `postgres://holdfast@${LOOPBACK}:${port}/postgres?sslmode=disable`;
  const query: Postgres['query'] = async (sql) => {
    const { stdout } = await run(join(programs, 'psql'), ['-X', '-A', '-t', '-c', sql, url], { maxBuffer: 2 ** 26 });
    return stdout.split('\n').filter(Boolean);
  };
  const settings = [`listen_addresses=${LOOPBACK}`, 'unix_socket_directories=', 'fsync=off'];
  const server = await startProcess(
    [join(programs, 'postgres'), '-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    options,
    async () => (await query('select 1')).length === 1,
  );
  const [version = ''] = await query('show server_version');
  return {
    version: version.split(' ')[0] ?? '',
    url,
    query,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
