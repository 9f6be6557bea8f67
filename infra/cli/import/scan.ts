import { opendir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findBlocks, parseHcl, readLiteral } from '../context/hcl.ts';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import type { Outcome } from './cutover.ts';
import type { Source } from './source.ts';

const CONFIGURATION = /\.(tf|tofu)(\.json)?$/;
/** Folders that contain copies of configurations, not configurations that people write. */
const SKIPPED: readonly string[] = ['.terraform', '.git', 'node_modules'];
/** Host of blocks that name none. */
const DEFAULT_HOST = 'app.terraform.io';

type Block = Readonly<Record<string, unknown>>;

/** Blocks that can name another service, by their kind. */
const listBlocks = (tree: unknown): readonly (readonly [kind: string, block: Block])[] => {
  const named = (path: readonly string[], kind: string): readonly (readonly [string, Block])[] =>
    findBlocks(tree, ...path).map((block) => [kind, block] as const);
  const labeled = (type: string): readonly (readonly [string, Block])[] =>
    findBlocks(tree, 'data', type).flatMap((byName) =>
      Object.keys(byName).flatMap((name) =>
        findBlocks(byName, name).map((block) => [`data "${type}" "${name}"`, block] as const),
      ),
    );
  return [
    ...named(['terraform', 'cloud'], 'cloud'),
    ...named(['terraform', 'backend', 'remote'], 'backend "remote"'),
    ...named(['terraform', 'backend', 's3'], 'backend "s3"'),
    ...named(['provider', 'tfe'], 'provider "tfe"'),
    ...labeled('terraform_remote_state'),
    ...labeled('tfe_outputs'),
  ];
};

/** Returns whether a block names the source, or means it because it names nothing else. */
const namesSource = (kind: string, block: Block, { host, organization }: Source['origin']): boolean => {
  const [config = block] = findBlocks(block, 'config');
  const owner = readLiteral(config['organization']);
  if (owner !== undefined && organization !== null && owner !== organization) return false;
  const bucket = readLiteral(config['bucket']);
  if (bucket !== undefined) return bucket === host;
  const isOfBackend = kind.startsWith('data "terraform_remote_state"');
  if (kind === 'backend "s3"' || (isOfBackend && readLiteral(block['backend']) !== 'remote')) return false;
  // The provider names the host of such a data source, possibly in another file.
  if (kind.startsWith('data "tfe_outputs"')) return owner !== undefined || host === DEFAULT_HOST;
  return (readLiteral(config['hostname']) ?? DEFAULT_HOST) === host;
};

/** Yields the configuration files below a folder. */
async function* walk(root: string, below = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(root, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.includes(entry.name)) yield* walk(root, path);
    else if (entry.isFile() && CONFIGURATION.test(entry.name)) yield path;
  }
}

/**
 * Finds the blocks in a folder of configurations that still name the source.
 * @throws Failure `usage` for a folder that cannot be read.
 */
export const scanConfigurations = async (
  { cwd }: Io,
  name: string,
  origin: Source['origin'],
): Promise<readonly Outcome[]> => {
  const root = resolve(cwd, name);
  const found: Outcome[] = [];
  try {
    for await (const path of walk(root)) {
      const text = await readFile(join(root, path), 'utf8');
      let tree: unknown;
      try {
        tree = path.endsWith('.json') ? JSON.parse(text) : parseHcl(text);
      } catch (error) {
        found.push({ name: path, result: 'unreadable', detail: (error as Error).message });
        continue;
      }
      for (const [kind, block] of listBlocks(tree)) {
        if (!namesSource(kind, block, origin)) continue;
        found.push({ name: path, result: 'old address', detail: `${kind} names ${origin.host}.` });
      }
    }
  } catch (error) {
    throw usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
};
