import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../infra/cli/command.ts';
import { groups } from '../../infra/cli/commands/index.ts';
import { type RouteId, routes as routeTable } from '../../shared/routes/index.ts';
import { type CliBed, type CliResult, startCliBed } from '../support/cli/cli-bed.ts';
import type { Sample } from '../support/cli/sample.ts';
import { samples } from '../support/cli/samples/index.ts';

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed({ deletedWorkspaceDays: 30 });
});
afterAll(() => bed.stop());

const commands: readonly Command[] = groups.flatMap((group) => group.commands);

/** Prepares and returns the call of a command. */
const prepareSample = async ({ name }: Command): Promise<Sample> => {
  const prepare = samples[name];
  if (prepare === undefined) throw new Error(`${name} has no sample in test/support/cli/samples.`);
  return prepare(bed);
};

const untouched = new Map<Command, Promise<Sample>>();

/** Returns the call that all tests of a command share which change nothing. The first test that changes something follows them. */
const sharedSample = (command: Command): Promise<Sample> => {
  const sample = untouched.get(command) ?? prepareSample(command);
  untouched.set(command, sample);
  return sample;
};

/** Returns a call that no other test has used. */
const newSample = (command: Command): Promise<Sample> =>
  (command.routes as readonly RouteId[]).every((route) => routeTable[route].method === 'GET')
    ? sharedSample(command)
    : prepareSample(command);

/** Runs the call of a command with further flags, which precede the arguments of another program. */
const call = (
  { name }: Command,
  { args, options }: Sample,
  flags: readonly string[] = [],
  others = {},
): Promise<CliResult> => bed.run([...name.split(' '), ...flags, ...args], { ...options, ...others });

const hasFields = ({ result }: Command): boolean => 'view' in result;
const isOffline = ({ routes }: Command): boolean => routes.length === 0;
const programs = commands.filter(({ result }) => result.kind === 'program');

/** Returns a service that rejects every request with a status. */
const rejecting =
  (status: number): typeof fetch =>
  async () =>
    Response.json(
      { errors: [{ status: String(status), title: 'rejected', detail: 'The test rejects it.' }] },
      { status },
    );

/** Commands that ask for a confirmation with `--filter` only. */
const confirmsFilters: readonly string[] = ['ws edit'];

/** Lists about something that has to exist, which always have a row. */
const neverEmpty: readonly string[] = ['var explain', 'state diff', 'workload-identity test'];

/** The service, without the resources of lists. Those in which a command searches a name remain. */
const emptying: typeof fetch = async (input, init) => {
  const response = await bed.fetch(input, init);
  if (new URL(String(input)).searchParams.has('q')) return response;
  const document = (await response.json()) as { readonly data?: unknown };
  return Response.json(Array.isArray(document.data) ? { ...document, data: [] } : document);
};

const exitsByStatus = [
  [401, 4],
  [403, 3],
  [404, 3],
  [409, 5],
  [412, 5],
  [422, 6],
  [429, 1],
  [500, 1],
  [503, 1],
] as const;

describe.each(commands.filter((command) => !programs.includes(command)))('$name', (command) => {
  const { result, routes } = command;
  // The diagnosis reports errors of the service as its result.
  const sendsRequests = !isOffline(command) && command.name !== 'doctor';

  test('rejects an unknown flag with exit code 2 and sends nothing', async () => {
    const {
      code,
      stdout,
      stderr,
      routes: requested,
    } = await bed.run([...command.name.split(' '), '--json', '--no-such-flag']);
    expect({ code, stdout, requested }).toEqual({ code: 2, stdout: '', requested: [] });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'usage' });
  });

  test('has help with every flag and an example', async () => {
    const { code, stdout } = await bed.run([...command.name.split(' '), '--help']);
    expect(code).toBe(0);
    for (const flag of Object.keys(command.flags ?? {})) expect(stdout).toContain(`--${flag}`);
    expect(stdout).toContain('Examples:');
  });

  test.runIf(sendsRequests)(
    'reports each class of error as one JSON object, with its exit code and nothing on standard output',
    async () => {
      const sample = await sharedSample(command);
      for (const [status, expected] of exitsByStatus) {
        const { code, stdout, stderr } = await call(command, sample, ['--json'], { fetch: rejecting(status) });
        expect({ status, code, stdout }, stderr).toEqual({ status, code: expected, stdout: '' });
        expect(JSON.parse(stderr)).toMatchObject({ status, detail: expect.any(String) });
      }
    },
  );

  test.runIf(sendsRequests)('ends with 1 if the service does not respond', async () => {
    const sample = await sharedSample(command);
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const { code, stdout, stderr } = await call(command, sample, ['--json'], { fetch });
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  });

  test.runIf(sendsRequests && command.name !== 'login')('ends with 4 without a token', async () => {
    const sample = await sharedSample(command);
    const env = { ...sample.options?.env, HOLDFAST_TOKEN: undefined };
    const { code, stdout, routes: requested } = await call(command, sample, ['--json'], { env });
    expect({ code, stdout, requested }).toEqual({ code: 4, stdout: '', requested: [] });
  });

  test.runIf(sendsRequests)('shows the request with --curl, without the token, and changes nothing', async () => {
    const sample = await sharedSample(command);
    const { code, stdout, stderr, routes: requested } = await call(command, sample, ['--curl']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^curl /);
    expect(stdout + stderr).not.toContain(bed.owner);
    expect(requested.filter((route) => routeTable[route].method !== 'GET')).toEqual([]);
  });

  test.runIf('yes' in (command.flags ?? {}) && !confirmsFilters.includes(command.name))(
    'rejects a deletion without --yes and without a terminal, and changes nothing',
    async () => {
      const { args, options } = await sharedSample(command);
      const {
        code,
        routes: requested,
        stderr,
      } = await call(command, { args: args.filter((arg) => arg !== '--yes'), ...(options && { options }) }, ['--json']);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
      expect(requested.filter((route) => routeTable[route].method !== 'GET')).toEqual([]);
    },
  );

  test.runIf(result.kind === 'list' && sendsRequests && !neverEmpty.includes(command.name))(
    'prints an empty array with --json if there is nothing',
    async () => {
      const sample = await sharedSample(command);
      const { code, stdout, stderr } = await call(command, sample, ['--json'], { fetch: emptying });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    },
  );

  test.each([false, true])(
    'prints one JSON value with known fields and nothing else, with a terminal: %s',
    async (isTerminal) => {
      const sample = await (isTerminal ? newSample : sharedSample)(command);
      const { code, stdout, stderr, routes: requested } = await call(command, sample, ['--json'], { isTerminal });
      expect({ code, stderr }).toEqual({ code: sample.code ?? 0, stderr: '' });
      const value = JSON.parse(stdout);
      expect(requested.filter((route) => !routes.includes(route))).toEqual([]);
      if (!hasFields(command)) return;
      const isMany = result.kind === 'list' || result.kind === 'changes';
      expect(Array.isArray(value)).toBe(isMany);
      const rows: readonly object[] = isMany ? value : [value];
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(Object.keys(row)).toEqual(result.view.fields);
      // A field that is null in every row of the sample is fine, a row without a name for other commands is not.
      expect((rows[0] as Record<string, unknown>)[result.view.columns[0]]).not.toBeNull();
    },
  );

  test.runIf(hasFields(command))('prints a header and as many cells in each line with --csv', async () => {
    const sample = await newSample(command);
    const field = result.view.columns[0];
    const { code, stdout } = await call(command, sample, [`--csv=${field}`]);
    expect(code).toBe(sample.code ?? 0);
    expect(stdout.split('\n')[0]).toBe(field);
  });

  test.each([true, false])('ends with its exit code, with a terminal: %s', async (isTerminal) => {
    const sample = await newSample(command);
    const { code, stderr } = await call(command, sample, [], { isTerminal });
    expect({ code, stderr: stderr.startsWith('Error') ? stderr : '' }).toEqual({ code: sample.code ?? 0, stderr: '' });
  });
});
