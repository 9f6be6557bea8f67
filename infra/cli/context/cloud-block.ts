import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readIfExists } from './files.ts';
import { findBlocks, parseHcl, readLiteral } from './hcl.ts';

/** Service, organization and workspace that the configuration in the folder names: its `cloud` block, or its backend `remote`. */
export interface CloudBlock {
  /** Name of the host, which may have a port. */
  readonly hostname: string | undefined;
  /** Place that names the host, such as `main.tf` or `TF_CLOUD_HOSTNAME`. */
  readonly hostnameSource: string;
  readonly organization: string | undefined;
  readonly workspace: string | undefined;
}

const EXTENSION = /\.(tf|tofu)(\.json)?$/;

/**
 * Lists configuration files in the order in which they decide: override files first, and `.tofu` before `.tf`, as tofu
 * reads them.
 */
const listFiles = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rank = (name: string): number =>
    (/(^|_)override\.(tf|tofu)/.test(name) ? 0 : 2) + (/\.tofu(\.json)?$/.test(name) ? 0 : 1);
  return entries
    .filter((entry) => EXTENSION.test(entry.name) && !entry.name.startsWith('.') && !entry.isDirectory())
    .map(({ name }) => name)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
};

const parse = (name: string, text: string): unknown => {
  try {
    return name.endsWith('.json') ? JSON.parse(text) : parseHcl(text);
  } catch (error) {
    // Without this block, the command might go to another service.
    throw usageError(
      `${name} cannot be read, so its cloud block is not known. ${(error as Error).message}.`,
      'Correct the file, or name the service and the organization with --url and --org.',
    );
  }
};

/** Returns the name of the workspace that `terraform workspace select` has selected. */
const readSelected = async ({ env, cwd }: Io): Promise<string | undefined> => {
  const selected = await readIfExists(join(resolve(cwd, env['TF_DATA_DIR'] || '.terraform'), 'environment'));
  return selected?.trim() === 'default' ? undefined : selected?.trim() || undefined;
};

const readWorkspace = async (io: Io, block: unknown): Promise<string | undefined> => {
  const [workspaces] = findBlocks(block, 'workspaces');
  const name = readLiteral(workspaces?.['name']);
  if (name !== undefined) return name;
  const selected = io.env['TF_WORKSPACE'] || (block === undefined ? undefined : await readSelected(io));
  return selected === undefined ? undefined : `${readLiteral(workspaces?.['prefix']) ?? ''}${selected}`;
};

/**
 * Reads the `cloud` block of the folder. What it does not name follows from `TF_CLOUD_HOSTNAME`, `TF_CLOUD_ORGANIZATION` and
 * `TF_WORKSPACE`, as for terraform. Values that contain expressions are ignored.
 * @throws Failure `usage` for a file that cannot be read.
 */
export const readCloudBlock = async (io: Io): Promise<CloudBlock> => {
  const { env, cwd } = io;
  let found: { readonly name: string; readonly block: Readonly<Record<string, unknown>> } | undefined;
  for (const name of await listFiles(cwd)) {
    const text = (await readIfExists(join(cwd, name))) ?? '';
    // Most files have neither, and need not be parsed.
    if (!/\b(cloud|remote)\b/.test(text)) continue;
    const tree = parse(name, text);
    const [block] = [...findBlocks(tree, 'terraform', 'cloud'), ...findBlocks(tree, 'terraform', 'backend', 'remote')];
    if (block === undefined) continue;
    found = { name, block };
    break;
  }
  const hostname = readLiteral(found?.block['hostname']);
  return {
    hostname: hostname ?? (env['TF_CLOUD_HOSTNAME'] || undefined),
    hostnameSource: hostname === undefined ? 'TF_CLOUD_HOSTNAME' : (found?.name ?? ''),
    organization: readLiteral(found?.block['organization']) ?? (env['TF_CLOUD_ORGANIZATION'] || undefined),
    workspace: await readWorkspace(io, found?.block),
  };
};
