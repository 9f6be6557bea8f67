import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

const aState = (bundle: string): string =>
  join(bundle, 'states/sha256', readdirSync(join(bundle, 'states/sha256'))[0] ?? '');

/** Damages of a bundle of the filled organization: a title, the change, and the message by which it is refused. */
export const forgeries: readonly (readonly [string, (bundle: string) => void, RegExp])[] = [
  [
    'a flipped bit in a state',
    (bundle) => {
      const content = readFileSync(aState(bundle));
      content.writeUInt8((content[40] ?? 0) ^ 1, 40);
      writeFileSync(aState(bundle), content);
    },
    /states\/sha256\/\S+ has other content/,
  ],
  [
    'a flipped bit in bundle.json',
    (bundle) => {
      const path = join(bundle, 'bundle.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace('"ada"', '"adb"'));
    },
    /bundle\.json has other content/,
  ],
  ['a missing state', (bundle) => rmSync(aState(bundle)), /states\/sha256\/\S+ is missing/],
  [
    'a missing state with new checksums',
    (bundle) => {
      rmSync(aState(bundle));
      sumAgain(bundle);
    },
    /which is missing/,
  ],
  [
    'a state that no version names',
    (bundle) => {
      const content = 'unused';
      writeFileSync(join(bundle, 'states/sha256', createHash('sha256').update(content).digest('hex')), content);
      sumAgain(bundle);
    },
    /There are 4 states/,
  ],
  [
    'a state under another name',
    (bundle) => {
      writeFileSync(join(bundle, 'states/sha256', 'a'.repeat(64)), 'other');
      sumAgain(bundle);
    },
    /does not have the name of its checksum/,
  ],
  [
    'a duplicate line',
    (bundle) => changeLines(bundle, 'projects', ([first = '', ...rest]) => [first, first, ...rest]),
    /projects\.jsonl:2 repeats Default Project/,
  ],
  [
    'unsorted lines',
    (bundle) => changeLines(bundle, 'projects', (lines) => [...lines].reverse()),
    /projects\.jsonl:2 is not sorted/,
  ],
  [
    'a missing line',
    (bundle) => changeLines(bundle, 'variables', ([first = '']) => [first]),
    /variables\.jsonl has 1 lines, and bundle\.json says 2/,
  ],
  [
    'members that are not sorted',
    (bundle) =>
      changeLines(bundle, 'ssh-keys', ([line = '']) => [
        JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse())),
      ]),
    /not written as the format requires/,
  ],
  [
    'a line without its name',
    (bundle) => changeLines(bundle, 'ssh-keys', () => ['{"needs":"private-key"}']),
    /ssh-keys\.jsonl:1: the line violates the schema/,
  ],
  [
    'a line that is no JSON',
    (bundle) => changeLines(bundle, 'ssh-keys', () => ['{"name"']),
    /ssh-keys\.jsonl:1 is no JSON/,
  ],
  [
    'a last line without an end',
    (bundle) => {
      appendFileSync(recordsPath(bundle, 'ssh-keys'), '{}');
      sumAgain(bundle);
    },
    /The last line has no end/,
  ],
  [
    'a name that does not exist',
    (bundle) =>
      changeLines(bundle, 'workspaces', (lines) =>
        lines.map((line) => line.replace('"project":"Platform"', '"project":"Gone"')),
      ),
    /workspaces\.jsonl:2 names "Gone", which is not in projects\.jsonl/,
  ],
  [
    'a name in a list that does not exist',
    (bundle) =>
      changeLines(bundle, 'memberships', (lines) => lines.map((line) => line.replace('["readers"]', '["gone"]'))),
    /memberships\.jsonl:2 names "gone", which is not in teams\.jsonl/,
  ],
  [
    'another size of a state',
    (bundle) =>
      changeLines(bundle, 'state-versions', (lines) => lines.map((line) => line.replace('"size":749', '"size":750'))),
    /says 750 bytes, and the state has 749/,
  ],
  [
    'a path with ..',
    (bundle) => appendFileSync(join(bundle, 'SHA256SUMS'), `${'0'.repeat(64)}  states/../../passwd\n`),
    /names "states\/\.\.\/\.\.\/passwd", which no bundle contains/,
  ],
  [
    'an absolute path',
    (bundle) => appendFileSync(join(bundle, 'SHA256SUMS'), `${'0'.repeat(64)}  /etc/passwd\n`),
    /which no bundle contains/,
  ],
  [
    'a checksum twice',
    (bundle) => {
      const path = join(bundle, 'SHA256SUMS');
      const [first] = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, `${first}\n${readFileSync(path, 'utf8')}`);
    },
    /not sorted, or names bundle\.json twice/,
  ],
  [
    'a line that is no checksum',
    (bundle) => appendFileSync(join(bundle, 'SHA256SUMS'), 'hello\n'),
    /no checksum: "hello"/,
  ],
  [
    'a symbolic link',
    (bundle) => {
      const path = aState(bundle);
      copyFileSync(path, `${bundle}-target`);
      rmSync(path);
      symlinkSync(`${bundle}-target`, path);
    },
    /is a symbolic link/,
  ],
  [
    'a symbolic link to a folder',
    (bundle) => {
      cpSync(join(bundle, 'states'), `${bundle}-states`, { recursive: true });
      rmSync(join(bundle, 'states'), { recursive: true });
      symlinkSync(`${bundle}-states`, join(bundle, 'states'));
    },
    /states is a symbolic link/,
  ],
  [
    'a file without a checksum',
    (bundle) => writeFileSync(join(bundle, 'states/notes.txt'), 'hello'),
    /states\/notes\.txt is not in SHA256SUMS/,
  ],
  [
    'a later major version',
    (bundle) => changeManifest(bundle, (manifest) => ({ ...manifest, version: '2.0' })),
    /has version 2\.0 of the format/,
  ],
  [
    'another format',
    (bundle) => changeManifest(bundle, (manifest) => ({ ...manifest, format: 'other' })),
    /not that of a bundle/,
  ],
  [
    'a missing file of a type',
    (bundle) => {
      rmSync(recordsPath(bundle, 'teams'));
      sumAgain(bundle);
    },
    /teams\.jsonl is missing/,
  ],
  ['a folder without checksums', (bundle) => rmSync(join(bundle, 'SHA256SUMS')), /has no SHA256SUMS/],
  [
    'a name of a state that leads out of the bundle',
    (bundle) =>
      changeLines(bundle, 'state-versions', (lines) =>
        lines.map((line) => line.replace(/"sha256":"[0-9a-f]+"/, '"sha256":"../../bundle.json"')),
      ),
    /state-versions\.jsonl:1: \/sha256 violates the schema/,
  ],
  [
    'a line that never ends',
    (bundle) => {
      writeFileSync(recordsPath(bundle, 'ssh-keys'), Buffer.alloc(65 * 2 ** 20, 'x'));
      sumAgain(bundle);
    },
    /longer than 64 MiB/,
  ],
];
