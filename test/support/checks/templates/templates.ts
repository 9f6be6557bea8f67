import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../../../infra/build/bundle.ts';
import { synthesize } from '../../../../infra/build/synthesize.ts';
import { synthesizeHub } from '../../../../infra/build/synthesize-hub.ts';
import { combinations, hubCombinations } from './combinations.ts';

/**
 * Synthesizes each combination of settings once and writes its templates to a folder, as
 * `<combination>.<stack>.template.json`. A template that equals one of an earlier combination is not written again.
 *
 * @param folder a folder for the assemblies and the templates.
 * @returns the paths of the templates.
 */
export const writeTemplates = async (folder: string): Promise<readonly string[]> => {
  const bundles = await bundleFunctions(join(folder, 'bundles'));
  const templates = join(folder, 'templates');
  mkdirSync(templates);
  const paths = new Map<string, string>();
  const collect = (combination: string, directory: string): void => {
    for (const file of readdirSync(directory).filter((name) => name.endsWith('.template.json'))) {
      const text = readFileSync(join(directory, file), 'utf8');
      const path = join(templates, `${combination}.${file}`);
      if (paths.has(text)) continue;
      writeFileSync(path, text);
      paths.set(text, path);
    }
  };
  // `npm test` synthesizes with the checks of cdk-nag.
  const options = (combination: string) => ({ outdir: join(folder, combination), bundles, isChecked: false });
  for (const [combination, context] of Object.entries(combinations)) {
    collect(combination, (await synthesize({ context, ...options(combination) })).directory);
  }
  for (const [combination, context] of Object.entries(hubCombinations)) {
    collect(combination, await synthesizeHub({ context, ...options(combination) }));
  }
  return [...paths.values()];
};
