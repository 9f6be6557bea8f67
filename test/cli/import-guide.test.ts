import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { fillOrganization } from '../support/cli/filled-organization.ts';
import { waitForReleases } from '../support/cli/wait.ts';
import { codeBlocks } from '../support/docs/pages.ts';

let source: CliBed;
let target: CliBed;
beforeAll(async () => {
  source = await startCliBed();
  target = await startCliBed();
  await fillOrganization(source);
  await source.json(['export', 'acme', '--out', 'acme']);
  cpSync(join(source.home, 'acme'), join(target.home, 'acme'), { recursive: true });
});
afterAll(async () => {
  await source.stop();
  await target.stop();
});

const [phases = ''] = codeBlocks('docs/operate/import.md', 'sh');

const secrets = {
  'variables/network/env/DB_PASSWORD': { value: 'new-password' },
  'variable-set-variables/credentials/env/API_KEY': { value: 'new-api-key' },
  'ssh-keys/deploy': { value: 'NEW-PRIVATE-KEY' },
  'vcs-connections/hub': { value: 'NEW-TOKEN' },
};

test('the commands of the guide on imports move a bundle into another service', async () => {
  const lines = phases.trim().split('\n');
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const { code, stderr } = await target.run(line.split(' ').slice(1), { wait: waitForReleases });
    expect({ line, code }, stderr).toEqual({ line, code: 0 });
    if (line.includes(' plan ')) writeFileSync(join(target.home, 'move/secrets.json'), JSON.stringify(secrets));
  }
  const stateOf = async (bed: CliBed) => (await bed.run(['state', 'pull', 'network'])).stdout;
  expect(await stateOf(target)).toBe(await stateOf(source));
});
