import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LocalAccess } from '../../infra/local/service/data-folder.ts';
import { cpuTimeOf, descendantsOf } from './process-cpu.ts';

/**
 * `npm run bench:start` starts the local service twice, first without and then with a cached app, and measures all of its
 * processes on Linux: CPU time until it is ready, CPU time while it is idle, and memory after the start, after load, and
 * after a time without requests. `--root <folder>` measures another checkout.
 */
const { values } = parseArgs({
  options: { root: { type: 'string', default: '.' }, workspaces: { type: 'string', default: '200' } },
});
const IDLE_SECONDS = 20;
const RELEASE_SECONDS = 60;
const CLIENTS = 16;

const withDescendants = (pid: number): number[] => [pid, ...descendantsOf(pid)];

/** Reads the memory of a process. It is 0 for a process that has just ended. */
const readMegabytes = (pid: number): number => {
  try {
    const [, kilobytes = '0'] = /^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return 0;
  }
};

const megabytes = (root: number): number => withDescendants(root).reduce((sum, pid) => sum + readMegabytes(pid), 0);

const start = async (dataFolder: string) => {
  const child = spawn('npm', ['start'], {
    cwd: values.root,
    env: { ...process.env, HOLDFAST_DATA: dataFolder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  // Processes that have ended count with the time of their last sample.
  const samples = new Map<number, number>();
  const sample = (): number => {
    for (const each of withDescendants(pid)) samples.set(each, cpuTimeOf(each) ?? samples.get(each) ?? 0);
    return [...samples.values()].reduce((sum, milliseconds) => sum + milliseconds, 0) / 1_000;
  };
  const timer = setInterval(sample, 30);
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`npm start ended with the code ${code}`)));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Press Ctrl-C')) resolve();
    });
  });
  clearInterval(timer);
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-pid, 'SIGINT');
    await ended;
  };
  return { pid, sample, stop };
};

/** Creates workspaces and sends other common requests. @returns the number of responses with an error. */
const applyLoad = async ({ baseUrl, token }: LocalAccess, workspaces: number): Promise<number> => {
  let errors = 0;
  const call = async (method: string, path: string, data?: object) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    if (!response.ok) errors += 1;
    return response.status === 204 ? undefined : ((await response.json()) as { data?: { id: string } }).data;
  };
  const list = '/organizations/demo/workspaces';
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let i = client; i < workspaces; i += CLIENTS) {
      const name = `bench-${Date.now()}-${i}`;
      const workspace = await call('POST', list, { type: 'workspaces', attributes: { name } });
      const path = `/workspaces/${workspace?.id}`;
      await call('POST', `${path}/actions/lock`);
      await call('GET', list);
      await call('POST', `${path}/vars`, { type: 'vars', attributes: { key: 'k', value: 'v', category: 'env' } });
      await call('GET', `${path}/vars`);
    }
  });
  await Promise.all(clients);
  return errors;
};

const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
const print = (label: string, value: string) => console.log(`${label.padEnd(40)} ${value}`);
try {
  rmSync(join(values.root, 'node_modules/.cache/holdfast'), { recursive: true, force: true });
  for (const label of ['first start', 'second start']) {
    const service = await start(folder);
    print(`${label}: CPU until ready`, `${service.sample().toFixed(1)} s`);
    print(`${label}: memory`, `${megabytes(service.pid).toFixed(0)} MB`);
    if (label === 'second start') {
      const before = service.sample();
      await sleep(IDLE_SECONDS * 1_000);
      print('idle: share of one core', `${((100 * (service.sample() - before)) / IDLE_SECONDS).toFixed(2)} %`);
      const access = JSON.parse(readFileSync(join(folder, 'local.json'), 'utf8')) as LocalAccess;
      const errors = await applyLoad(access, Number(values.workspaces));
      print('responses with an error under load', String(errors));
      print('memory after load', `${megabytes(service.pid).toFixed(0)} MB`);
      await sleep(RELEASE_SECONDS * 1_000);
      print(`memory ${RELEASE_SECONDS} s after the last request`, `${megabytes(service.pid).toFixed(0)} MB`);
    }
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
