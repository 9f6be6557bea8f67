import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readIfExists } from './files.ts';
import { findBlocks, parseHcl, readLiteral } from './hcl.ts';
import { normalizeHost } from './service.ts';

/** The program that keeps tokens in place of a file. */
export interface HelperSettings {
  readonly name: string;
  readonly args: readonly string[];
}

/** A configuration file of terraform or tofu. Hosts are in their normalized form. */
export interface TerraformFile {
  readonly path: string;
  /** Whether terraform itself reads the file; the others are read by tofu or by `holdfast` only. */
  readonly isOfTerraform: boolean;
  /** Tokens by host. */
  readonly tokens: ReadonlyMap<string, string>;
  /** URLs of the service `tfe.v2` by host. */
  readonly services: ReadonlyMap<string, string>;
  readonly helper: HelperSettings | undefined;
}

interface Place {
  readonly path: string;
  readonly isOfTerraform: boolean;
}

/** Folders in which terraform and tofu keep their configuration. */
export interface TerraformFolders {
  readonly home: string;
  /** Configuration, and plugins such as credentials helpers. */
  readonly configuration: string;
  /** The folder of tofu where there is no other. */
  readonly xdg: string | undefined;
}

/** Locates the folders of terraform. @returns undefined without a home. */
export const locateFolders = ({ env }: Io): TerraformFolders | undefined => {
  const isWindows = process.platform === 'win32';
  const home = isWindows ? env['APPDATA'] : env['HOME'];
  if (!home) return undefined;
  return {
    home,
    configuration: join(home, isWindows ? 'terraform.d' : '.terraform.d'),
    xdg: env['XDG_CONFIG_HOME'] && !isWindows ? join(env['XDG_CONFIG_HOME'], 'opentofu') : undefined,
  };
};

/** Locates the file to which `terraform login` and `tofu login` write. @returns undefined without a home. */
export const locateCredentialsFile = (io: Io): string | undefined => {
  const folders = locateFolders(io);
  if (folders === undefined) return undefined;
  const { configuration, xdg } = folders;
  // A new folder ~/.terraform.d would hide the one that tofu uses without it.
  const folder = xdg !== undefined && existsSync(xdg) && !existsSync(configuration) ? xdg : configuration;
  return join(folder, 'credentials.tfrc.json');
};

const listFolder = async (folder: string): Promise<readonly string[]> => {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => /\.tfrc(\.json)?$/.test(name))
    .sort()
    .reverse()
    .map((name) => join(folder, name));
};

/** Lists the files that may exist. The first one that names a value decides, as it does for terraform. */
const listPlaces = async (io: Io): Promise<readonly Place[]> => {
  const { env, cwd } = io;
  const folders = locateFolders(io);
  const override = env['TF_CLI_CONFIG_FILE'] || env['TERRAFORM_CONFIG'];
  if (override) {
    const credentials = locateCredentialsFile(io);
    return [
      { path: resolve(cwd, override), isOfTerraform: true },
      // terraform does not read what `terraform login` writes then. For us, a login is a login.
      ...(credentials === undefined ? [] : [{ path: credentials, isOfTerraform: false }]),
    ];
  }
  if (folders === undefined) return [];
  const { home, configuration, xdg } = folders;
  const main = process.platform === 'win32' ? ['terraform.rc', 'tofu.rc'] : ['.terraformrc', '.tofurc'];
  const ofTofu = xdg === undefined ? [] : [...(await listFolder(xdg)), join(xdg, 'tofurc')];
  return [
    ...(await listFolder(configuration)).map((path) => ({ path, isOfTerraform: true })),
    ...main.map((name, index) => ({ path: join(home, name), isOfTerraform: index === 0 })),
    ...ofTofu.map((path) => ({ path, isOfTerraform: false })),
  ];
};

/** Reads the members of blocks that are labeled with a host, such as `credentials "HOST" { token = "…" }`. */
const byHost = (
  tree: unknown,
  block: string,
  read: (content: unknown) => string | undefined,
): ReadonlyMap<string, string> =>
  new Map(
    findBlocks(tree, block).flatMap((hosts) =>
      Object.entries(hosts).flatMap(([name, content]): readonly (readonly [string, string])[] => {
        const host = normalizeHost(name);
        const value = read(content);
        return host === undefined || value === undefined ? [] : [[host, value]];
      }),
    ),
  );

const readHelper = (tree: unknown): HelperSettings | undefined => {
  for (const helpers of findBlocks(tree, 'credentials_helper')) {
    for (const [name, content] of Object.entries(helpers)) {
      const args = findBlocks(content)[0]?.['args'];
      return { name, args: Array.isArray(args) ? args.filter((argument) => typeof argument === 'string') : [] };
    }
  }
  return undefined;
};

const readTerraformFile = async ({ path, isOfTerraform }: Place): Promise<TerraformFile | undefined> => {
  const text = await readIfExists(path);
  if (text === undefined) return undefined;
  let tree: unknown;
  try {
    tree = text.trimStart().startsWith('{') ? JSON.parse(text) : parseHcl(text);
  } catch (error) {
    // The message of JSON.parse quotes the text, which may contain a token.
    const reason = text.trimStart().startsWith('{') ? 'It is not valid JSON' : (error as Error).message;
    throw usageError(`${path} is damaged. ${reason}.`, 'Correct the file. terraform and tofu read it, too.');
  }
  return {
    path,
    isOfTerraform,
    tokens: byHost(tree, 'credentials', (content) => readLiteral(findBlocks(content)[0]?.['token'])),
    services: byHost(tree, 'host', (content) => readLiteral(findBlocks(content, 'services')[0]?.['tfe.v2'])),
    helper: readHelper(tree),
  };
};

/**
 * Reads the configuration files of terraform and tofu, the one that decides first.
 * @throws Failure `usage` for a damaged file.
 */
export const readTerraformFiles = async (io: Io): Promise<readonly TerraformFile[]> => {
  const files = await Promise.all((await listPlaces(io)).map(readTerraformFile));
  return files.filter((file) => file !== undefined);
};
