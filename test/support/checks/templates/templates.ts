import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../../../infra/build/bundle.ts';
import { synthesize } from '../../../../infra/build/synthesize.ts';
import { synthesizeHub } from '../../../../infra/hub/app.ts';
import { DISTRIBUTION_EXAMPLE, installExample, synthesizeExample } from '../../package/example-app.ts';
import { combinations, hubCombinations } from './combinations.ts';

/** Account and region of the example app. moto uses this account. */
const environment = { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'eu-central-1' };

/** The templates that are judged. */
interface Templates {
  /** Paths of all different templates. */
  readonly paths: readonly string[];
  /** Cloud assembly of the example app, which has two deployments in one account and region. */
  readonly example: string;
}

/**
 * Synthesizes each combination of settings and the example apps once and writes their templates to a folder, as
 * `<combination>.<stack>.template.json`. A template that equals one of an earlier combination is not written again. The
 * synthesis of an example fails for a finding of cdk-nag or of the CDK.
 *
 * @param folder a folder for the assemblies and the templates.
 */
export const writeTemplates = async (folder: string): Promise<Templates> => {
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
  const app = await installExample(folder, bundles);
  const example = await synthesizeExample(app, join(folder, 'example'), environment);
  collect('example', example);
  collect('example', await synthesizeExample(DISTRIBUTION_EXAMPLE, join(folder, 'distribution')));
  return { paths: [...paths.values()], example };
};
