import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject } from './is-object.ts';
import { SettingsError } from './settings.ts';

/** Folder with one file of settings for each stage. */
const stages = fileURLToPath(new URL('../../stages/', import.meta.url));

/**
 * Replaces `stage` in the context by the settings of the stage file that it selects. A setting in both is rejected, because
 * nothing says which of the two is meant.
 * @example
 * withStageFile({ stage: 'test', edition: 'hosted' }); // { name: 'holdfast-test', edition: 'hosted' }
 * @throws SettingsError when the file does not exist, is not a JSON object, has no `name`, or repeats a setting.
 */
export const withStageFile = (
  context: Readonly<Record<string, unknown>>,
  folder = stages,
): Readonly<Record<string, unknown>> => {
  const { stage, ...others } = context;
  if (stage === undefined || stage === null || stage === '') return context;
  if (typeof stage !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(stage))
    throw new SettingsError([
      `stage is ${JSON.stringify(stage)}, but must be lower-case letters, digits and hyphens: the name of a file in stages/`,
    ]);
  const file = `stages/${stage}.json`;
  const settings = readSettingsFile(`${folder}/${stage}.json`, file);
  const problems = Object.keys(settings)
    .filter((name) => name === 'stage' || Object.hasOwn(context, name))
    .map((name) => `${name} is in ${file} and in the context (-c, cdk.json): keep one of them`);
  // Without a name of its own, a second stage would replace the first one in the same account and region.
  if (!Object.hasOwn(settings, 'name')) problems.push(`${file} must contain name, which no other stage has`);
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...others, ...settings };
};

const readSettingsFile = (path: string, file: string): Readonly<Record<string, unknown>> => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new SettingsError([isMissing ? `${file} does not exist` : `${file}: ${(error as Error).message}`]);
  }
  if (!isObject(content)) throw new SettingsError([`${file} must contain one JSON object with settings`]);
  return content;
};
