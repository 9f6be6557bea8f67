import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { findBlocks, parseHcl } from '../../context/hcl.ts';
import { type ExitName, Failure, usageError } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { InventoryWriter, Source, WorkspaceFilter } from '../source.ts';
import { type Problem, readContent, sha256Of } from './content.ts';
import { openNames, toName } from './names.ts';

/** Beginning of the address of such a source. */
const TERRAFORM_SCHEME = 'terraform:';

const DIGEST = '?sha256=';

/** Workspace that always exists. */
const DEFAULT = 'default';

/** A folder that `terraform init` or `tofu init` has prepared, and the program for it. */
interface Folder {
  readonly io: Io;
  readonly path: string;
  /** Path of terraform or tofu. */
  readonly program: string;
}

/** Output of a program that has ended. */
interface Output {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Finds a program in the folders of `PATH`. */
const findProgram = async ({ env }: Io, name: string): Promise<string | undefined> => {
  const extensions = process.platform === 'win32' ? ['.exe'] : [''];
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const file of folders.flatMap((folder) => extensions.map((extension) => join(folder, name + extension)))) {
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
};

/** Returns the names of the programs that may have prepared a folder, the first choice first. */
const listPrograms = async (folder: string): Promise<readonly string[]> => {
  const lock = await readFile(join(folder, '.terraform.lock.hcl'), 'utf8').catch(() => '');
  const [, name] = /"(terraform|tofu) init"/.exec(lock) ?? [];
  return name === undefined ? ['terraform', 'tofu'] : [name];
};

/** @throws Failure `usage` if none of the programs is installed. */
const chooseProgram = async (io: Io, folder: string): Promise<string> => {
  const names = await listPrograms(folder);
  for (const name of names) {
    const program = await findProgram(io, name);
    if (program !== undefined) return program;
  }
  throw usageError(`${names.join(' or ')} is not found in PATH, and the folder needs it.`);
};

/** Runs the program in the folder, without a shell and without questions. */
const run = async (
  { io: { env, signal }, path, program }: Folder,
  args: readonly string[],
  workspace: string | undefined,
  input?: Uint8Array,
): Promise<Output> => {
  const child = spawn(program, args, {
    cwd: path,
    env: { ...env, TF_INPUT: '0', TF_IN_AUTOMATION: '1', TF_WORKSPACE: workspace },
    stdio: 'pipe',
    signal,
    // The program releases its lock before it ends.
    killSignal: 'SIGINT',
  });
  // A program that ends early closes its input. Its exit code says why.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const [code, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
  return { code, stdout, stderr: stripVTControlCharacters(stderr.toString()).replaceAll(/[│╷╵]/g, ' ').trim() };
};

const describe = ({ program, path }: Folder, args: readonly string[]): string =>
  `"${basename(program)} ${args.join(' ')}" in ${path}`;

/** Creates the failure of a program. Only what it has reported is passed on, never its output, which is a state. */
const toFailure = (folder: Folder, args: readonly string[], { code, stderr }: Output, exit: ExitName): Failure =>
  new Failure(exit, `${describe(folder, args)} has ended with the exit code ${code}.\n${stderr.slice(0, 4_000)}`);

/** Reads the current state of a workspace. @returns empty bytes if it has none. */
const pull = async (folder: Folder, workspace: string): Promise<Buffer> => {
  const args = ['state', 'pull'];
  const output = await run(folder, args, workspace);
  if (output.code !== 0) throw toFailure(folder, args, output, 'failed');
  return output.stdout.subarray(0, 8).toString().trim() === '' ? Buffer.alloc(0) : output.stdout;
};

/** Lists the workspaces. A backend that knows none has the default one. */
const listWorkspaces = async (folder: Folder): Promise<readonly string[]> => {
  const args = ['workspace', 'list'];
  const output = await run(folder, args, undefined);
  if (/workspaces not supported/i.test(output.stderr)) return [DEFAULT];
  if (output.code !== 0) throw toFailure(folder, args, output, 'failed');
  return output.stdout
    .toString()
    .split('\n')
    .map((line) => line.replace(/^\*/, '').trim())
    .filter((name) => name !== '');
};

/**
 * Refuses a folder whose states tofu encrypts, because `tofu state pull` prints them in plain text.
 * @throws Failure `rejected`.
 */
const requirePlainStates = async ({ io: { env }, path }: Folder): Promise<void> => {
  const names = (await readdir(path)).filter((name) => /\.(tf|tofu)(\.json)?$/.test(name));
  const texts = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(path, name), 'utf8') })),
  );
  const isEncrypting = ({ name, text }: { readonly name: string; readonly text: string }): boolean => {
    if (!text.includes('encryption')) return false;
    try {
      const tree = name.endsWith('.json') ? JSON.parse(text) : parseHcl(text);
      return findBlocks(tree, 'terraform', 'encryption').some((block) => 'state' in block);
    } catch {
      // The program itself reports what is wrong with the file.
      return false;
    }
  };
  const place = env['TF_ENCRYPTION'] ? 'TF_ENCRYPTION' : texts.find(isEncrypting)?.name;
  if (place === undefined) return;
  throw new Failure(
    'rejected',
    `${place} encrypts the states of ${path}, and "tofu state pull" would print them in plain text.`,
    { hint: 'Import the files or objects themselves with files:DIR or s3://BUCKET/PREFIX. They stay encrypted.' },
  );
};

const readInventory = async (folder: Folder, writer: InventoryWriter, includes: WorkspaceFilter): Promise<void> => {
  const root = basename(folder.path);
  const names = openNames<null>(writer, includes);
  for (const workspace of await listWorkspaces(folder)) await names.add(workspace, nameOf(root, workspace), null);
  for await (const { name, place } of names.unique()) {
    const facts = readContent(await pull(folder, place));
    if (!('reason' in facts)) {
      await addWorkspace(writer, name, place);
      await writer.add('state-versions', {
        ...{ workspace: name, position: 1, 'is-current': true, ...facts },
        origin: { id: place + DIGEST + facts.sha256 },
      });
    } else if (facts.reason === 'no-content' && place !== DEFAULT) await addWorkspace(writer, name, place);
    else await writer.addNotCarried({ type: 'states', name: place, ...explain(facts) });
  }
};

const nameOf = (root: string, workspace: string): string =>
  toName(workspace === DEFAULT ? { path: '' } : { path: '', workspace }, root);

const addWorkspace = (writer: InventoryWriter, name: string, id: string): Promise<void> =>
  writer.add('workspaces', { name, project: null, 'execution-mode': 'local', origin: { id } });

const explain = ({ reason, detail }: Problem): Problem => ({
  reason,
  detail: reason === 'no-content' ? 'The default workspace, which always exists, has no state.' : detail,
});

/** Reports of the program that the state has changed, or is locked. */
const CONFLICT = /state lock|lineage|serial/i;

/**
 * Opens the backend of an initialized folder as a source, through terraform or tofu: `terraform:DIR`.
 * @param computer names the computer of the folder in `imported-from`.
 * @throws Failure `usage` without such a folder, or without the program.
 * @throws Failure `rejected` for states that tofu encrypts.
 */
export const openTerraform = async (io: Io, address: string, computer = hostname()): Promise<Source> => {
  const name = address.slice(TERRAFORM_SCHEME.length);
  const path = await realpath(resolve(io.cwd, name)).catch(() => undefined);
  if (path === undefined || !(await lstat(path)).isDirectory()) throw usageError(`${name} is not a folder.`);
  const folder: Folder = { io, path, program: await chooseProgram(io, path) };
  if (basename(folder.program).startsWith('tofu')) await requirePlainStates(folder);
  const workspaceOf = async (wanted: string): Promise<string> => {
    const found = (await listWorkspaces(folder)).filter((workspace) => nameOf(basename(path), workspace) === wanted);
    if (found[0] !== undefined && found.length === 1) return found[0];
    throw new Failure('conflict', `${name} has ${found.length} workspaces that lead to ${wanted}.`);
  };
  return {
    origin: { host: computer, organization: null },
    organization: toName({ path: basename(path) }, 'terraform'),
    readInventory: (writer, includes) => readInventory(folder, writer, includes),
    async *download({ origin: { id }, sha256 }) {
      const workspace = id.slice(0, id.lastIndexOf(DIGEST));
      const content = await pull(folder, workspace);
      if (sha256Of(content) !== sha256) {
        throw new Failure('conflict', `The state of ${workspace} in ${name} has changed since it was listed.`);
      }
      yield content;
    },
    push: async (workspace, content) => {
      const args = ['state', 'push', '-'];
      const output = await run(folder, args, await workspaceOf(workspace), content);
      if (output.code === 0) return;
      throw toFailure(folder, args, output, CONFLICT.test(output.stderr) ? 'conflict' : 'failed');
    },
  };
};
