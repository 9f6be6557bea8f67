import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keyArnFromName } from '../support/api/key-service.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { buildProgram } from '../support/cli/real-process.ts';

const SECRET = 'correct-horse-battery-staple';

let bed: CliBed;
let folder: string;
let origin: string;
/** Path of the built command line. */
let holdfast: string;
const stops: (() => Promise<unknown>)[] = [];

/** Serves requests on a local port. @returns the origin. */
const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  bed = await startCliBed({ organizationMilliseconds: 0 });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-exec-'));
  holdfast = await buildProgram();
  origin = await serve(async ({ method = 'GET', url, headers, ...request }, response) => {
    const body = method === 'GET' ? undefined : await text(request as never);
    const reply = await bed.fetch(`https://holdfast.test${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body && { body }),
    });
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
});
afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const createWorkspace = async (): Promise<string> => (await bed.createWorkspace()).name;
const set = (workspace: string, key: string, value: string, ...flags: readonly string[]) =>
  bed.json(['var', 'set', workspace, key, ...flags], { stdin: value });
/** Returns the arguments that run JavaScript. */
const node = (code: string): readonly string[] => ['--', process.execPath, '-e', code];
const isLocked = async (workspace: string): Promise<boolean> => (await bed.json(['ws', 'show', workspace])).locked;

let files = 0;
const newPath = (): string => join(folder, `file-${++files}`);

describe('the exit code of exec', () => {
  test.each([
    ['process.exit(0)', 0],
    ['process.exit(2)', 2],
    ['process.exit(42)', 42],
    ['process.kill(process.pid, "SIGTERM"); setTimeout(() => 0, 9e4)', 143],
    ['process.kill(process.pid, "SIGKILL"); setTimeout(() => 0, 9e4)', 137],
  ])('is that of the program or 128 plus its signal: %s', async (code, expected) => {
    const result = await bed.run(['exec', await createWorkspace(), ...node(code)]);
    expect(result).toMatchObject({ code: expected, stdout: '', stderr: '' });
  });

  test('is 127 for a program that is not found and 126 for one that cannot be executed', async () => {
    const workspace = await createWorkspace();
    const file = newPath();
    writeFileSync(file, 'no program', { mode: 0o600 });
    expect((await bed.run(['exec', workspace, '--', 'no-such-program'])).code).toBe(127);
    expect((await bed.run(['exec', workspace, '--', file])).code).toBe(126);
  });

  test('is 125 for every error before the program starts, because the program could have any other one', async () => {
    const workspace = await createWorkspace();
    const marker = newPath();
    const program = ['touch', marker];
    const calls = [
      ['exec', 'no-such-workspace', '--', ...program],
      ['exec', workspace, '--no-such-flag', '--', ...program],
      ['exec', workspace, ...program],
      ['exec', workspace, 'sh', '--', ...program],
      ['exec', workspace, '--'],
      ['exec', workspace, 'sh', '-c', `touch ${marker}`],
      ['exec', workspace, '--lease', '60s', '--', ...program],
    ];
    for (const call of calls) {
      const { code, stderr } = await bed.run([call[0] ?? '', '--json', ...call.slice(1)]);
      const { code: reported, hint } = JSON.parse(stderr);
      expect({ call, code, reported }).toEqual({ call, code: 125, reported: 'notStarted' });
      if (!call.includes('--')) expect(hint).toBe('Write -- before the program.');
    }
    expect(existsSync(marker)).toBe(false);
  });
});

test('passes variables of the environment by their names and others with TF_VAR_, in place of those of the caller', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'REGION', 'eu-west-1', '--category', 'env');
  await set(workspace, 'TF_VAR_size', 'of the environment', '--category', 'env');
  await set(workspace, 'size', '3');
  await set(workspace, 'zones', '["a", "b"]', '--hcl', 'true');
  const file = newPath();
  const script = `require("fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
  const env = { REGION: 'of the caller', OTHER: 'kept' };
  expect(await bed.run(['exec', workspace, ...node(script)], { env })).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    REGION: 'eu-west-1',
    OTHER: 'kept',
    TF_VAR_size: '3',
    TF_VAR_zones: '["a", "b"]',
    HOLDFAST_TOKEN: bed.owner,
  });
});

test('does not start a program with a variable that no environment can have', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'A=B', 'x', '--category', 'env');
  const { code, stderr } = await bed.run(['exec', workspace, ...node('')]);
  expect({ code, stderr }).toMatchObject({ code: 125, stderr: expect.stringContaining('A=B') });
});

test('leaves secrets out with --without-secrets and names them', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'PASSWORD', SECRET, '--category', 'env', '--sensitive');
  const { code, stderr } = await bed.run([
    'exec',
    workspace,
    '--without-secrets',
    ...node('process.exit("PASSWORD" in process.env ? 1 : 0)'),
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Left out: PASSWORD.\n' });
});

describe('a lock of exec', () => {
  /** Waits until the lock is released. */
  const wait = (_: number, signal: AbortSignal): Promise<void> =>
    setTimeout(60_000, undefined, { signal }) as Promise<void>;

  test('is held while the program runs, and released when it fails', async () => {
    const workspace = await createWorkspace();
    const file = newPath();
    const started = newPath();
    const script = `const fs = require("fs"); fs.writeFileSync(${JSON.stringify(started)}, "");
      setInterval(() => fs.existsSync(${JSON.stringify(file)}) && process.exit(42), 20)`;
    const running = bed.run(['exec', workspace, '--lock', '--lease', '60s', ...node(script)], { wait });
    await expect.poll(() => existsSync(started)).toBe(true);
    const row = await bed.json(['ws', 'show', workspace]);
    expect(row).toMatchObject({ locked: true, 'locked-reason': `holdfast exec ${process.execPath}` });
    writeFileSync(file, '');
    expect(await running).toMatchObject({ code: 42, stderr: '' });
    expect(await isLocked(workspace)).toBe(false);
  });

  test('is released if the program is not found', async () => {
    const workspace = await createWorkspace();
    expect((await bed.run(['exec', workspace, '--lock', '--', 'no-such-program'], { wait })).code).toBe(127);
    expect(await isLocked(workspace)).toBe(false);
  });

  test('of somebody else prevents the start', async () => {
    const workspace = await createWorkspace();
    await bed.run(['lock', workspace]);
    const { code, stderr } = await bed.run(['exec', workspace, '--lock', ...node('')], { wait });
    expect({ code, stderr }).toMatchObject({ code: 125, stderr: expect.stringContaining('already locked') });
    expect(await isLocked(workspace)).toBe(true);
  });

  test('that is released by force ends the program by SIGTERM, and exec with 5', async () => {
    const workspace = await createWorkspace();
    const [started, ended] = [newPath(), newPath()];
    const script = `const fs = require("fs"); process.on("SIGTERM", () => {
      fs.writeFileSync(${JSON.stringify(ended)}, ""); process.exit(0) }); setInterval(() => 0, 1e3);
      fs.writeFileSync(${JSON.stringify(started)}, "")`;
    let renewals = 0;
    const { code, stderr } = await bed.run(['exec', workspace, '--lock', ...node(script)], {
      wait: async (milliseconds) => {
        expect(milliseconds).toBe(100_000);
        // The first renewal succeeds.
        if (++renewals === 1) return;
        await expect.poll(() => existsSync(started)).toBe(true);
        await bed.run(['unlock', workspace, '--force', '--reason', 'test']);
      },
    });
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('is lost') });
    expect({ renewals, ended: existsSync(ended) }).toEqual({ renewals: 2, ended: true });
  });

  test('that is released by force shortly before the end is reported by exit code 5', async () => {
    const workspace = await createWorkspace();
    const { code } = await bed.run(['exec', workspace, '--lock', ...node('')], {
      wait,
      fetch: async (...request) => {
        if (String(request[0]).endsWith('/unlock')) await bed.run(['unlock', workspace, '--force', '--reason', 'test']);
        return bed.fetch(...request);
      },
    });
    expect(code).toBe(5);
  });

  test('whose renewals fail ends the program only if none can succeed before the lease ends', async () => {
    const workspace = await createWorkspace();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      const { code, stderr } = await bed.run(['exec', workspace, '--lock', ...node('setInterval(() => 0, 1e3)')], {
        wait: async (milliseconds) => {
          // Other waits are those between the attempts of one renewal.
          if (milliseconds === 100_000) vi.setSystemTime(Date.now() + milliseconds);
        },
        fetch: (...request) =>
          String(request[0]).endsWith('/renew-lock')
            ? Promise.reject(new TypeError('fetch failed'))
            : bed.fetch(...request),
      });
      expect(code).toBe(5);
      expect(stderr.match(/could not be renewed|is lost/g)).toEqual(['could not be renewed', 'is lost']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is released if a signal arrives before the program has started', async () => {
    const workspace = await createWorkspace();
    let signal: ((name: NodeJS.Signals) => void) | undefined;
    const marker = newPath();
    const { code } = await bed.run(['exec', workspace, '--lock', '--', 'touch', marker], {
      wait,
      onSignals: (listener) => {
        signal = listener;
      },
      fetch: async (...request) => {
        const response = await bed.fetch(...request);
        if (String(request[0]).endsWith('/actions/lock')) signal?.('SIGTERM');
        return response;
      },
    });
    expect({ code, started: existsSync(marker), locked: await isLocked(workspace) }).toEqual({
      code: 130,
      started: false,
      locked: false,
    });
  });
});

/** Starts the command line in a process of its own, without a terminal. */
const start = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = folder) => {
  const child = spawn(process.execPath, [holdfast, ...argv], {
    cwd,
    // In a session of its own, it has no terminal, also if the tests have one.
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      HOLDFAST_URL: origin,
      HOLDFAST_TOKEN: bed.owner,
      HOLDFAST_ORG: 'acme',
      ...env,
    },
  });
  const result = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number, stdout, stderr }),
  );
  return { child, result };
};

describe('a process of exec', () => {
  test('passes standard input, output and signals on', async () => {
    const workspace = await createWorkspace();
    const script = `let signals = ""; for (const name of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(name, () => {
      signals += name + "."; console.log(signals); if (name === "SIGTERM") process.exit(7) });
      process.stdin.once("data", (data) => console.log("read " + data.length))`;
    const { child, result } = start(['exec', workspace, ...node(script)]);
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data;
    });
    child.stdin.write('x'.repeat(1_000));
    for (const [signal, expected] of [
      ['SIGINT', 'read 1000\n'],
      ['SIGHUP', 'SIGINT.\n'],
      ['SIGTERM', 'SIGINT.SIGHUP.\n'],
    ] as const) {
      await expect.poll(() => output).toContain(expected);
      child.kill(signal);
    }
    expect(await result).toMatchObject({ code: 7, stderr: '' });
    expect(output).toContain('SIGINT.SIGHUP.SIGTERM.\n');
  });

  test.skipIf(spawnSync('python3', ['-c', 'import pty']).status !== 0)(
    'in a terminal leaves it to the terminal to send Ctrl-C to the program, which gets it once',
    async () => {
      const workspace = await createWorkspace();
      const script = `let count = 0; process.on("SIGINT", () => {
        if (++count === 1) setTimeout(() => process.exit(40 + count), 1000) }); setInterval(() => 0, 1000); console.log("ready")`;
      const python = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
output = b''
while b'ready' not in output: output += os.read(terminal, 1000)
os.write(terminal, b'\\x03')
while True:
    try: output += os.read(terminal, 1000)
    except OSError: break
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
      const child = spawn('python3', ['-c', python, process.execPath, holdfast, 'exec', workspace, ...node(script)], {
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          HOLDFAST_URL: origin,
          HOLDFAST_TOKEN: bed.owner,
          HOLDFAST_ORG: 'acme',
        },
      });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect({ code: stdout.trim(), stderr }).toEqual({ code: '41', stderr: '' });
    },
  );
});

describe('secrets', () => {
  const REFERENCE = 'value-in-ssm';
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_EC2_METADATA_DISABLED: 'true' };
  let workspace: string;
  let services: NodeJS.ProcessEnv;
  let deployment: NodeJS.ProcessEnv;
  /** Prints hashes of two secrets, and the arguments of all processes. */
  const script = `const { createHash } = require("crypto");
    const hash = (name) => createHash("sha256").update(process.env[name] ?? "").digest("hex");
    console.log(hash("PASSWORD"), hash("TF_VAR_token"), process.env.LEVEL);
    console.log(require("child_process").execSync("ps -eo args").toString())`;
  const expected = async (): Promise<string> => {
    const { createHash } = await import('node:crypto');
    const hash = (value: string): string => createHash('sha256').update(value).digest('hex');
    return `${hash(SECRET)} ${hash(REFERENCE)} plain\n`;
  };

  beforeAll(async () => {
    const { tableName, endpoint } = bed.api.engine;
    const { keyService } = bed.api;
    const parameters: Readonly<Record<string, string>> = {
      '/acme/token': REFERENCE,
      '/holdfast/second/table-name': tableName,
      '/holdfast/second/secrets-key-arn': keyService.keyArn,
    };
    const ssm = await serve(async (request, response) => {
      const { Name } = JSON.parse(await text(request));
      const Value = parameters[Name];
      if (Value === undefined) response.writeHead(400).end('{"__type":"ParameterNotFound","message":""}');
      else response.end(JSON.stringify({ Parameter: { Name, Value } }));
    });
    services = {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_KMS: keyService.endpoint,
      AWS_ENDPOINT_URL_SSM: ssm,
    };
    deployment = { HOLDFAST_TABLE_NAME: tableName, HOLDFAST_SECRETS_KEY_ARN: keyService.keyArn };
    const { status } = await bed.api.request('PATCH', '/organizations/acme', {
      token: bed.owner,
      body: { data: { type: 'organizations', attributes: { 'allowed-value-references': ['ssm:/acme/'] } } },
    });
    expect(status).toBe(200);
    workspace = await createWorkspace();
    await set(workspace, 'PASSWORD', SECRET, '--category', 'env', '--sensitive');
    await set(workspace, 'LEVEL', 'plain', '--category', 'env');
    await bed.json(['var', 'set', workspace, 'token', '--reference', 'ssm:/acme/token']);
  });

  test('are decrypted and read from AWS for the program, and appear nowhere else', async () => {
    const { result } = start(['exec', workspace, ...node(script)], { ...credentials, ...services, ...deployment });
    const { code, stdout, stderr } = await result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(await expected());
    for (const secret of [SECRET, REFERENCE, bed.owner]) expect(stdout).not.toContain(secret);
  });

  test('are those of the deployment whose parameters are found by its name', async () => {
    const { result } = start(['exec', '--deployment', 'second', workspace, ...node(script)], {
      ...credentials,
      ...services,
      AWS_REGION: 'eu-central-1',
    });
    expect(await result).toMatchObject({ code: 0, stdout: expect.stringContaining(await expected()) });
  });

  test('are read from the emulated services of the local service of the folder', async () => {
    const { tableName, endpoint } = bed.api.engine;
    const { keyService } = bed.api;
    const local = join(folder, 'clone');
    mkdirSync(join(local, '.holdfast'), { recursive: true });
    const aws = {
      region: 'eu-central-1',
      tableName,
      secretsKeyArn: keyService.keyArn,
      endpoints: { dynamodb: endpoint, kms: keyService.endpoint },
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };
    const access = { baseUrl: `${origin}/api/v2`, organization: 'acme', token: bed.owner, aws };
    writeFileSync(join(local, '.holdfast/local.json'), JSON.stringify(access));
    const env = { HOLDFAST_URL: '', HOLDFAST_TOKEN: '', HOLDFAST_ORG: '' };
    const { AWS_ENDPOINT_URL_SSM } = services;
    const { result } = start(
      ['exec', workspace, ...node(script)],
      { ...credentials, ...env, AWS_ENDPOINT_URL_SSM },
      local,
    );
    expect(await result).toMatchObject({ code: 0, stdout: expect.stringContaining(await expected()) });
  });

  test.each([
    ['with another key', { HOLDFAST_SECRETS_KEY_ARN: keyArnFromName('other') }, 'The value of PASSWORD'],
    ['without AWS credentials', { AWS_ACCESS_KEY_ID: '' }, 'There are no AWS credentials.'],
    ['without a region', { HOLDFAST_TABLE_NAME: '' }, 'No AWS region is named.'],
    ['without the parameters', { HOLDFAST_TABLE_NAME: '', AWS_REGION: 'eu-west-1' }, '/holdfast/holdfast/table-name'],
  ])('that cannot be read prevent the start, %s', async (_, env, reason) => {
    const marker = newPath();
    const { result } = start(['exec', workspace, '--', 'touch', marker], {
      ...credentials,
      ...services,
      ...deployment,
      ...env,
    });
    const { code, stdout, stderr } = await result;
    expect({ code, stdout, started: existsSync(marker) }, stderr).toEqual({ code: 125, stdout: '', started: false });
    expect(stderr).toContain(`The secrets of ${workspace} cannot be read: PASSWORD, token. `);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain(SECRET);
  });
});
