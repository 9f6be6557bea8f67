import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileCache } from '../../support/setup/compile-cache.ts';

const run = (program: string, word: string) => {
  const path = fileURLToPath(new URL(`../../../infra/${program}`, import.meta.url));
  const env = { PATH: '/usr/bin:/bin', HOLDFAST_DATA: '/nonexistent', ...compileCache() };
  return spawnSync(process.execPath, [path, word], { encoding: 'utf8', env });
};

describe('the programs of npm run', () => {
  it.each(['local/start.ts', 'local/admin.ts', 'local/follow-events.ts', 'smoke.ts', 'deploy/deploy.ts'])(
    'print their usage for the option --help without starting anything: %s',
    (program) => {
      expect(run(program, '--help')).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^Usage: /),
        stderr: '',
      });
    },
  );

  it.each(['local/start.ts', 'local/follow-events.ts', 'smoke.ts'])(
    'end with an error and their usage for an unknown option: %s',
    (program) => {
      const stderr = expect.stringMatching(/^Unknown option '--nope'.*\nUsage: /);
      expect(run(program, '--nope')).toMatchObject({ status: 1, stdout: '', stderr });
    },
  );
});
