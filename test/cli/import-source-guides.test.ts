import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliBed, type CliOptions, startCliBed } from '../support/cli/cli-bed.ts';
import { waitForReleases } from '../support/cli/wait.ts';
import { codeBlocks } from '../support/docs/pages.ts';
import { hcpState } from '../support/import/hcp-description.ts';
import { startHcpServer } from '../support/import/hcp-server.ts';
import { stateOf } from '../support/import/inventory.ts';
import { startS3Bed } from '../support/import/s3-bed.ts';

/** Returns the commands of a page that start an import, as words. */
const initCommands = (page: string): readonly (readonly string[])[] =>
  codeBlocks(page, 'sh').flatMap((block) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replaceAll("'", '').split(' ').slice(1)),
  );

/**
 * Runs a command that starts an import into an empty organization, and all phases after it.
 * @param prepare fills the working directory, and returns the context of the commands.
 * @returns the names of the workspaces that the target has then.
 */
const move = async (
  words: readonly string[],
  prepare: (bed: CliBed) => CliOptions | Promise<CliOptions>,
): Promise<readonly string[]> => {
  const bed = await startCliBed();
  try {
    const options = await prepare(bed);
    const folder = words.at(-1) ?? '';
    const phases = [['plan'], ['run'], ['verify', '--deep'], ['cutover', '--wave', 'all', '--name', '*']];
    for (const argv of [words, ...phases.map(([phase = '', ...flags]) => ['import', phase, folder, ...flags])]) {
      const { code, stderr } = await bed.run(argv, { wait: waitForReleases, ...options });
      expect({ argv, code }, stderr).toEqual({ argv, code: 0 });
    }
    return (await bed.json(['ws', 'list'])).map(({ name }: { name: string }) => name);
  } finally {
    await bed.stop();
  }
};

test('the commands of the guide on S3 move the states below a prefix, and all states of a bucket with a table of locks', async () => {
  const s3 = await startS3Bed();
  await s3.put('network/terraform.tfstate', stateOf(1));
  await s3.put('network/terraform.tfstate', stateOf(2));
  await s3.put('web.tfstate', stateOf(7, 'w'));
  const moved: (readonly string[])[] = [];
  for (const words of initCommands('docs/operate/import-from-s3.md')) {
    const present = words.map((word) => word.replace('terraform-locks', s3.table));
    moved.push(
      await move(present, (bed) => ({
        env: s3.environment,
        fetch: (input, init) => s3.send(input, init, bed.fetch),
      })),
    );
    // The cutover has locked the states.
    for (const key of await s3.keys()) if (key.endsWith('.tflock')) await s3.remove(key);
  }
  expect(moved).toEqual([['network'], ['network', 'web']]);
  await s3.stop();
});

test('the commands of the guide on other backends move a folder of states, and a folder that terraform has initialized', async () => {
  const moved: (readonly string[])[] = [];
  for (const words of initCommands('docs/operate/import-from-other-backends.md')) {
    moved.push(
      await move(words, ({ home }) => {
        const write = (path: string, content: string, mode = 0o600): void => {
          mkdirSync(dirname(join(home, path)), { recursive: true });
          writeFileSync(join(home, path), content, { mode });
        };
        write('states/network/terraform.tfstate', stateOf(3));
        write('states/eu/dns.tfstate', stateOf(1, 'd'));
        write('infrastructure/network/main.tf', '');
        const answers = `"workspace list") echo "* default" ;;\n  "state pull") echo '${stateOf(5)}' ;;`;
        write('bin/terraform', `#!/bin/sh\ncase "$*" in\n  ${answers}\n  *) exit 64 ;;\nesac\n`, 0o700);
        return { env: { PATH: `${join(home, 'bin')}${delimiter}/usr/bin${delimiter}/bin` } };
      }),
    );
  }
  expect(moved).toEqual([['eu-dns', 'network'], ['network']]);
});

test('the commands of the guide on servers move an organization', async () => {
  const commands = initCommands('docs/operate/import-from-tfe.md');
  expect(commands.length).toBeGreaterThan(0);
  for (const words of commands) {
    const hcp = await startHcpServer({ workspaces: [{ name: 'network', versions: [{ content: hcpState(1, 'a') }] }] });
    const present = words.map((word) => word.replace(/^tfe:.*/, hcp.address));
    expect(await move(present, () => ({ env: { HOLDFAST_SOURCE_TOKEN: hcp.token } }))).toEqual(['network']);
    expect(hcp.violations).toEqual([]);
    await hcp.stop();
  }
});
