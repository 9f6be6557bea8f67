import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { domainToUnicode } from 'node:url';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readJsonObject, updateJsonFile } from './files.ts';
import { normalizeHost, readToken } from './service.ts';
import { type HelperSettings, locateCredentialsFile, locateFolders, readTerraformFiles } from './terraform-files.ts';

/** A token with the place where it is configured. */
export interface FoundToken {
  readonly token: string;
  readonly source: string;
}

/** The place where the token of a host is stored, or will be. */
export type Storage =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'helper'; readonly helper: HelperSettings };

const PREFIX = 'TF_TOKEN_';

/** Finds the variable of the environment with the token of a host, in one of the spellings that terraform accepts. */
const findVariable = ({ env }: Io, host: string): string | undefined =>
  Object.keys(env).find(
    (name) =>
      name.startsWith(PREFIX) &&
      env[name] &&
      normalizeHost(name.slice(PREFIX.length).replaceAll('__', '-').replaceAll('_', '.')) === host,
  );

const MACHINES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Finds the newest program of a credentials helper, where terraform looks for it. @throws Failure `usage` without one. */
const findProgram = async (io: Io, { name }: HelperSettings): Promise<string> => {
  const folder = join(locateFolders(io)?.configuration ?? '', 'plugins');
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const isProgram = (file: string): boolean => {
    const base = `terraform-credentials-${name}`;
    return file === base || file === `${base}.exe` || file.startsWith(`${base}_v`);
  };
  const programs: string[] = [];
  for (const place of [folder, join(folder, `${system}_${MACHINES[process.arch] ?? process.arch}`)]) {
    const files = await readdir(place).catch(() => []);
    programs.push(...files.filter(isProgram).map((file) => join(place, file)));
  }
  const [newest] = programs.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (newest === undefined) {
    throw usageError(
      `The credentials helper ${name}, which the configuration of terraform names, is not installed.`,
      `Put terraform-credentials-${name} into ${folder}.`,
    );
  }
  return newest;
};

/**
 * Runs a credentials helper. A token is passed by standard input and output, which other processes cannot see.
 * @param input standard input of the helper.
 * @throws Failure `failed` with the message of the helper.
 */
const runHelper = async (
  io: Io,
  helper: HelperSettings,
  verb: 'get' | 'store' | 'forget',
  host: string,
  input = '',
): Promise<string> => {
  const program = await findProgram(io, helper);
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...helper.args, verb, host],
      { env: { ...io.env }, cwd: io.cwd, signal: io.signal },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        if (io.signal.aborted) return reject(error);
        const reason = stderr.trim() || `exit code ${error.code ?? error.signal}`;
        reject(new Failure('failed', `The credentials helper ${helper.name} failed: ${reason}`, { cause: error }));
      },
    );
    // A helper may end without reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
};

const describeHelper = ({ name }: HelperSettings): string => `the credentials helper ${name}`;

/** Describes how a token is stored, for people. */
export const describeStorage = (storage: Storage): string =>
  storage.kind === 'file'
    ? `${storage.path}, as plain text that only you can read (mode 600)`
    : describeHelper(storage.helper);

/**
 * Finds the token of a host where terraform and tofu look for it: the environment, their configuration files, their
 * credentials helper.
 * @param host in its normalized form.
 * @param isOfTerraform whether to look only where terraform itself does.
 * @throws Failure for a damaged file, or a helper that fails.
 */
export const findToken = async (io: Io, host: string, isOfTerraform = false): Promise<FoundToken | undefined> => {
  const variable = findVariable(io, host);
  if (variable !== undefined) return { token: readToken(io.env[variable] ?? '', variable), source: variable };
  const files = (await readTerraformFiles(io)).filter((file) => file.isOfTerraform || !isOfTerraform);
  for (const { path, tokens } of files) {
    const token = tokens.get(host);
    if (token !== undefined) return { token: readToken(token, `The token in ${path}`), source: path };
  }
  const helper = files.find((file) => file.helper !== undefined)?.helper;
  if (helper === undefined) return undefined;
  const source = describeHelper(helper);
  const output = await runHelper(io, helper, 'get', host);
  let token: unknown;
  try {
    token = (JSON.parse(output) as { readonly token?: unknown } | null)?.token;
  } catch {
    throw new Failure('failed', `${source} does not return JSON.`);
  }
  return typeof token === 'string' && token !== '' ? { token: readToken(token, source), source } : undefined;
};

const hasHost = (document: Readonly<Record<string, unknown>> | undefined, host: string): boolean =>
  Object.keys(document?.['credentials'] ?? {}).some((name) => normalizeHost(name) === host);

/**
 * Finds the place where the token of a host is stored, or will be: the rules are those of `terraform login`.
 * @throws Failure `usage` if the token is in a file that the user writes, or if there is no home.
 */
export const findStorage = async (io: Io, host: string): Promise<Storage> => {
  const path = locateCredentialsFile(io);
  if (path === undefined) throw usageError('HOME is not set, so there is no place for the token.');
  if (hasHost(await readJsonObject(path), host)) return { kind: 'file', path };
  const files = await readTerraformFiles(io);
  const other = files.find(({ tokens }) => tokens.has(host));
  if (other !== undefined) {
    throw usageError(
      `The token for ${host} is in ${other.path}, a file that only you change.`,
      `Change the token there, or remove it and run "holdfast login ${host}".`,
    );
  }
  const helper = files.find((file) => file.helper !== undefined)?.helper;
  return helper === undefined ? { kind: 'file', path } : { kind: 'helper', helper };
};

/** Brings a host into the form that terraform accepts in files: without Punycode. */
const displayHost = (host: string): string => {
  const { hostname, port } = new URL(`https://${host}`);
  return `${domainToUnicode(hostname) || hostname}${port === '' ? '' : `:${port}`}`;
};

const updateFile = (io: Io, path: string, host: string, token: string | undefined): Promise<void> =>
  updateJsonFile(io, path, (content) => {
    const { credentials = {} } = content;
    if (typeof credentials !== 'object' || credentials === null || Array.isArray(credentials)) {
      throw usageError(`${path} is damaged: "credentials" is not an object. Nothing was changed.`, 'Correct the file.');
    }
    const others = Object.entries(credentials).filter(([name]) => normalizeHost(name) !== host);
    const entries = token === undefined ? others : [...others, [displayHost(host), { token }] as const];
    return { ...content, credentials: Object.fromEntries(entries) };
  });

/** Stores the token of a host. */
export const storeToken = async (io: Io, storage: Storage, host: string, token: string): Promise<void> => {
  if (storage.kind === 'file') await updateFile(io, storage.path, host, token);
  else await runHelper(io, storage.helper, 'store', host, JSON.stringify({ token }));
};

/** Deletes the stored token of a host. */
export const forgetToken = async (io: Io, storage: Storage, host: string): Promise<void> => {
  if (storage.kind === 'file') await updateFile(io, storage.path, host, undefined);
  else await runHelper(io, storage.helper, 'forget', host);
};
