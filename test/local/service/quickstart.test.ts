import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { quickstartBlocks } from '../../support/docs/pages.ts';
import { DEADLINE } from '../../support/setup/deadline.ts';

/** Runs the marked commands of the documentation as a newcomer would, in a temporary folder. */
const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-quickstart-'));
  for (const name of ['package.json', 'infra', 'shared', 'node_modules'])
    await symlink(join(root, name), join(folder, name));
  service = await startService({ dataFolder: join(folder, '.holdfast'), port: 0, signIn: true });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const quickstart = quickstartBlocks();

/** Prints a separator after each command with documented output, so that the output can be split. */
const script = quickstart
  .join('\n')
  .split('\n')
  .map((line) => (line.startsWith('#=> ') ? 'echo "=== end"' : line))
  .join('\n');
/** The first command line is started by npx. For the others, npx would take longer than the command line itself. */
const direct = 'npx holdfast --version > /dev/null\nnpx() { local name=$1; shift; "node_modules/.bin/$name" "$@"; }\n';
const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
const expected = [...quickstart.join('\n').matchAll(/^#=> (.*)$/gm)].map(([, text]) => text);

describe('quickstart of the documentation', () => {
  it('prints the documented output for every command', async () => {
    expect(expected.length).toBeGreaterThan(10);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', direct + script], {
      cwd: folder,
      env: { ...process.env, PATH },
      timeout: DEADLINE,
    });
    const printed = stdout
      .split('=== end\n')
      .slice(0, -1)
      .map((text) => text.trim());
    expect(printed).toEqual(expected);
  });

  it('leaves a service on which the smoke test passes, and fails with a wrong token', async () => {
    const smoke = (token: string) =>
      new Promise<{ code: number | null; output: string }>((resolve) => {
        const child = spawn(process.execPath, [join(root, 'infra/smoke.ts'), service.baseUrl, 'demo'], {
          env: { ...process.env, HOLDFAST_TOKEN: token },
        });
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        child.on('close', (code) => resolve({ code, output }));
      });
    const passed = await smoke(service.token ?? '');
    expect(passed.output).not.toContain('FAIL');
    expect(passed.code).toBe(0);
    expect((await smoke('hfu_wrong')).code).toBe(1);
  });
});
