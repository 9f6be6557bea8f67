import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { openAsyncInvoker } from '../../../infra/local/lambda/async-invoker.ts';
import { openFunctionLog } from '../../../infra/local/lambda/function-log.ts';
import { type Functions, type FunctionsOptions, startFunctions } from '../../../infra/local/lambda/functions.ts';
import { temporaryFolder, writeAssembly } from '../../support/local/small-assembly.ts';

const start = (code: string, properties = {}, concurrency = 8, more: Partial<FunctionsOptions> = {}) => {
  const logFile = join(temporaryFolder(), 'log');
  const log = openFunctionLog(logFile);
  const { functions: definitions } = readAssembly(writeAssembly({ functions: { f: { code, properties } } }));
  const functions = startFunctions({
    definitions,
    concurrency,
    environment: { GIVEN: 'by the runtime' },
    log,
    startsAtOnce: concurrency,
    ...more,
  });
  onTestFinished(async () => {
    await functions.close();
    log.close();
  });
  return { functions, logFile };
};

const invoke = async (functions: Functions, event: unknown = {}) => {
  const outcome = await functions.invoke('f', JSON.stringify(event));
  return outcome.kind === 'succeeded' ? JSON.parse(outcome.payload) : outcome;
};

const statistics = (functions: Functions) => functions.statistics()[0];

/**
 * A function that returns how many events its worker handles at the moment, and how many it has handled. It waits until
 * the file `until` exists.
 */
const counting = `
  import { existsSync } from 'node:fs';
  let calls = 0, busy = 0;
  const worker = crypto.randomUUID();
  export const handler = async ({ until }) => {
    calls += 1; busy += 1;
    while (until !== undefined && !existsSync(until)) await new Promise((resolve) => setTimeout(resolve, 10));
    const seen = busy;
    busy -= 1;
    return { worker, calls, busy: seen };
  };`;

/** Invokes the function `counting`. No event is handled before a number of workers are busy. */
const invokeWithAllBusy = async (functions: Functions, events: number, workers: number) => {
  const until = join(temporaryFolder(), 'until');
  const results = Promise.all(Array.from({ length: events }, () => invoke(functions, { until })));
  await expect.poll(() => statistics(functions)).toMatchObject({ busy: workers });
  writeFileSync(until, '');
  return await results;
};

describe('workers of a function', () => {
  it('run in parallel, handle one event at a time each, and do not share module state', async () => {
    const { functions } = start(counting);
    const results = await invokeWithAllBusy(functions, 24, 8);
    expect(results.map(({ busy }) => busy)).toEqual(Array(24).fill(1));
    const calls = Map.groupBy(results, ({ worker }) => worker);
    expect(calls.size).toBe(8);
    for (const ofWorker of calls.values())
      expect(ofWorker.map((result) => result.calls)).toEqual(ofWorker.map((_, i) => i + 1));
    expect(statistics(functions)).toMatchObject({ workers: 8, busy: 0, maxBusy: 8, queued: 0, invocations: 24 });
  });

  it('are reused while they are idle', async () => {
    const { functions } = start(counting);
    for (let i = 1; i <= 3; i++) expect(await invoke(functions)).toMatchObject({ calls: i });
    expect(statistics(functions)).toMatchObject({ workers: 1, maxBusy: 1 });
  });

  it('end when they have been idle for some time, and start again when they are needed', async () => {
    const { functions } = start(counting, {}, 8, { idleMillis: 20 });
    await invoke(functions);
    await expect.poll(() => statistics(functions)).toMatchObject({ workers: 0, started: 1 });
    expect(await invoke(functions)).toMatchObject({ calls: 1 });
    expect(statistics(functions)).toMatchObject({ started: 2 });
  });

  it('may load for a minute without sending the waiting event to the dead-letter queue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const signal = join(temporaryFolder(), 'signal');
    const { functions } = start(`
      import { existsSync } from 'node:fs';
      while (!existsSync(${JSON.stringify(signal)})) await new Promise((resolve) => setTimeout(resolve, 10));
      export const handler = async () => {};`);
    const send = vi.fn();
    const invoker = openAsyncInvoker({
      functions,
      configs: new Map([['f', { retries: 0, maxAgeMillis: 3_600_000, failureQueue: 'letters' }]]),
      queues: { send },
      folder: temporaryFolder(),
      concurrency: 1,
    });
    onTestFinished(() => invoker.close());
    invoker.start();
    invoker.accept('f', '{}');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(invoker.pending()).toBe(1);
    writeFileSync(signal, '');
    await expect.poll(() => invoker.pending()).toBe(0);
    expect(statistics(functions)).toMatchObject({ started: 1, invocations: 1 });
    expect(send).not.toHaveBeenCalled();
  });

  it('connect to the service when the path of the folder for temporary files is too long for a socket', async () => {
    const folder = join(temporaryFolder(), 'a'.repeat(100));
    mkdirSync(folder);
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { functions } = start(counting);
    expect(await invoke(functions)).toMatchObject({ calls: 1 });
  });

  it('are not more than the concurrency allows', async () => {
    const { functions } = start(counting, {}, 2);
    await invokeWithAllBusy(functions, 10, 2);
    expect(statistics(functions)).toMatchObject({ workers: 2, maxBusy: 2, invocations: 10 });
  });

  it('load one after another, so that they leave processors to those that handle events', async () => {
    const file = join(temporaryFolder(), 'loads');
    const { functions } = start(
      `
      import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(file)}, 'begin ');
      await new Promise((resolve) => setTimeout(resolve, 5));
      appendFileSync(${JSON.stringify(file)}, 'end ');
      export const handler = () => new Promise((resolve) => setTimeout(resolve, 20, 'fine'));`,
      {},
      8,
      { startsAtOnce: 1 },
    );
    const results = await Promise.all(Array.from({ length: 16 }, () => invoke(functions)));
    expect(results).toEqual(Array(16).fill('fine'));
    expect(readFileSync(file, 'utf8')).toMatch(/^(begin end )+(begin )?$/);
  });

  it('handle events that contain line feeds, and return them', async () => {
    const { functions } = start('export const handler = async (event) => event;');
    const event = { text: 'ä\n', list: ['b'] };
    const outcome = await functions.invoke('f', JSON.stringify(event, undefined, 2));
    expect(outcome).toEqual({ kind: 'succeeded', payload: JSON.stringify(event) });
  });

  it('see only the variables of the template and of the runtime', async () => {
    const { functions } = start(
      `export const handler = async (_, context) => ({ env: process.env, left: context.getRemainingTimeInMillis(), name: context.functionName });`,
      { Environment: { Variables: { MINE: 'x' } } },
    );
    const { env, left, name } = await invoke(functions);
    expect(env).toMatchObject({
      MINE: 'x',
      GIVEN: 'by the runtime',
      AWS_LAMBDA_FUNCTION_NAME: 'f',
      AWS_REGION: 'us-east-1',
    });
    expect(env).not.toHaveProperty('PATH');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(900_000);
    expect(name).toBe('f');
  });

  it('keep their compiled code for the next workers, without a variable that Lambda does not have', async () => {
    const codeCache = temporaryFolder();
    const { functions } = start('export const handler = async () => Object.keys(process.env);', {}, 1, { codeCache });
    expect(await invoke(functions)).not.toContain('NODE_COMPILE_CACHE');
    await functions.close();
    expect(readdirSync(codeCache, { recursive: true }).length).toBeGreaterThan(1);
  });

  it('end at once when the caller does not expect another invocation soon', async () => {
    const { functions } = start(counting);
    await invoke(functions);
    functions.endIdle('f');
    await expect.poll(() => statistics(functions)).toMatchObject({ workers: 0, started: 1 });
  });

  it('count as in use from the invocation to the response', async () => {
    const { functions } = start(counting);
    expect(functions.lastInUseAt()).toBe(0);
    const invokedAt = Date.now();
    const invoked = invoke(functions);
    expect(functions.lastInUseAt()).toBeGreaterThanOrEqual(invokedAt);
    await invoked;
    const ended = functions.lastInUseAt();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(functions.lastInUseAt()).toBe(ended);
  });

  it('are terminated at the timeout, even if they block, and replaced', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { functions } = start(`export const handler = async ({ block }) => { while (block); return 'fine'; };`);
    const handling = Promise.withResolvers<void>();
    const blocked = functions.invoke('f', '{"block":true}', handling.resolve);
    await handling.promise;
    await vi.advanceTimersByTimeAsync(899_999);
    expect(statistics(functions)).toMatchObject({ busy: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(await blocked).toMatchObject({
      kind: 'failed',
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/Task timed out after 900\.00 seconds$/),
    });
    expect(await invoke(functions)).toBe('fine');
    expect(statistics(functions)).toMatchObject({ workers: 1, started: 2 });
  });

  it.each([
    ['exits', 'process.exit(3)', 'Runtime.ExitError'],
    [
      'throws outside of its handler',
      "setTimeout(() => { throw new TypeError('late') }); await new Promise(() => {})",
      'TypeError',
    ],
    ['runs out of memory', 'for (const kept = []; ; ) kept.push(new Array(1e6).fill({}))', 'Error'],
  ])('fail one invocation and are replaced when the function %s', async (_, crash, errorType) => {
    const { functions } = start(
      `export const handler = async ({ crash }) => { if (crash) { ${crash} } return 'fine'; };`,
      {
        MemorySize: 128,
      },
    );
    const [crashed, ...others] = await Promise.all([
      invoke(functions, { crash: true }),
      invoke(functions),
      invoke(functions),
    ]);
    expect(crashed).toMatchObject({ kind: 'failed', errorType });
    expect(others).toEqual(['fine', 'fine']);
    expect(await invoke(functions)).toBe('fine');
  });

  it('return an error of the handler, and stay alive', async () => {
    const { functions } = start(`export const handler = async () => { throw new RangeError('no'); };`);
    expect(await invoke(functions)).toMatchObject({ kind: 'failed', errorType: 'RangeError', errorMessage: 'no' });
    await invoke(functions);
    expect(statistics(functions)).toMatchObject({ started: 1 });
  });

  it.each([
    ['does not load', `import 'nowhere';`, /nowhere/],
    ['waits for nothing', `await new Promise(() => {});`, /exited with error/],
    ['has no handler', `export const other = 1;`, /index\.handler is undefined or not exported/],
  ])('fail each invocation when the function %s', async (_, code, errorMessage) => {
    const { functions } = start(code);
    for (let i = 0; i < 2; i++)
      expect(await invoke(functions)).toMatchObject({
        kind: 'failed',
        errorMessage: expect.stringMatching(errorMessage),
      });
  });

  it('throttle when too many invocations wait', async () => {
    const { functions } = start(counting, {}, 1);
    const event = JSON.stringify({ until: join(temporaryFolder(), 'never') });
    const outcomes = Array.from({ length: 1_010 }, () => functions.invoke('f', event));
    expect(await Promise.any(outcomes)).toEqual({ kind: 'throttled' });
    await functions.close();
    expect((await Promise.all(outcomes)).filter(({ kind }) => kind === 'throttled').length).toBeGreaterThan(1_000);
  });

  it('write JSON lines to the log file', async () => {
    const { functions, logFile } = start(
      `export const handler = async () => { console.log('{"level":"INFO"}'); console.error('plain'); };`,
    );
    await invoke(functions);
    await expect
      .poll(() =>
        readFileSync(logFile, 'utf8')
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      )
      .toEqual([{ level: 'INFO' }, expect.objectContaining({ message: 'plain', function_name: 'f' })]);
  });
});

describe('function log', () => {
  it('keeps the present file and the previous file only', () => {
    const file = join(temporaryFolder(), 'log');
    const log = openFunctionLog(file, 100);
    for (let i = 0; i < 20; i++) log.write('f', `{"line":${i},"filling":"${'x'.repeat(40)}"}`);
    log.close();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.length).toBeLessThan(4);
    expect(lines.at(-1)).toContain('"line":19');
    expect(readFileSync(`${file}.1`, 'utf8')).toContain('"line":17');
  });
});
