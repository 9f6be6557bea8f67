import type { RequestListener, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { groups } from '../../infra/cli/commands/index.ts';
import { type CliBed, type CliOptions, type CliResult, startCliBed } from '../support/cli/cli-bed.ts';
import { runCli, serve, type TestServer, TOKEN } from '../support/cli/real-process.ts';
import { samples } from '../support/cli/samples/index.ts';

let bed: CliBed;
/** A workspace as the service returns it. */
let workspace: { readonly id: string; readonly attributes: object };
beforeAll(async () => {
  bed = await startCliBed({ deletedWorkspaceDays: 30 });
  const { id } = await bed.createWorkspace();
  workspace = (await bed.api.request('GET', `/workspaces/${id}`, { token: bed.owner })).body.data;
});
afterAll(() => bed.stop());

const servers: TestServer[] = [];
const start = async (respond: RequestListener): Promise<string> => {
  const server = await serve(respond);
  servers.push(server);
  return server.origin;
};
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(servers.splice(0).map(({ stop }) => stop()));
});

const JSON_API = { 'content-type': 'application/vnd.api+json' };

/** Sends one page of 100 workspaces out of many. @param description of each. */
const sendPage = (url: string | undefined, response: ServerResponse, total: number, description = ''): void => {
  const number = Number(new URL(url ?? '', 'http://service').searchParams.get('page[number]') ?? 1);
  const resource = JSON.stringify({ ...workspace, attributes: { ...workspace.attributes, name: '?', description } });
  const data = Array.from({ length: 100 }, (_, index) => resource.replace('"?"', `"w-${(number - 1) * 100 + index}"`));
  const next = number * 100 < total ? number + 1 : null;
  response.writeHead(200, JSON_API).end(`{"data":[${data}],"meta":{"pagination":{"next-page":${next}}}}`);
};

/** Sends the first half of a document, and closes the connection. */
const sendHalf = (response: ServerResponse): void => {
  const text = JSON.stringify({ data: [workspace] });
  response.writeHead(200, { ...JSON_API, 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};

/** Runs a command in this process with requests over the network. */
const runOver = (origin: string, argv: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  bed.run(argv, { fetch, ...options, env: { HOLDFAST_URL: origin, ...options.env } });

describe('a response that breaks off', () => {
  test('is requested again', async () => {
    let count = 0;
    const origin = await start(({ url }, response) => {
      count += 1;
      if (count % 2 === 1) sendHalf(response);
      else sendPage(url, response, 300);
    });
    const { code, stdout } = await runOver(origin, ['ws', 'list', '--json=name']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(300);
  });

  test('before the first row is exit code 1 without anything on standard output', async () => {
    const origin = await start((_, response) => sendHalf(response));
    const { code, stdout, stderr } = await runOver(origin, ['ws', 'list', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'failed' });
  });

  test('after the first row is exit code 1 with unterminated JSON', async () => {
    const origin = await start(({ url }, response) => {
      if (url?.includes('page%5Bnumber%5D=3')) sendHalf(response);
      else sendPage(url, response, 1_000);
    });
    const { code, stdout } = await runOver(origin, ['ws', 'list', '--json=name']);
    expect(code).toBe(1);
    expect(() => JSON.parse(stdout)).toThrow(SyntaxError);
    expect(JSON.parse(`${stdout}]`)).toHaveLength(200);
  });
});

describe('an address that is not that of a service', () => {
  const html = { 'content-type': 'text/html' };
  test.each([200, 401, 403, 404])(
    'is exit code 1 and names the address, if a page with status %i responds',
    async (status) => {
      let count = 0;
      const origin = await start((_, response) => {
        count += 1;
        response.writeHead(status, html).end('<html>Welcome</html>');
      });
      const { code, stdout, stderr } = await runOver(origin, ['ws', 'list']);
      expect({ code, stdout, count }).toEqual({ code: 1, stdout: '', count: 1 });
      expect(stderr).toContain(`${new URL(origin).host} does not respond like Holdfast`);
      expect(stderr).toContain('HOLDFAST_URL');
    },
  );

  test.each(['', 'null', '[]', '{}', '{"data":"ok"}'])(
    'is exit code 1 with a sentence, if it responds with the JSON document %s',
    async (document) => {
      const origin = await start((_, response) => response.writeHead(200, JSON_API).end(document));
      const { code, stdout, stderr } = await runOver(origin, ['ws', 'list', '--json']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({
        detail: expect.stringContaining('The response cannot be read.'),
        hint: expect.stringContaining('holdfast doctor'),
      });
    },
  );

  test('is exit code 1, if its errors have another form', async () => {
    const origin = await start((_, response) => response.writeHead(422, JSON_API).end('{"errors":["invalid",null]}'));
    const { code, stderr } = await runOver(origin, ['ws', 'create', 'network']);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not respond like Holdfast'),
    });
  });

  test('is exit code 1 within ten seconds of waiting, if the connection is refused', async () => {
    const { origin, stop } = await serve(() => undefined);
    await stop();
    const waits: number[] = [];
    const { code, stdout, stderr } = await runOver(origin, ['ws', 'list'], {
      wait: async (time) => void waits.push(time),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const { host } = new URL(origin);
    expect(stderr).toContain(`Error: ${host} refuses the connection.\nThe address is from HOLDFAST_URL.`);
    expect(stderr).toMatch(/^GET \S+: The service does not respond\. The next attempt is in 1 s\.$/m);
    expect(waits.reduce((sum, time) => sum + time, 0)).toBeLessThanOrEqual(10_000);
  });

  test('is exit code 1 with the right form of the address, if it is https of a service that speaks http', async () => {
    const origin = await start((_, response) => response.end());
    const { code, stderr } = await runOver(origin.replace('http:', 'https:'), ['ws', 'list'], { wait: async () => {} });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('such as http://127.0.0.1:8080') });
  });

  test('is exit code 1 if nothing ever responds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
    const keys = new Set<string | null>();
    let count = 0;
    const result = bed.run(['lock', workspace.id], {
      fetch: (_, init) => {
        count += 1;
        keys.add(new Headers(init?.headers).get('idempotency-key'));
        return new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        );
      },
    });
    let code: number | undefined;
    void result.then((ended) => {
      code = ended.code;
    });
    for (let second = 0; code === undefined && second < 300; second += 1) await vi.advanceTimersByTimeAsync(1_000);
    expect({ code, count }).toEqual({ code: 1, count: 4 });
    expect((await result).stderr).toContain('Error: holdfast.test does not respond in time.');
  });
});

describe('a token', () => {
  test('is sent to the service only, and is neither an argument of the process nor in its output', async () => {
    const content = '{"version":4}';
    const elsewhere: (string | undefined)[] = [];
    const storage = await start(({ headers }, response) => {
      elsewhere.push(headers.authorization, headers.cookie);
      response.end(content);
    });
    const here: (string | undefined)[] = [];
    const origin = await start(({ headers }, response) => {
      here.push(headers.authorization);
      response.writeHead(307, { location: `${storage}/content` }).end();
    });
    let command: readonly string[] = [];
    const { code, stdout, stderr } = await runCli(['api', 'GET', 'state-versions/sv-1/download'], {
      origin,
      onStart: ({ spawnargs }) => {
        command = spawnargs;
      },
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: content, stderr: '' });
    expect({ here, elsewhere }).toEqual({ here: [`Bearer ${TOKEN}`], elsewhere: [undefined, undefined] });
    expect(command.join(' ')).not.toContain(TOKEN);
  });

  test.each([
    ['text', []],
    ['JSON', ['--json']],
    ['a curl command', ['--curl']],
  ])('is not in an error or a request that is printed as %s', async (_, flags) => {
    const origin = await start((_request, response) =>
      response.writeHead(401, JSON_API).end(JSON.stringify({ errors: [{ status: '401', title: 'unauthorized' }] })),
    );
    const { stdout, stderr } = await runOver(origin, ['ws', 'list', ...flags], { env: { HOLDFAST_TOKEN: TOKEN } });
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toContain(TOKEN);
  });
});

describe('a process of its own', () => {
  test('lists 10,000 workspaces with a heap that cannot hold them', async () => {
    const total = 10_000;
    const origin = await start(({ url }, response) => sendPage(url, response, total, 'x'.repeat(8_000)));
    const { code, stdout, stderr } = await runCli(['ws', 'list', '--json=name,description'], {
      origin,
      nodeOptions: ['--max-old-space-size=48'],
      shell: `| grep -c '"name":"w-'`,
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${total}\n`, stderr: '' });
  });

  test('ends without an error when the reader of its output ends first', async () => {
    let last = 0;
    const origin = await start(({ url }, response) => {
      last = Math.max(last, Number(new URL(url ?? '', 'http://service').searchParams.get('page[number]')));
      sendPage(url, response, 100_000);
    });
    const { code, stdout, stderr } = await runCli(['ws', 'list'], { origin, shell: '| head -1' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\t')[0]).toBe('w-0');
    expect(last).toBeLessThan(1_000);
  });

  test.each([
    ['a list', ['ws', 'list']],
    ['JSON', ['ws', 'list', '--json']],
    ['bytes', ['api', 'GET', 'ping']],
    ['help', ['--help']],
    ['its version', ['--version']],
  ])('reports a full disk in a sentence and ends with 1 when it prints %s', async (_, argv) => {
    const origin = await start(({ url }, response) => sendPage(url, response, 300));
    const { code, stderr } = await runCli(argv, { origin, shell: '> /dev/full' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Error: The output cannot be written (ENOSPC).\n' });
  });

  // Without a handler, SIGQUIT would write the memory, and with it the token, to a core dump.
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('ends with 130 after %s', async (signal) => {
    let interrupt = (): void => undefined;
    const origin = await start(({ url }, response) => {
      if (url?.includes('page%5Bnumber%5D=2')) interrupt();
      else sendPage(url, response, 300);
    });
    const { code, stderr } = await runCli(['ws', 'list'], {
      origin,
      onStart: (child) => {
        interrupt = () => void child.kill(signal);
      },
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  });
});

test.each([
  ['in CI', [], { CI: 'true' }],
  ['with --json', ['--json'], {}],
])('waits for no answer %s, also on a terminal', async (_, flags, env) => {
  const ended: Record<string, number> = {};
  const run = async (name: string, args: readonly string[], options?: CliOptions): Promise<void> => {
    // The terminal has no input, so that a question would never end.
    const others = { ...options, isTerminal: true, env: { ...options?.env, ...env } };
    ended[name] = (await bed.run([...name.split(' '), ...flags, ...args], others)).code;
  };
  // Commands that need a secret.
  await run('login', ['holdfast.test']);
  await run('var set', [workspace.id, 'token']);
  await run('ssh-key create', ['deploy']);
  for (const { name, flags: known = {} } of groups.flatMap(({ commands }) => commands)) {
    if (!('yes' in known)) continue;
    const { args, options } = (await samples[name]?.(bed)) ?? { args: [] };
    await run(
      name,
      // It confirms the workspaces of a filter only.
      name === 'ws edit'
        ? ['--filter', 'tag=sample', '--description', 'sample']
        : args.filter((arg) => arg !== '--yes'),
      options,
    );
  }
  expect(Object.entries(ended).filter(([, code]) => code !== 2)).toEqual([]);
});
