import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { type Context, openContext } from '../../../infra/cli/context/context.ts';
import type { Io } from '../../../infra/cli/io.ts';

/** A home and a working directory of their own, for tests of the places from which a context follows. */
export interface ContextBed {
  readonly home: string;
  readonly folder: string;
  /** Writes a file in the home, such as `.terraformrc`. */
  readonly writeHome: (name: string, content: string | object) => string;
  /** Writes a file in the working directory, such as `main.tf`. */
  readonly writeFolder: (name: string, content: string | object) => string;
  /**
   * Installs a credentials helper for terraform as a shell script, and names it in `.terraformrc`. It keeps tokens in files
   * of its own.
   */
  readonly installHelper: () => { readonly store: string };
  readonly io: (env?: Readonly<Record<string, string | undefined>>) => Io;
  readonly open: (
    env?: Readonly<Record<string, string | undefined>>,
    flags?: { readonly url?: string; readonly org?: string },
  ) => Context;
  readonly remove: () => void;
}

const write = (path: string, content: string | object): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** Creates an empty home and an empty working directory. */
export const createContextBed = (): ContextBed => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-context-'));
  const home = join(root, 'home');
  const folder = join(root, 'folder');
  mkdirSync(home);
  mkdirSync(folder);
  const sink = () => new Writable({ write: (_, __, done) => done() });
  const io: ContextBed['io'] = (env = {}) => ({
    stdin: new PassThrough().end(),
    stdout: sink(),
    stderr: sink(),
    env: { HOME: home, PATH: process.env['PATH'], ...env },
    program: '',
    cwd: folder,
    fetch: () => Promise.reject(new Error('No request is expected.')),
    wait: async () => undefined,
    signal: new AbortController().signal,
    onSignals: () => undefined,
    progress: () => undefined,
  });
  return {
    home,
    folder,
    writeHome: (name, content) => write(join(home, name), content),
    writeFolder: (name, content) => write(join(folder, name), content),
    installHelper: () => {
      const store = join(home, 'store');
      mkdirSync(store);
      const script = [
        '#!/bin/sh',
        `echo "$@" >> ${store}/calls`,
        'case "$2" in',
        `get) cat ${store}/"$3" 2>/dev/null || echo "{}" ;;`,
        `store) cat > ${store}/"$3" ;;`,
        `forget) rm -f ${store}/"$3" ;;`,
        'esac',
      ];
      chmodSync(write(join(home, '.terraform.d/plugins/terraform-credentials-vault'), script.join('\n')), 0o755);
      write(join(home, '.terraformrc'), 'credentials_helper "vault" {\n  args = ["--team"]\n}\n');
      return { store };
    },
    io,
    open: (env, { url, org } = {}) => openContext(io(env), { url, org }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
};
