import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { findCommand } from '../support/clients/programs.ts';

const terraform = findCommand('terraform');

let bed: CliBed;
let user: ContextBed;
let server: Server;
beforeAll(async () => {
  bed = await startCliBed();
  user = createContextBed();
  server = createServer(async ({ method = '', url = '', headers }, response) => {
    const { authorization = '' } = headers;
    const reply = await bed.fetch(`https://holdfast.test${url}`, { method, headers: { authorization } });
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  user.remove();
  await bed.stop();
});

test.skipIf(terraform === undefined)('terraform uses the login of holdfast, and holdfast sees its logout', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2/`;
  user.writeHome('.terraformrc', `host "tfe.test" {\n  services = {\n    "tfe.v2" = "${url}"\n  }\n}\n`);
  user.writeFolder(
    'main.tf',
    'terraform {\n  cloud {\n    hostname     = "tfe.test"\n    organization = "acme"\n    workspaces { name = "network" }\n  }\n}\n',
  );
  await bed.create({ name: 'network' });
  const env = { HOME: user.home, HOLDFAST_URL: undefined, HOLDFAST_ORG: undefined, HOLDFAST_TOKEN: undefined };
  const options = { env, cwd: user.folder };
  const run = (...args: readonly string[]) =>
    promisify(execFile)(terraform ?? '', args, {
      cwd: user.folder,
      env: { HOME: user.home, PATH: process.env['PATH'], CHECKPOINT_DISABLE: '1' },
    });

  await expect(run('init', '-input=false')).rejects.toThrow();
  const login = await bed.run(['login', '--token-stdin'], { ...options, stdin: bed.owner });
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed in to tfe.test as ada.') });
  expect((await run('init', '-input=false')).stdout).toContain('has been successfully initialized');
  expect(await bed.run(['ws', 'show', '.', '--json=name'], options)).toMatchObject({ code: 0 });

  await run('logout', 'tfe.test');
  expect(await bed.run(['ws', 'show', '.'], options)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('There is no token for tfe.test, which main.tf names.'),
  });
});
