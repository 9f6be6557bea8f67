import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes the files of a folder that is generated, those that changed. Each is replaced in one step: another process may
 * be reading it.
 */
export const writeGenerated = (directory: URL, files: Readonly<Record<string, string>>): void => {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = new URL(name, directory);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    const scratch = new URL(`${file.href}.${process.pid}`);
    writeFileSync(scratch, text);
    renameSync(scratch, file);
  }
};
