import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Io, Output } from '../../../infra/cli/io.ts';
import { runCommandLine } from '../../../infra/cli/program.ts';
import type { RouteId } from '../../../shared/routes/index.ts';
import { CACHED, type startApi } from '../api/api.ts';
import { createOrganizationFixture, ORGANIZATION, type OrganizationFixture } from '../api/organization-fixture.ts';

/** Address of the service in tests. Requests to it call the handlers of this process. */
const ORIGIN = 'https://holdfast.test';

/** Result of a command. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Routes that were requested, in order. */
  readonly routes: readonly RouteId[];
}

/** Context of a command. */
export interface CliOptions {
  /** Content of standard input, which is then no terminal, or a stream. Absent: it is closed. */
  readonly stdin?: string | Readable;
  /** Whether the streams are a terminal. */
  readonly isTerminal?: boolean;
  /** Environment in addition to the address, the organization and the token. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of the file that runs. */
  readonly program?: string;
  /** Working directory. Default: an empty folder. */
  readonly cwd?: string;
  /** Replaces the service. */
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  /** Waits for so many milliseconds. Default: it takes no time. */
  readonly wait?: Io['wait'];
  /** Receives how far long work is. */
  readonly progress?: Io['progress'];
  /** Receives the function that gets the signals of the process. */
  readonly onSignals?: Io['onSignals'];
}

/** Runs commands in this process against the handlers of this process. Waiting takes no time. */
export interface CliBed extends OrganizationFixture {
  readonly run: (argv: readonly string[], options?: CliOptions) => Promise<CliResult>;
  /** Runs a command with `--json`, and returns its parsed result. @throws unless the exit code is 0. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape.
  readonly json: (argv: readonly string[], options?: CliOptions) => Promise<any>;
  /** Sends requests to the handlers of this process, as `fetch` does. */
  readonly fetch: typeof fetch;
  /** Home of the user, which is the working directory, too. */
  readonly home: string;
  readonly stop: () => Promise<void>;
}

const collect = (isTerminal: boolean): { readonly stream: Output; readonly text: () => string } => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return {
    stream: Object.assign(stream, isTerminal ? { isTTY: true, columns: 120 } : {}),
    text: () => Buffer.concat(chunks).toString(),
  };
};

/** Starts an API with the organization `acme`, whose owner runs the commands. */
export const startCliBed = async (options: Parameters<typeof startApi>[0] = {}): Promise<CliBed> => {
  const fixture = await createOrganizationFixture({ ...CACHED, ...options });
  const { api, owner } = fixture;
  const home = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));

  const send: typeof fetch = async (input, { method = 'GET', headers, body } = {}) => {
    const url = new URL(String(input));
    // Presigned URLs lead to the emulated bucket.
    if (url.origin !== ORIGIN) return fetch(input, { method, ...(headers && { headers }), ...(body && { body }) });
    const reply = await api.request(method, url.pathname + url.search, {
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && { body: body as string }),
    });
    const { location, 'content-encoding': _, ...others } = reply.headers;
    // As the standard of `fetch` requires, the other host gets no `Authorization`.
    if (reply.status === 307 && location !== undefined) return fetch(location);
    const text = typeof reply.body === 'string' || reply.body === undefined ? reply.body : JSON.stringify(reply.body);
    return new Response(text || null, { status: reply.status, headers: others });
  };

  const run: CliBed['run'] = async (
    argv,
    { stdin, isTerminal = false, env = {}, cwd = home, program = '', fetch, ...others } = {},
  ) => {
    const stdout = collect(isTerminal);
    const stderr = collect(isTerminal);
    const routes: RouteId[] = [];
    const io: Io = {
      stdin: Object.assign(
        stdin instanceof Readable ? stdin : Readable.from(stdin === undefined ? [] : [stdin]),
        isTerminal && typeof stdin !== 'string' ? { isTTY: true, setRawMode: () => undefined } : {},
      ),
      stdout: stdout.stream,
      stderr: stderr.stream,
      env: { HOME: home, HOLDFAST_URL: ORIGIN, HOLDFAST_ORG: ORGANIZATION, HOLDFAST_TOKEN: owner, ...env },
      program,
      cwd,
      fetch:
        fetch ??
        (async (...request) => {
          const response = await send(...request);
          const route = api.lastRoute();
          if (new URL(String(request[0])).origin === ORIGIN && route !== undefined) routes.push(route);
          return response;
        }),
      wait: async () => undefined,
      signal: new AbortController().signal,
      onSignals: () => undefined,
      progress: () => undefined,
      ...others,
    };
    const code = await runCommandLine(argv, io, 'test');
    return { code, stdout: stdout.text(), stderr: stderr.text(), routes };
  };

  return {
    ...fixture,
    run,
    json: async (argv, options) => {
      const result = await run([...argv, '--json'], options);
      if (result.code !== 0) throw new Error(`${argv.join(' ')}: exit code ${result.code}\n${result.stderr}`);
      return JSON.parse(result.stdout);
    },
    fetch: send,
    home,
    stop: async () => {
      rmSync(home, { recursive: true, force: true });
      await api.stop();
    },
  };
};
