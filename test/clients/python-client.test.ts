import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonClient, usesAllClients } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';

describe.runIf(usesAllClients && existsSync(pythonClient.mark))(`the Python client ${pythonClient.version}`, () => {
  const folder = removedAfterwards();
  let secure: SecureService;
  beforeAll(async () => {
    secure = await startSecureService(folder);
  });
  afterAll(() => secure?.stop());

  it('gets the expected result from each of its calls', async () => {
    const { stdout } = await promisify(execFile)(
      pythonClient.path,
      [join(import.meta.dirname, 'python-client/main.py')],
      { env: { ...secure.environment, ORIGIN: `https://${secure.host}`, TOKEN: secure.service.token } },
    );
    // The program prints a line for each call that failed, and one at the end.
    expect(stdout.trim().split('\n')).toEqual(['{"done": true}']);
  });
});
