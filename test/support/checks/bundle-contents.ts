import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { allFunctionNames, type FunctionName } from '../../../shared/runtime/environment.ts';

/** Modules of a function's bundle with their sizes. */
export interface BundleContents {
  readonly bytes: number;
  /** Bytes of each module that something of is left of after minifying, by its path from the root. */
  readonly modules: ReadonlyMap<string, number>;
  /** Those in files that are loaded on demand only. */
  readonly modulesOnDemand: ReadonlyMap<string, number>;
}

/** Reads what the bundles in a folder are made of, from esbuild's own account of it. */
export const contentsIn = (folder: string): Readonly<Record<FunctionName, BundleContents>> => {
  const { outputs } = JSON.parse(readFileSync(join(folder, 'metafile.json'), 'utf8')) as Metafile;
  const outputOf = (file: string) => Object.entries(outputs).find(([path]) => path.endsWith(`/${file}`))?.[1];
  const modulesIn = (files: readonly string[]): ReadonlyMap<string, number> =>
    new Map(
      files
        .flatMap((file) => Object.entries(outputOf(file)?.inputs ?? {}))
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path, { bytesInOutput }]) => [path, bytesInOutput]),
    );
  const of = (name: FunctionName): BundleContents => {
    const files = readdirSync(join(folder, 'functions', name)).map((file) => `${name}/${file}`);
    const fileAt = (path: string) => files.find((file) => path.endsWith(`/${file}`));
    // A file that several files load on demand can itself be imported statically by each of them.
    const loadedAtStart = new Set([`${name}/index.mjs`]);
    for (const file of loadedAtStart) {
      for (const { kind, path } of outputOf(file)?.imports ?? []) {
        const imported = kind === 'dynamic-import' ? undefined : fileAt(path);
        if (imported !== undefined) loadedAtStart.add(imported);
      }
    }
    const isOnDemand = (file: string) => !loadedAtStart.has(file);
    return {
      bytes: files.reduce((sum, file) => sum + (outputOf(file)?.bytes ?? 0), 0),
      modules: modulesIn(files),
      modulesOnDemand: modulesIn(files.filter(isOnDemand)),
    };
  };
  return Object.fromEntries(allFunctionNames.map((name) => [name, of(name)])) as Record<FunctionName, BundleContents>;
};

/** The package that a module is of, with the one that brought it along for itself; or the folder of ours. */
export const packageOf = (path: string): string => {
  const packages = [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name);
  return packages.length > 0 ? packages.join(' > ') : path.split('/').slice(0, 2).join('/');
};

/** Sums the bytes of a bundle by package and source folder, largest first. */
export const packagesOf = ({ modules }: BundleContents): readonly { readonly name: string; readonly bytes: number }[] =>
  [...Map.groupBy(modules, ([path]) => packageOf(path))]
    .map(([name, inside]) => ({ name, bytes: inside.reduce((sum, [, bytes]) => sum + bytes, 0) }))
    .sort((one, other) => other.bytes - one.bytes);
