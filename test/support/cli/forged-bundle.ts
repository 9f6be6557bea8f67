import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordType } from '../../../shared/bundle/types.ts';

/** Returns the paths of the files of a bundle, sorted. */
export const filesOf = (bundle: string): readonly string[] =>
  (readdirSync(bundle, { recursive: true }) as string[]).filter((path) => statSync(join(bundle, path)).isFile()).sort();

/** Writes `SHA256SUMS` anew, as somebody does who hides a change. */
export const sumAgain = (bundle: string): void => {
  const lines = filesOf(bundle)
    .filter((path) => path !== 'SHA256SUMS')
    .map(
      (path) =>
        `${createHash('sha256')
          .update(readFileSync(join(bundle, path)))
          .digest('hex')}  ${path}\n`,
    );
  writeFileSync(join(bundle, 'SHA256SUMS'), lines.join(''));
};

/** Returns the path of the file of a type. */
export const recordsPath = (bundle: string, type: RecordType): string =>
  join(bundle, 'organizations/acme', `${type}.jsonl`);

/** Changes the lines of a type, and the checksums with them. */
export const changeLines = (
  bundle: string,
  type: RecordType,
  change: (lines: readonly string[]) => readonly string[],
): void => {
  const path = recordsPath(bundle, type);
  const lines = change(readFileSync(path, 'utf8').split('\n').slice(0, -1));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  sumAgain(bundle);
};

/** Changes `bundle.json`, and the checksums with it. */
export const changeManifest = (bundle: string, change: (manifest: Record<string, unknown>) => object): void => {
  const path = join(bundle, 'bundle.json');
  writeFileSync(path, `${JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`);
  sumAgain(bundle);
};
