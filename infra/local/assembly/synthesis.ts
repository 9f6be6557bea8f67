import { fork } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRequestedEdition } from '../../../shared/runtime/environment.ts';
import { cachedBuild, hashFiles } from '../../build/build-cache.ts';
import { PlainError } from '../../command-line.ts';

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

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Synthesizes the app, or copies the cloud assembly of an earlier start with the same sources, packages and settings.
 * @throws PlainError when the settings are not valid.
 */
export const prepareAssembly = async (request: SynthesisRequest) => {
  const { outdir, settings = {}, onStep, signal } = request;
  const name = hashInputs(root, settings);
  /** Folder in which Node keeps the compiled code of the functions for the next workers, including workers of later starts. */
  const codeCache = join(outdir, `compiled-${name}`);
  emptyExcept(outdir, basename(codeCache));
  let isCached = true;
  const cached = await cachedBuild('holdfast', name, (folder) => {
    isCached = false;
    onStep('Bundling the functions and synthesizing the app');
    return synthesizeInProcess(folder, settings, signal);
  });
  if (isCached) onStep('Using the app of an earlier start');
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
/** Sources of the web console and the command line, which are built when they are first requested. No function contains them. */
const builtLater = ['functions/console/app', 'shared/client', 'infra/cli'];

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
const synthesizeInProcess = async (outdir: string, settings: LocalDeploymentSettings, signal: AbortSignal) => {
  signal.throwIfAborted();
  const program = fileURLToPath(new URL('synthesis-process.ts', import.meta.url));
  const child = fork(program, [outdir, JSON.stringify(settings)], { execArgv: synthesisFlags, signal });
  try {
    const { problems } = await new Promise<SynthesisResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as SynthesisResult));
      child.once('error', reject);
      child.once('exit', () => reject(signal.reason ?? new Error('The synthesis ended without a result')));
    });
    if (problems) throw new PlainError(problems.join('; '));
  } finally {
    child.kill();
  }
};
