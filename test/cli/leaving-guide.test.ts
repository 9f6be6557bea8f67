import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { fillOrganization } from '../support/cli/filled-organization.ts';
import { readPage } from '../support/docs/pages.ts';

let bed: CliBed;
let folder: string;
beforeAll(async () => {
  bed = await startCliBed();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-leave-'));
  await fillOrganization(bed);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const commands = [...readPage('docs/operate/leave.md').matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

test('the commands of the guide on leaving work in their order', async () => {
  for (const line of commands) {
    if (line.startsWith('holdfast ')) {
      const argv = line
        .split(' ')
        .slice(1)
        .map((word) => word.replaceAll("'", ''));
      const { code, stderr } = await bed.run(argv, { cwd: folder });
      expect({ line, code }, stderr).toEqual({ line, code: 0 });
    } else execFileSync('sh', ['-ec', line], { cwd: folder });
  }
  const { stdout } = await bed.run(['state', 'pull', 'network']);
  expect(readFileSync(join(folder, 'network.tfstate'), 'utf8')).toBe(stdout);
  expect(existsSync(join(folder, 'elsewhere/acme/bundle.json'))).toBe(true);
});
