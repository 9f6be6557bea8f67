import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments } from '../../infra/command-line.ts';
import type { LocalAccess } from '../../infra/local/service/data-folder.ts';
import { cpuTimeOfTree, descendantsOf, isWorkerProcess } from './process-cpu.ts';

const usage = `Usage: npm run bench:start -- [--root <folder>] [--workspaces <number>]

Starts the local service twice, first without and then with its caches, and measures all of its processes on Linux: CPU
time until it is ready, CPU time while it is idle, and memory after the start, after load, and after a time without
requests. The service is idle when it has no workers.

  --root <folder>        measures another checkout
  --workspaces <number>  workspaces that are created as load`;

/** `npm run bench:start`: see the usage above. */
const { values } = readArguments(usage, {
  options: { root: { type: 'string', default: '.' }, workspaces: { type: 'string', default: '200' } },
});
/** The cleanup function, which starts each minute after the start, is part of an idle service. It counts once. */
const IDLE_SECONDS = 60;
/** The minute begins between two of its runs. */
const BEFORE_IDLE_SECONDS = 10;
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
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`npm start ended with the code ${code}`)));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Press Ctrl-C')) resolve();
    });
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-pid, 'SIGINT');
    await ended;
  };
  return { pid, cpuSeconds: () => cpuTimeOfTree(pid) / 1_000, stop };
};

/** Waits until the workers have ended. */
const untilIdle = async (pid: number): Promise<void> => {
  while (descendantsOf(pid).some(isWorkerProcess)) await sleep(100);
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
  for (const cache of ['holdfast', 'node'])
    rmSync(join(values.root, 'node_modules/.cache', cache), { recursive: true, force: true });
  for (const label of ['first start', 'second start']) {
    const service = await start(folder);
    print(`${label}: CPU until ready`, `${service.cpuSeconds().toFixed(1)} s`);
    print(`${label}: memory when ready`, `${megabytes(service.pid).toFixed(0)} MB`);
    await untilIdle(service.pid);
    print(`${label}: memory when idle`, `${megabytes(service.pid).toFixed(0)} MB`);
    if (label === 'second start') {
      await sleep(BEFORE_IDLE_SECONDS * 1_000);
      const before = service.cpuSeconds();
      await sleep(IDLE_SECONDS * 1_000);
      print('idle: share of one core', `${((100 * (service.cpuSeconds() - before)) / IDLE_SECONDS).toFixed(2)} %`);
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
