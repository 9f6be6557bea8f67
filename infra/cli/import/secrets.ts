import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { FILES, type ImportFolder, readJson, writeJson } from './folder.ts';

/** A secret that no source gives, as the user has entered it in `secrets.json`. */
export type SecretEntry =
  | 'later'
  | { readonly value: string }
  /** Name of a variable of the environment. */
  | { readonly env: string }
  /** Path of a file. */
  | { readonly file: string }
  /** Place of the value in AWS, such as `ssm:/network/password`. Only for variables. */
  | { readonly reference: string };

/** The value of a secret, or its place. */
export type SecretValue = { readonly value: string } | { readonly reference: string };

/** Secrets of an import by the type and the name of what needs them, such as `variables/network/env/DB_PASSWORD`. */
export type Secrets = Readonly<Record<string, SecretEntry>>;

const isEntry = (entry: unknown): entry is SecretEntry => {
  if (entry === 'later') return true;
  if (typeof entry !== 'object' || entry === null) return false;
  const [[name = '', value] = [], ...others] = Object.entries(entry);
  return others.length === 0 && typeof value === 'string' && ['value', 'env', 'file', 'reference'].includes(name);
};

/** Reads the secrets that the user has entered. @throws Failure `usage` for a file of another form, without its content. */
export const readSecrets = async (folder: ImportFolder): Promise<Secrets> => {
  const name = `${folder.name}/${FILES.secrets}`;
  const secrets = (await readJson<Record<string, unknown>>(folder.path(FILES.secrets), name)) ?? {};
  const wrong = Object.keys(secrets).find((key) => !isEntry(secrets[key]));
  if (wrong !== undefined) {
    throw usageError(
      `${name} has an entry of another form: "${wrong}".`,
      'Write "later", {"value": "…"}, {"env": "NAME"}, {"file": "PATH"}, or for a variable {"reference": "ssm:/…"}.',
    );
  }
  return secrets as Secrets;
};

/** Adds the secrets that are needed and that the file does not name. Entries of the user stay. */
export const addNeeded = async (folder: ImportFolder, needed: readonly string[]): Promise<void> => {
  const secrets = await readSecrets(folder);
  const added = needed.filter((name) => !(name in secrets));
  if (added.length === 0) return;
  await writeJson(folder.path(FILES.secrets), {
    ...secrets,
    ...Object.fromEntries(added.sort().map((name) => [name, 'later'])),
  });
};

/** Returns whether a secret is there, so that what needs it can be created. */
export const isGiven = (secrets: Secrets, name: string): boolean => (secrets[name] ?? 'later') !== 'later';

/** Reads the value of a secret. @throws Failure `usage` if its variable or its file is missing. The message has no value. */
export const readSecretValue = async ({ env, cwd }: Io, secrets: Secrets, name: string): Promise<SecretValue> => {
  const entry = secrets[name] ?? 'later';
  if (entry === 'later') throw new Failure('partial', `The secret ${name} is missing.`);
  if ('value' in entry || 'reference' in entry) return entry;
  if ('env' in entry) {
    const value = env[entry.env];
    if (value === undefined) throw usageError(`The variable ${entry.env}, which has the secret ${name}, is not set.`);
    return { value };
  }
  try {
    return { value: await readFile(resolve(cwd, entry.file), 'utf8') };
  } catch (error) {
    throw usageError(
      `${entry.file}, which has the secret ${name}, cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
};
