import { fork } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRequestedEdition } from '../../../shared/runtime/environment.ts';
import { hashFiles } from '../../build/hash-files.ts';
import { PlainError } from '../common/plain-error.ts';

interface SynthesisRequest {
  /** The folder for the cloud assembly. Its content is deleted first, except the code cache of the same app. */
  readonly outdir: string;
  /** Settings by name, which have precedence over those of `cdk.json`. */
  readonly settings?: LocalDeploymentSettings;
  /** Called before the app is synthesized, or copied from the cache. */
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

/** Result of the synthesis process. It contains the problems of the settings if there are any. */
export interface SynthesisResult {
  readonly problems?: readonly string[];
}

/** Settings of the deployment, as in `-c name=value` of `cdk deploy`. */
export type LocalDeploymentSettings = Readonly<Record<string, string>>;

/** The app of a start. */
interface PreparedAssembly {
  readonly outdir: string;
  /** Folder in which Node keeps the compiled code of the functions for the next workers, including workers of later starts. */
  readonly codeCache: string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE = join(root, 'node_modules/.cache/holdfast');
const MAX_CACHED = 4;

/**
 * Synthesizes the app, or copies the cloud assembly of an earlier start with the same sources, packages and settings.
 * @throws PlainError when the settings are not valid.
 */
export const prepareAssembly = async (request: SynthesisRequest): Promise<PreparedAssembly> => {
  const { outdir, settings = {}, onStep, signal } = request;
  const name = hashInputs(root, settings);
  const codeCache = join(outdir, `compiled-${name}`);
  emptyExcept(outdir, basename(codeCache));
  const cached = join(CACHE, name);
  const isCached = existsSync(cached);
  onStep(isCached ? 'Using the app of an earlier start' : 'Bundling the functions and synthesizing the app');
  if (!isCached) await synthesizeInProcess(cached, settings, signal);
  cpSync(cached, outdir, { recursive: true });
  return { outdir, codeCache };
};

const emptyExcept = (folder: string, kept: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true });
};

/** Files and folders that the cloud assembly is made from. The lock file stands for all packages. */
const inputs = ['functions', 'shared', 'infra', 'cdk.json', 'package.json', 'package-lock.json'];
/** Files that only deployments with stages have. */
const optionalInputs = ['stages'];
/** Source of the web console, which is built when it is first requested. */
const builtLater = ['functions/console/app'];

/**
 * Computes the name of the cached app.
 * @param folder the repository.
 */
export const hashInputs = (folder: string, settings: LocalDeploymentSettings): string =>
  hashFiles(
    folder,
    [...inputs, ...optionalInputs.filter((name) => existsSync(join(folder, name)))],
    [process.version, readRequestedEdition() ?? null, ...Object.entries(settings).sort().flat()],
    builtLater,
  );

/** A large young generation for a short process: a tenth of the CPU time of the synthesis was garbage collection. */
const synthesisFlags = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Synthesizes in a process of its own, because the CDK needs some hundred megabytes, which are freed when it ends. */
const synthesizeInProcess = async (folder: string, settings: LocalDeploymentSettings, signal: AbortSignal) => {
  signal.throwIfAborted();
  mkdirSync(CACHE, { recursive: true });
  const outdir = `${folder}.${process.pid}`;
  rmSync(outdir, { recursive: true, force: true });
  const program = fileURLToPath(new URL('synthesis-process.ts', import.meta.url));
  const child = fork(program, [outdir, JSON.stringify(settings)], { execArgv: synthesisFlags, signal });
  try {
    const { problems } = await new Promise<SynthesisResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as SynthesisResult));
      child.once('error', reject);
      child.once('exit', () => reject(signal.reason ?? new Error('The synthesis ended without a result')));
    });
    if (problems) throw new PlainError(problems.join('; '));
    removeOldest();
    // Another start may have synthesized the same app in the meantime.
    if (!existsSync(folder)) renameSync(outdir, folder);
  } finally {
    child.kill();
    rmSync(outdir, { recursive: true, force: true });
  }
};

/** Limits the cache. A running service has its own copy. */
const removeOldest = (): void => {
  const age = (name: string) => Date.now() - statSync(join(CACHE, name)).mtimeMs;
  const names = readdirSync(CACHE).filter((name) => !name.includes('.'));
  for (const name of names.sort((a, b) => age(a) - age(b)).slice(MAX_CACHED - 1))
    rmSync(join(CACHE, name), { recursive: true, force: true });
};
