import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installLines } from '../../../functions/console/app/lib/install-lines.ts';
import { startEngine } from '../../../infra/local/dynamodb/engine.ts';
import { type LocalCredentials, readCredentials } from '../../../infra/local/service/data-folder.ts';
import { type ServiceOptions, startService } from '../../../infra/local/service/service.ts';
import { descendantsOf } from '../../bench/process-cpu.ts';
import { createFaultProxy } from '../../support/faults/fault-proxy.ts';
import { type SmallAssembly, temporaryFolder, thingsTable, writeAssembly } from '../../support/local/small-assembly.ts';
import { compileCache } from '../../support/setup/compile-cache.ts';

/** A function that writes and reads an item of the table. The SDK is imported from this repository. */
const keeper = (file: string) => ({
  code: `
    import { DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from ${JSON.stringify(import.meta.resolve('@aws-sdk/client-dynamodb'))};
    const client = new DynamoDBClient({ maxAttempts: 1 });
    const TableName = process.env.TABLE_NAME;
    const pk = { S: 'one' };
    export const handler = async ({ put, count }) => {
      if (put) return void await client.send(new PutItemCommand({ TableName, Item: { pk, name: { S: put } } }));
      if (count) return (await client.send(new UpdateItemCommand({ TableName, Key: { pk }, UpdateExpression: 'ADD #n :one',
        ExpressionAttributeNames: { '#n': 'n' }, ExpressionAttributeValues: { ':one': { N: '1' } }, ReturnValues: 'ALL_NEW' }))).Attributes.n.N;
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk } }));
      return { name: Item?.name?.S, n: Item?.n?.N };
    };`,
  properties: {
    Environment: { Variables: { TABLE_NAME: { 'Fn::ImportValue': 'small-data:Table' } } },
    FunctionName: file,
  },
});
/** An admin function that returns a token only once, as the function of the application does. */
const admin = {
  code: `let token; export const handler = async ({ name }) => ({ organization: { name }, ...(!token && { token: token = crypto.randomUUID() }) });`,
};
const small: SmallAssembly = {
  functions: { keeper: keeper('keeper'), admin },
  routes: { $default: 'keeper' },
  table: thingsTable,
};

const start = async (options: Partial<ServiceOptions> = {}) => {
  const service = await startService({
    dataFolder: join(temporaryFolder(), 'data'),
    assembly: writeAssembly(small),
    ...options,
  });
  onTestFinished(() => service.stop());
  const invoke = async (event: object) => {
    const outcome = await service.functions.invoke('keeper', JSON.stringify(event));
    if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome));
    return JSON.parse(outcome.payload);
  };
  return { ...service, invoke };
};

const program = (name: string) => fileURLToPath(new URL(`../../../infra/local/${name}.ts`, import.meta.url));

/** Runs one of the programs with settings. */
const run = (name: string, settings: Record<string, string>, words: string[] = []) =>
  runNode([program(name), ...words], settings);

/** Runs Node without the environment of this process. @returns the output and the exit code. */
const runNode = (words: string[], settings: Record<string, string> = {}) => {
  const child = spawn(process.execPath, words, { env: { PATH: '/usr/bin:/bin', ...compileCache(), ...settings } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, output, errors }));
  return { child: child as ChildProcess, ended, outputSoFar: () => output };
};

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname)
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .once('error', () => resolve(false));
  });

const usedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

describe('startService', () => {
  it('keeps data, organization and token over a restart', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const first = await start({ dataFolder });
    await first.invoke({ put: 'kept' });
    expect(first).toMatchObject({ organization: 'demo', token: expect.any(String) });
    const accessFile = join(dataFolder, 'local.json');
    expect(JSON.parse(readFileSync(accessFile, 'utf8'))).toEqual({
      baseUrl: first.baseUrl,
      organization: 'demo',
      token: first.token,
    });
    expect([statSync(dataFolder).mode & 0o777, statSync(accessFile).mode & 0o777]).toEqual([0o700, 0o600]);
    await first.stop();

    const second = await start({ dataFolder });
    expect(await second.invoke({})).toEqual({ name: 'kept' });
    expect(second.token).toBe(first.token);
    expect(JSON.parse(readFileSync(accessFile, 'utf8')).baseUrl).toBe(second.baseUrl);
  });

  it('creates the table of the template', async () => {
    const { engineEndpoint, tableNames } = await start();
    const client = new DynamoDBClient({
      endpoint: engineEndpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableNames[0] }));
    client.destroy();
    expect(Table).toMatchObject({
      KeySchema: thingsTable.KeySchema,
      GlobalSecondaryIndexes: [{ IndexName: 'owner', Projection: { NonKeyAttributes: ['name'] } }],
      StreamSpecification: { StreamEnabled: true },
    });
  });

  it('frees the port and the data folder when the service stops', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const first = await start({ dataFolder });
    const { port } = new URL(first.origin);
    await first.stop();
    await expect(fetch(first.origin)).rejects.toThrow();
    expect(await isListening(first.engineEndpoint)).toBe(false);
    const second = await start({ dataFolder, port: Number(port) });
    expect(second.origin).toBe(first.origin);
  });

  it('uses the engine at dynamodbEndpoint', async () => {
    const { engineEndpoint } = await start();
    const other = await start({ dynamodbEndpoint: engineEndpoint });
    await other.invoke({ put: 'there' });
    expect(other.engineEndpoint).toBe(engineEndpoint);
    expect(await other.invoke({})).toEqual({ name: 'there' });
  });

  it('rejects an existing table with other keys or indexes', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    await (await start({ dataFolder })).stop();
    const assembly = writeAssembly({
      ...small,
      table: {
        ...thingsTable,
        GlobalSecondaryIndexes: [],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      },
    });
    await expect(start({ dataFolder, assembly })).rejects.toThrow(
      /table things was created by another version \(index owner differ/,
    );
  });

  it('reports a missing engine in one line, with an alternative', async () => {
    await expect(start({ engineBinary: '/nowhere/dynoxide' })).rejects.toThrow(
      /^There is no embedded DynamoDB for this computer.*HOLDFAST_DYNAMODB_ENDPOINT.*$/,
    );
  });

  it.each([
    [
      'a database file that is not a database',
      'not a valid SQLite database',
      (file: string) => writeFileSync(file, 'x'.repeat(5_000)),
    ],
    ['a database file that is a folder', 'unable to open database file', (file: string) => mkdirSync(file)],
  ])('reports %s in one line', async (_, line, damage) => {
    const dataFolder = temporaryFolder();
    damage(join(dataFolder, 'dynamodb.db'));
    await expect(start({ dataFolder })).rejects.toThrow(new RegExp(`^The embedded DynamoDB cannot use .*${line}.*$`));
  });

  it('reports a database with damaged pages in one line', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const first = await start({ dataFolder });
    await first.stop();
    const file = join(dataFolder, 'dynamodb.db');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 100, bytes.length));
    await expect(start({ dataFolder })).rejects.toMatchObject({
      name: 'PlainError',
      message: expect.not.stringContaining('\n'),
    });
  });

  it.each(['http://127.0.0.1:9', 'http://localhost:9'])(
    'reports in one line that there is no engine at %s',
    async (url) => {
      await expect(start({ dynamodbEndpoint: url })).rejects.toThrow(
        new RegExp(`^The DynamoDB at ${url} cannot be used: .*ECONNREFUSED.*$`),
      );
    },
  );

  it('reports when the engine ends unexpectedly', async () => {
    const folder = temporaryFolder();
    const binary = join(folder, 'engine');
    const shortLived = `console.error('listening on a port'); setTimeout(() => { console.error('error: disk full'); process.exit(1); }, 500);`;
    writeFileSync(binary, `#!${process.execPath}\n${shortLived}`, { mode: 0o700 });
    const engine = await startEngine(join(folder, 'db'), binary);
    expect(await engine.lost).toMatchObject({ message: expect.stringMatching(/cannot use .*db: disk full$/) });
  });

  it('reports the signal that ended the engine', async () => {
    const folder = temporaryFolder();
    const binary = join(folder, 'engine');
    const killed = `console.error('listening on a port'); process.kill(process.pid, 'SIGKILL');`;
    writeFileSync(binary, `#!${process.execPath}\n${killed}`, { mode: 0o700 });
    const engine = await startEngine(join(folder, 'db'), binary);
    expect(await engine.lost).toMatchObject({ message: expect.stringMatching(/db was ended by SIGKILL$/) });
  });

  it('completes the requests in progress when the service stops', async () => {
    const signal = join(temporaryFolder(), 'signal');
    const service = await start({
      assembly: writeAssembly({
        functions: {
          slow: {
            code: `import { existsSync } from 'node:fs';
              export const handler = async () => {
                while (!existsSync(${JSON.stringify(signal)})) await new Promise((resolve) => setTimeout(resolve, 20));
                return { statusCode: 202 };
              };`,
          },
        },
        routes: { $default: 'slow' },
      }),
    });
    const responses = [fetch(service.origin), fetch(service.origin)];
    await expect.poll(() => service.functions.statistics()).toMatchObject([{ busy: 2 }]);
    const stopped = service.stop();
    writeFileSync(signal, '');
    await stopped;
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([202, 202]);
  });

  it('rejects a data folder that contains other files', async () => {
    const dataFolder = temporaryFolder();
    writeFileSync(join(dataFolder, 'thesis.txt'), '');
    await expect(start({ dataFolder })).rejects.toThrow(/it contains other files/);
  });

  it('releases the lock of a service that was killed', async () => {
    const dataFolder = temporaryFolder();
    writeFileSync(join(dataFolder, 'service.lock'), JSON.stringify({ pid: process.pid, started: 'another time' }));
    expect(await start({ dataFolder })).toMatchObject({ organization: 'demo' });
  });

  it('does not leave the engine running when the service is killed', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const module = new URL('../../../infra/local/service/service.ts', import.meta.url).href;
    const options: ServiceOptions = { dataFolder, assembly: writeAssembly(small) };
    const { child, ended, outputSoFar } = runNode([
      '--input-type=module',
      `--eval=import { startService } from '${module}'; console.log((await startService(${JSON.stringify(options)})).engineEndpoint)`,
    ]);
    await expect.poll(outputSoFar).toMatch(/^http/);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => isListening(outputSoFar().trim())).toBe(false);
    expect(await start({ dataFolder })).toMatchObject({ organization: 'demo' });
  });

  it('keeps acknowledged writes when the service and its engine are killed', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const module = new URL('../../../infra/local/service/service.ts', import.meta.url).href;
    const options: ServiceOptions = { dataFolder, assembly: writeAssembly(small) };
    const { child, ended, outputSoFar } = runNode([
      '--input-type=module',
      `--eval=import { startService } from '${module}';
        const { functions } = await startService(${JSON.stringify(options)});
        for (let outcome = {}; outcome.kind !== 'failed'; console.log(outcome.payload))
          outcome = await functions.invoke('keeper', '{"count":true}');`,
    ]);
    const acknowledged = () =>
      outputSoFar()
        .match(/\d+(?="\n)/g)
        ?.map(Number) ?? [];
    await expect.poll(() => acknowledged().length).toBeGreaterThan(20);
    const engines = descendantsOf(child.pid ?? 0).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataFolder),
    );
    expect(engines).not.toEqual([]);
    for (const pid of engines) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await ended;
    const { invoke } = await start({ dataFolder });
    expect(Number((await invoke({})).n)).toBeGreaterThanOrEqual(acknowledged().at(-1) ?? 0);
  });

  it('leaves nothing running when the start is aborted', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const aborted = new AbortController();
    const started = start({ dataFolder, signal: aborted.signal });
    aborted.abort();
    await expect(started).rejects.toThrow(/aborted/);
    expect(await start({ dataFolder })).toMatchObject({ organization: 'demo' });
  });

  it('works with an engine that loses responses and throttles', async () => {
    const faults = createFaultProxy(7, { UpdateItem: { lost: 0.3, throttled: 0.2, conflicting: 0.2 } });
    const { invoke } = await start({ engineProxy: faults.engineProxy });
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => invoke({ count: true })));
    const succeeded = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const { lost, throttled, conflicting } = faults.counts;
    expect(Math.min(lost, throttled, conflicting)).toBeGreaterThan(0);
    expect(succeeded + lost + throttled + conflicting).toBe(60);
    faults.setPlan({});
    expect(await invoke({})).toEqual({ n: String(succeeded + lost) });
  });
});

describe('npm start', () => {
  it('serves the synthesized app and the command line until Ctrl-C, and npm run admin calls it', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const settings = { HOLDFAST_DATA: dataFolder, PORT: '0' };
    const { child, ended, outputSoFar } = run('start', settings);
    await Promise.race([ended, expect.poll(outputSoFar).toMatch(/Press Ctrl-C to stop it/)]);
    expect(outputSoFar()).toMatch(/Holdfast runs at http:\/\/127\.0\.0\.1:\d+\/api\/v2/);
    const { baseUrl, token } = JSON.parse(readFileSync(join(dataFolder, 'local.json'), 'utf8'));
    expect((await fetch(`${baseUrl}/ping`)).status).toBe(204);
    expect(outputSoFar()).not.toContain(token);

    expect(await run('start', settings).ended).toEqual({
      code: 1,
      output: '',
      errors: `The data folder ${dataFolder} is in use by the service with process id ${child.pid}\n`,
    });
    const { origin } = new URL(baseUrl);
    // The lines that the console shows install the command line, which then finds the service.
    const HOME = temporaryFolder();
    const script = `set -e\n${installLines(origin)}\n~/.local/bin/holdfast ws list --json`;
    const env = { ...process.env, HOME, HOLDFAST_URL: origin, HOLDFAST_TOKEN: token, HOLDFAST_ORG: 'demo' };
    expect((await promisify(execFile)('sh', ['-c', script], { env })).stdout).toBe('holdfast.mjs: OK\n[]\n');
    // So do the commands that are printed, in the folder of the repository.
    const printed = outputSoFar().match(/(?<=^ {2})(export|npx holdfast) .*/gm) ?? [];
    expect(printed).toHaveLength(5);
    await promisify(execFile)('sh', ['-ec', printed.join('\n')], { env: { ...process.env, HOME: temporaryFolder() } });
    const authorization = `Bearer ${token}`;
    const list = await fetch(`${baseUrl}/organizations/demo/workspaces`, { headers: { authorization } });
    expect(await list.json()).toMatchObject({ data: [{ attributes: { name: 'first', locked: true } }] });

    // The link works once.
    const { hash } = new URL(/http:\S+\/app\/sign-in\/link#\S+/.exec(outputSoFar())?.[0] ?? '');
    const headers = { origin, 'content-type': 'application/json' };
    const body = JSON.stringify({ link: hash.slice(1) });
    const follow = async () => (await fetch(`${origin}/sign-in/link`, { method: 'POST', headers, body })).status;
    expect([await follow(), await follow()]).toEqual([200, 400]);

    expect(await run('admin', settings).ended).toMatchObject({
      code: 0,
      errors: `Sending help to the local service at ${origin}\n`,
    });

    expect(await run('admin', settings, ['no-such-command']).ended).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringMatching(/\nThere is no command no-such-command.*\n$/),
    });

    // The Lambda API of the local service stands for AWS. The local service itself is not found by these settings.
    const { accessKeyId, secretAccessKey } = readCredentials(dataFolder) as LocalCredentials;
    const aws = {
      HOLDFAST_DATA: join(dataFolder, 'none'),
      AWS_ENDPOINT_URL_LAMBDA: origin,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    expect(await run('admin', aws, ['--region', 'eu-west-1', 'help']).ended).toMatchObject({
      code: 0,
      output: expect.stringContaining('create-organization'),
      errors: 'Sending help to the deployment holdfast in eu-west-1\n',
    });
    expect(await run('admin', aws, ['--region', 'eu-west-1', '--name', 'other', 'help']).ended).toMatchObject({
      code: 1,
      output: '',
    });

    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, errors: '' });
    await expect(fetch(baseUrl)).rejects.toThrow();
    expect(await run('admin', settings).ended).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^The service does not respond at .*: start it with npm start\n$/),
    });
  });

  it.skipIf(process.platform !== 'linux')('ends with one line when the disk is full', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    mkdirSync(dataFolder);
    // Every write to this device fails as on a full disk.
    symlinkSync('/dev/full', join(dataFolder, 'functions.log'));
    const { ended, outputSoFar } = run('start', { HOLDFAST_DATA: dataFolder, PORT: '0' });
    await Promise.race([ended, expect.poll(outputSoFar).toMatch(/Press Ctrl-C to stop it/)]);
    const { baseUrl } = JSON.parse(readFileSync(join(dataFolder, 'local.json'), 'utf8'));
    await fetch(`${baseUrl}/organizations/demo`).catch(() => undefined);
    const { code, errors } = await ended;
    expect(code).toBe(1);
    expect(errors).toBe('The disk is full. Nothing that was acknowledged is lost\n');
  });

  it('stops cleanly while the service is starting', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    const { child, ended } = run('start', { HOLDFAST_DATA: dataFolder, PORT: '0' });
    const database = () => statSync(join(dataFolder, 'dynamodb.db'), { throwIfNoEntry: false });
    await expect.poll(database).toBeDefined();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, errors: '' });
  });

  it.each([
    [
      'a port that is in use',
      async () => ({ PORT: String(await usedPort()) }),
      /^Port \d+ on 127\.0\.0\.1 is already in use: .*\n$/,
    ],
    [
      'a port that is not a number',
      async () => ({ PORT: 'http' }),
      /^PORT is http, not a whole number from 0 to 65535\n$/,
    ],
    [
      'an endpoint that is not a URL',
      async () => ({ HOLDFAST_DYNAMODB_ENDPOINT: 'x' }),
      /^HOLDFAST_DYNAMODB_ENDPOINT is x, not a URL.*\n$/,
    ],
    [
      'an unknown edition',
      async () => ({ HOLDFAST_EDITION: 'x' }),
      /^HOLDFAST_EDITION is x, neither self-hosted nor hosted\n$/,
    ],
    [
      'a data folder that is a file',
      async () => ({ HOLDFAST_DATA: program('start') }),
      /^The data folder .* cannot be used: it is not a folder\n$/,
    ],
    [
      'a data folder that cannot be created',
      async () => ({ HOLDFAST_DATA: '/dev/null/data' }),
      /^The data folder .* cannot be used: .*\n$/,
    ],
    [
      'a setting without a value',
      async () => ({}),
      /^--set deletedWorkspaceDays is not a setting and its value, such as --set deletedWorkspaceDays=0\n$/,
      ['--set', 'deletedWorkspaceDays'],
    ],
  ])('reports %s in one line', async (_, settings, line, words: string[] = []) => {
    const folder = join(temporaryFolder(), 'data');
    const environment = { HOLDFAST_DATA: folder, PORT: '0', ...(await settings()) };
    const { code, errors, output } = await run('start', environment, words).ended;
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(line);
  });

  it.skipIf(process.getuid?.() === 0)('reports in one line that it may not write to the data folder', async () => {
    const dataFolder = join(temporaryFolder(), 'data');
    mkdirSync(dataFolder, { mode: 0o500 });
    await expect(start({ dataFolder: join(dataFolder, 'inner') })).rejects.toThrow(/this user may not write to it/);
  });
});
