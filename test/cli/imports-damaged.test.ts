import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { RecordType } from '../../shared/bundle/types.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { fillOrganization } from '../support/cli/filled-organization.ts';
import { changeLines, changeManifest, forgeries, recordsPath } from '../support/cli/forged-bundle.ts';
import { createImportTarget, type ImportTarget } from '../support/import/import-bed.ts';

let bed: CliBed;
let target: ImportTarget;
beforeAll(async () => {
  bed = await startCliBed();
  await fillOrganization(bed);
  await bed.json(['export', 'acme', '--out', 'whole']);
  target = await createImportTarget(bed);
});
afterAll(async () => {
  await bed.stop();
});

/** Copies the bundle under a new name, and changes the copy. @returns its path. */
const forge = (title: string, change: (bundle: string) => void): string => {
  const path = join(bed.home, title.replaceAll(/[^a-z]+/g, '-'));
  cpSync(join(bed.home, 'whole'), path, { recursive: true });
  change(path);
  return path;
};

describe('an import of a damaged bundle refuses', () => {
  test.each(forgeries)('%s', async (title, change, message) => {
    const path = forge(title, change);
    const { code, stdout, stderr } = await target.phase('init', [`bundle:${path}`, 'damaged', '--partial']);
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' });
    expect(JSON.parse(stderr).detail).toMatch(message);
    expect(target.writes).toEqual([]);
    // Nothing can be planned or run with what was read of it.
    expect(existsSync(join(bed.home, 'damaged/import.json'))).toBe(false);
    expect(existsSync(join(bed.home, 'damaged/inventory'))).toBe(false);
  });
});

describe('an import of a partial bundle', () => {
  it('is refused without --partial if a part could not be read, and names this part afterwards', async () => {
    const withheld = {
      detail: 'The caller may not read variables of web.',
      name: 'web',
      reason: 'not-permitted',
      type: 'variables',
    };
    const path = forge('unreadable', (bundle) => {
      changeManifest(bundle, (manifest) => ({
        ...manifest,
        counts: { ...(manifest['counts'] as object), withheld: 1 },
      }));
      changeLines(bundle, 'withheld', () => [JSON.stringify(withheld)]);
    });
    const refused = await target.phase('init', [`bundle:${path}`, 'partial']);
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('1 withheld') });
    expect(target.writes).toEqual([]);
    const other = await createImportTarget(bed);
    await other.plan(`bundle:${path}`, ['--partial']);
    const { problems } = JSON.parse(readFileSync(other.path('plan.json'), 'utf8'));
    expect(problems).toContainEqual(
      expect.objectContaining({ type: 'variables', result: 'not-carried', reason: 'not-permitted', accept: false }),
    );
    expect((await other.phase('run')).code).toBe(7);
    expect(other.writes).toEqual([]);
  });
});

const secrets = {
  'variables/network/env/DB_PASSWORD': { value: 'new-password' },
  'variable-set-variables/credentials/env/API_KEY': { value: 'new-api-key' },
  'ssh-keys/deploy': { value: 'NEW-PRIVATE-KEY' },
  'vcs-connections/hub': { value: 'NEW-TOKEN' },
};

describe('an import of a bundle that is damaged after it was read', () => {
  test.each<readonly [string, (state: string) => void]>([
    ['is missing', (state) => rmSync(state)],
    ['has another byte', (state) => writeFileSync(state, readFileSync(state, 'utf8').replace('4', '5'))],
    [
      'is a link to another file',
      (state) => {
        rmSync(state);
        symlinkSync('/etc/passwd', state);
      },
    ],
    [
      'is a link to a file without an end',
      (state) => {
        rmSync(state);
        symlinkSync('/dev/zero', state);
      },
    ],
  ])(
    'names the state version whose state %s, carries the others, and completes with the next run',
    async (title, damage) => {
      const path = forge(`later ${title}`, () => undefined);
      const other = await createImportTarget(bed);
      await other.plan(`bundle:${path}`);
      other.enterSecrets(secrets);
      other.accept();
      const versions = readFileSync(recordsPath(path, 'state-versions'), 'utf8').trim().split('\n');
      const place = versions.findIndex((line) => line.includes('"serial":3'));
      // Nothing is carried behind a gap.
      const missing = versions.slice(place).map((line) => `network/${JSON.parse(line).origin.id}`);
      const { sha256 } = JSON.parse(versions[place] ?? '');
      const state = join(path, 'states/sha256', sha256);
      const content = readFileSync(state);
      damage(state);
      const run = await other.phase('run');
      expect(run.code, run.stderr).toBe(7);
      const open = other.lines('proof.jsonl').filter(({ result }) => result !== 'same');
      expect(open.map(({ name }) => name).toSorted()).toEqual(missing.toSorted());
      expect(run.stderr).toContain(missing[0]);
      rmSync(state, { force: true });
      writeFileSync(state, content);
      expect((await other.phase('run')).code).toBe(0);
      expect(readdirSync(join(path, 'states/sha256'))).toContain(sha256);
    },
  );
});

describe('an import whose source has deleted a workspace and a record of the organization', () => {
  it('lists both as conflicts, and leaves them as they are once that is accepted', async () => {
    const path = forge('shrinking', () => undefined);
    const other = await createImportTarget(bed);
    await other.plan(`bundle:${path}`);
    other.enterSecrets(secrets);
    other.accept();
    await other.json('run');
    const remove = (type: RecordType, removes: (line: string) => boolean): void => {
      let left = 0;
      changeLines(path, type, (lines) => {
        const kept = lines.filter((line) => !removes(line));
        left = kept.length;
        return kept;
      });
      changeManifest(path, (manifest) => ({
        ...manifest,
        counts: { ...(manifest['counts'] as object), [type]: left },
      }));
    };
    remove('reserved-tag-keys', () => true);
    remove('workspaces', (line) => line.includes('"name":"web"'));
    remove('remote-state-consumers', (line) => line.includes('"web"'));
    await other.plan(`bundle:${path}`);
    const { problems } = JSON.parse(readFileSync(other.path('plan.json'), 'utf8'));
    expect(problems.map(({ type, name, reason }: Record<string, string>) => [type, name, reason])).toEqual([
      ['remote-state-consumers', 'network/web', 'deleted-at-source'],
      ['reserved-tag-keys', 'environment', 'deleted-at-source'],
      ['workspaces', 'web', 'deleted-at-source'],
    ]);
    other.accept();
    other.writes.length = 0;
    expect(await other.json('run')).toMatchObject({ 'deleted-at-source': 3, open: 0, accepted: 3 });
    expect(other.writes).toEqual([]);
  });
});
