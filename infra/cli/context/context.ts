import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { missingToken, readOrigin, type Service } from './service.ts';

/** The flags that every command has. */
export interface GlobalFlags {
  readonly url: string | undefined;
  readonly org: string | undefined;
}

/** The service, the organization and the workspace of a command, from its flags, the environment and the folder. */
export interface Context {
  readonly service: () => Promise<Service>;
  /** Name of the organization, or undefined if nothing names it. */
  readonly organization: () => Promise<string | undefined>;
  /** Name of the workspace of this folder, for the argument `.`. */
  readonly workspace: () => Promise<string>;
}

interface LocalAccess {
  readonly baseUrl: string;
  readonly organization?: string;
  readonly token?: string;
}

const readLocalAccess = async ({ cwd }: Io): Promise<LocalAccess | undefined> => {
  try {
    return JSON.parse(await readFile(join(cwd, '.holdfast/local.json'), 'utf8')) as LocalAccess;
  } catch {
    return undefined;
  }
};

/** Opens the context of a command. The first place that names a value decides. */
export const openContext = (io: Io, flags: GlobalFlags): Context => {
  const { env } = io;
  return {
    service: async () => {
      const local = await readLocalAccess(io);
      const [address, source] =
        flags.url !== undefined
          ? [flags.url, '--url']
          : env['HOLDFAST_URL']
            ? [env['HOLDFAST_URL'], 'HOLDFAST_URL']
            : [local?.baseUrl, '.holdfast/local.json'];
      if (address === undefined) {
        throw usageError('No service is named.', 'Run "holdfast login HOST", or set HOLDFAST_URL.');
      }
      const origin = readOrigin(address, source);
      if (env['HOLDFAST_TOKEN']) return { origin, source, token: env['HOLDFAST_TOKEN'], tokenSource: 'HOLDFAST_TOKEN' };
      if (local?.token !== undefined && readOrigin(local.baseUrl, '.holdfast/local.json') === origin) {
        return { origin, source, token: local.token, tokenSource: '.holdfast/local.json' };
      }
      throw missingToken(origin);
    },
    organization: async () => flags.org ?? env['HOLDFAST_ORG'] ?? (await readLocalAccess(io))?.organization,
    workspace: async () => {
      throw usageError('No cloud block in this folder names a workspace.', 'Name the workspace in place of ".".');
    },
  };
};
