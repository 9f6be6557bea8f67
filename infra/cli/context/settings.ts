import { join } from 'node:path';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readJsonObject, updateJsonFile } from './files.ts';

/** Choices of the last `holdfast login`. The token is elsewhere, where terraform looks for it. */
export interface Settings {
  /** Address of the service. */
  readonly url?: string | undefined;
  readonly organization?: string | undefined;
}

/** Locates the file of the settings. @returns undefined without a home. */
export const locateSettings = ({ env }: Io): string | undefined => {
  const folder = env['XDG_CONFIG_HOME'] || (env['HOME'] ? join(env['HOME'], '.config') : env['APPDATA']);
  return folder ? join(folder, 'holdfast', 'config.json') : undefined;
};

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the settings; empty if there are none. @throws Failure `usage` for a damaged file. */
export const readSettings = async (io: Io): Promise<Settings> => {
  const path = locateSettings(io);
  const document = path === undefined ? undefined : await readJsonObject(path);
  return { url: readText(document?.['url']), organization: readText(document?.['organization']) };
};

/** Writes the settings. Other members of the file remain. */
export const writeSettings = async (io: Io, settings: Settings): Promise<void> => {
  const path = locateSettings(io);
  if (path === undefined) throw usageError('HOME is not set, so there is no place for the settings.');
  await updateJsonFile(io, path, (content) => ({ ...content, ...settings }));
};
