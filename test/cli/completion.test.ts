import { execFile } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { buildProgram } from '../support/cli/real-process.ts';
import { findCommand } from '../support/clients/programs.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

let bed: CliBed;
let user: ContextBed;
let server: Server;
/** Environment of a shell in which `holdfast` runs, with the service of this process. */
let env: Record<string, string>;
let isSilent = false;
/** Path of the built command line. */
let holdfast: string;

/** Returns the options of Node that run JavaScript before a program. */
const runFirst = (code: string): readonly string[] => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

beforeAll(async () => {
  bed = await startCliBed();
  user = createContextBed();
  await bed.create({ name: 'network' });
  await bed.create({ name: 'network-blue' });
  const { api, owner } = bed;
  await api.request('POST', '/api/v2/organizations/acme/projects', {
    token: owner,
    body: { data: { type: 'projects', attributes: { name: 'two words' } } },
  });
  server = createServer(async ({ url = '', headers }, response) => {
    if (isSilent) return;
    const { authorization = '' } = headers;
    const reply = await bed.fetch(`https://holdfast.test${url}`, { headers: { authorization } });
    response.writeHead(reply.status, { 'content-type': 'application/vnd.api+json' }).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  holdfast = await buildProgram();
  // A busy machine would reach the time limit of suggestions, in this process and in others.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  const options = runFirst('AbortSignal.timeout = () => new AbortController().signal').map((one) => `"${one}"`);
  const program = user.writeHome(
    'bin/holdfast',
    `#!/bin/sh\nexec "${process.execPath}" ${options.join(' ')} "${holdfast}" "$@"\n`,
  );
  chmodSync(program, 0o755);
  env = {
    PATH: `${join(user.home, 'bin')}:${process.env['PATH']}`,
    HOME: user.home,
    HOLDFAST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    HOLDFAST_TOKEN: owner,
    HOLDFAST_ORG: 'acme',
    TERM: 'dumb',
  };
});
afterAll(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  user.remove();
  await bed.stop();
});

/** Runs a script in a shell and returns its output. Standard error has to be empty. */
const runShell = async (shell: string, args: readonly string[], script: string): Promise<string> => {
  const path = user.writeHome(`script.${shell}`, script);
  const { stdout, stderr } = await promisify(execFile)(shell, [...args, path], {
    env,
    cwd: user.folder,
    timeout: POLL_DEADLINE,
  });
  expect(stderr).toBe('');
  return stdout;
};

/** Describes the tests of a shell. The title says it if they are skipped because the shell is not installed. */
const inShell = (shell: string, define: () => void): void => {
  const isHere = findCommand(shell) !== undefined;
  describe.skipIf(!isHere)(`completion in ${shell}${isHere ? '' : ', which is not installed'}`, define);
};

inShell('bash', () => {
  /** Returns what the function of the script replies for words as bash splits them. */
  const complete = async (...lines: readonly (readonly string[])[]): Promise<readonly string[][]> => {
    const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
    const calls = lines.map((words) => `try ${words.map(quote).join(' ')}`);
    const script = `script=$(holdfast completion bash)
eval "$script"
eval "$script"
try() { COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s|' "\${COMPREPLY[@]}"; echo; }
${calls.join('\n')}\n`;
    const output = await runShell('bash', ['--norc'], script);
    return output
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|').slice(0, -1));
  };

  test('suggests commands, flags, choices, fields, and values of the service with their blanks quoted', async () => {
    const found = await complete(
      ['lo'],
      ['ws', 'sh'],
      ['ws', 'show', 'net'],
      ['ws', 'list', '--locked-b'],
      ['ws', 'list', '--locked', '=', 't'],
      ['ws', 'list', '--json', '=', 'name,locked-a'],
      ['--org', ''],
      ['project', 'show', 'tw'],
      ['project', 'show', '"tw'],
    );
    expect(found).toEqual([
      ['login', 'logout', 'lock', 'locks'],
      ['show'],
      ['network', 'network-blue'],
      ['--locked-by', '--locked-before'],
      ['true'],
      ['name,locked-at'],
      ['acme'],
      ['two\\ words'],
      ['two words'],
    ]);
  });
});

inShell('zsh', () => {
  test('inserts the name of a workspace at the prompt', async () => {
    const script = `zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -d ${user.home}/zcompdump; source <(holdfast completion zsh); print LOA""DED'
zpty -r shell output '*LOADED*'
zpty -n -w shell $'holdfast ws show network-b\\t'
zpty -r shell output '*network-blue*'
print INSERTED
zpty -d shell\n`;
    expect(await runShell('zsh', ['-f'], script)).toBe('INSERTED\n');
  });

  test('passes words without their quotation marks, and describes commands', async () => {
    const script = `compdef() { : }
_describe() { print -rl -- "\${(@P)2}" }
source <(holdfast completion zsh)
words=(holdfast ws list --locked '') CURRENT=5 PREFIX= ; _holdfast
words=(holdfast '--org' '"acme"' project show two) CURRENT=6 PREFIX=two; _holdfast
words=(holdfast ws sh) CURRENT=3 PREFIX=sh; _holdfast\n`;
    expect(await runShell('zsh', ['-f'], script)).toBe('true:\nfalse:\ntwo words:\nshow:Show a workspace\n');
  });
});

inShell('fish', () => {
  test('suggests commands with their explanation, and values of the service', async () => {
    const lines = [
      'holdfast ws sh',
      'holdfast ws show network-',
      'holdfast project show tw',
      'holdfast ws list --json=na',
    ];
    const script = `holdfast completion fish | source\n${lines.map((line) => `complete -C '${line}'`).join('\n')}\n`;
    expect(await runShell('fish', ['--no-config'], script)).toBe(
      'show\tShow a workspace\nnetwork-blue\ntwo words\n--json=name\n',
    );
  });
});

describe('suggestions', () => {
  const complete = (words: readonly string[], options = {}) => bed.run(['completion', 'fish', '--', ...words], options);

  test('are names of files where a file is expected', async () => {
    expect((await complete(['var', 'set', 'network', 'KEY', '--file', ''])).stdout).toBe(':files\n');
  });

  test('are the keys of the variables of the workspace before them', async () => {
    for (const key of ['region', 'replicas']) {
      await bed.run(['var', 'set', 'network', key], { stdin: '1' });
    }
    const { stdout } = await complete(['var', 'get', 'network', 're']);
    expect(stdout.split('\n').sort()).toEqual(['', 'region\t', 'replicas\t']);
  });

  test.each([
    ['the service rejects the token', { env: { HOLDFAST_TOKEN: 'hfu_x' } }],
    ['there is no service', { env: { HOLDFAST_URL: undefined } }],
    ['the service fails', { fetch: async () => new Response('', { status: 500 }) }],
  ])('are none, without an error, if %s', async (_, options) => {
    expect(await complete(['ws', 'show', ''], options)).toMatchObject({ code: 0, stdout: '\n', stderr: '' });
  });

  test('contain no text that would control the terminal or end a line', async () => {
    const data = [{ id: 'a\nb' }, { id: 'c\u001b[31m' }, { id: 'acme' }];
    const { stdout } = await complete(['--org', ''], { fetch: async () => Response.json({ data }) });
    expect(stdout).toBe('acme\t\n');
  });

  test('are none after two seconds of a service that does not respond', async () => {
    // Prints the time limit, and expires at once.
    const options = runFirst(`AbortSignal.timeout = (limit) => {
      process.stderr.write(String(limit));
      const limited = new AbortController();
      setTimeout(() => limited.abort(new DOMException('', 'TimeoutError')));
      return limited.signal;
    }`);
    isSilent = true;
    const words = ['completion', 'bash', '--', 'ws', 'show', ''];
    const output = await promisify(execFile)(process.execPath, [...options, holdfast, ...words], { env });
    isSilent = false;
    expect(output).toEqual({ stdout: '\n', stderr: '2000' });
  });

  test('evaluate no name that somebody else has chosen', async () => {
    const mark = join(user.home, 'evaluated');
    const data = [{ id: `$(touch ${mark})` }, { id: `\`touch ${mark}\`` }];
    const { stdout } = await bed.run(['completion', 'bash', '--', '--org', ''], {
      fetch: async () => Response.json({ data }),
    });
    const words = await runShell('bash', ['--norc'], `printf '%s\\n' ${stdout.trim().replaceAll('\n', ' ')}\n`);
    expect(words).toBe(`${data.map(({ id }) => id).join('\n')}\n`);
    expect(existsSync(mark)).toBe(false);
  });
});
