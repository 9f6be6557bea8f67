/** Measures the memory of `holdfast export` and `holdfast bundle verify` (`npm run bench:export`). */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../../infra/cli/io.ts';
import { runCommandLine } from '../../infra/cli/program.ts';
import { readArguments } from '../../infra/command-line.ts';

const usage = `Usage: npm run bench:export -- [--workspaces <number>] [--states <number>] [--kilobytes <number>]

Exports an organization of a service that exists in this process only, verifies the bundle, and prints the largest size of the heap
after a garbage collection, at each tenth of the requests. The heap may grow by some hundred bytes for each workspace, whose names other records
refer to, and not with the number or the size of states.

  --workspaces <number>  workspaces
  --states <number>      state versions of each workspace
  --kilobytes <number>   size of each state`;

const { values } = readArguments(usage, {
  options: {
    workspaces: { type: 'string', default: '10000' },
    states: { type: 'string', default: '1' },
    kilobytes: { type: 'string', default: '1' },
  },
});
const workspaces = Number(values.workspaces);
const states = Number(values.states);
const kilobytes = Number(values.kilobytes);

const idOf = (index: number): string => `ws-${String(index).replaceAll('0', 'z').padStart(16, 'y')}`;
const indexes = new Map<string, number>();
const TIME = '2026-11-24T08:00:00.000Z';

const workspace = (index: number) => ({
  id: idOf(index),
  type: 'workspaces',
  attributes: {
    name: `workspace-${index}`,
    description: null,
    'created-at': TIME,
    'updated-at': TIME,
    'latest-change-at': TIME,
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false, 'deletion-protection': false },
    'inherits-project-auto-destroy': true,
    'tag-names': [],
    'vcs-repo': null,
    permissions: { 'can-read-variable': true, 'can-read-state-versions': true },
  },
  relationships: {
    organization: { data: { type: 'organizations', id: 'acme' } },
    project: { data: { type: 'projects', id: 'prj-1' } },
    'ssh-key': { data: null },
    'locked-by': { data: null },
    'effective-tag-bindings': {},
    'current-state-version': { data: { type: 'state-versions', id: `sv-${index}-${states}` } },
    'data-retention-policy': { data: null },
  },
});

/** Yields the content of a state version in parts. */
function* content(id: string): Generator<Uint8Array> {
  const part = Buffer.from(`${id} `.padEnd(1_024, 'x'));
  for (let count = 0; count < kilobytes; count += 1) yield part;
}

const md5Of = (id: string): string => {
  const hash = createHash('md5');
  for (const part of content(id)) hash.update(part);
  return hash.digest('hex');
};

const versions = (index: number): readonly object[] =>
  Array.from({ length: states }, (_, place) => {
    const id = `sv-${index}-${states - place}`;
    const attributes = {
      status: 'finalized',
      serial: states - place,
      lineage: 'l',
      md5: md5Of(id),
      size: kilobytes * 1_024,
    };
    return {
      id,
      attributes: {
        ...attributes,
        intermediate: false,
        'created-at': TIME,
        'vcs-commit-sha': null,
        'vcs-commit-url': null,
      },
      relationships: { 'created-by': { data: null } },
    };
  });

const page = (data: readonly unknown[], next: number | null = null) => ({
  data,
  meta: { pagination: { 'next-page': next } },
});

const organization = {
  data: {
    id: 'acme',
    attributes: {
      name: 'acme',
      permissions: { 'can-read-varsets': true, 'can-create-team': true, 'can-manage-membership': true },
    },
    relationships: { 'default-project': { data: { id: 'prj-1' } }, 'default-agent-pool': { data: null } },
  },
};

const project = {
  id: 'prj-1',
  attributes: {
    name: 'Default',
    'setting-overwrites': {},
    'created-at': TIME,
    permissions: { 'can-read-teams': true },
  },
  relationships: { 'default-agent-pool': { data: null } },
};

const respond = (url: URL): object | undefined => {
  const path = url.pathname.replace('/api/v2', '');
  const [, , id = '', rest] = path.split('/');
  if (path === '/account/details') return { data: { attributes: { username: 'ada' } } };
  if (path === '/organizations/acme') return organization;
  if (path === '/organizations/acme/projects') return page([project]);
  if (path === '/organizations/acme/workspaces') {
    const number = Number(url.searchParams.get('page[number]'));
    const start = (number - 1) * 100;
    const found = Array.from({ length: Math.min(100, workspaces - start) }, (_, place) => workspace(start + place + 1));
    return page(found, start + 100 < workspaces ? number + 1 : null);
  }
  if (path.startsWith('/workspaces/') && rest === undefined) return { data: workspace(indexes.get(id) ?? 0) };
  if (path === '/state-versions') {
    return page(versions(Number(url.searchParams.get('filter[workspace][name]')?.split('-')[1])));
  }
  return path.endsWith('/data-retention-policy') ? undefined : page([]);
};

let requests = 0;
let largest = 0;
const collect = globalThis.gc;
if (collect === undefined) throw new Error('Run it with node --expose-gc.');

const measure = (): number => {
  collect();
  largest = Math.max(largest, process.memoryUsage().heapUsed);
  return largest;
};

const interval = Math.max(100, Math.floor((workspaces * (14 + states)) / 10));
const service: typeof fetch = async (input) => {
  requests += 1;
  if (requests % interval === 0) console.log(`${requests} requests: ${(measure() / 1e6).toFixed(1)} MB`);
  const url = new URL(String(input));
  if (url.pathname.endsWith('/download')) {
    return new Response(Readable.toWeb(Readable.from(content(url.pathname.split('/')[4] ?? ''))) as ReadableStream);
  }
  const document = respond(url);
  return document === undefined
    ? Response.json({ errors: [{ status: '404', title: 'not found' }] }, { status: 404 })
    : Response.json(document, { headers: { etag: '"1"' } });
};

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const output = (): Io['stdout'] => new PassThrough().on('data', (text) => process.stdout.write(text));
const io: Io = {
  stdin: Readable.from([]) as Io['stdin'],
  stdout: output(),
  stderr: output(),
  progress: () => undefined,
  env: { HOME: folder, HOLDFAST_URL: 'https://holdfast.test', HOLDFAST_TOKEN: 'hfu_bench' },
  program: '',
  cwd: folder,
  fetch: service,
  wait: async () => undefined,
  signal: new AbortController().signal,
  onSignals: () => undefined,
};

try {
  for (let index = 1; index <= workspaces; index += 1) indexes.set(idOf(index), index);
  const start = measure();
  for (const argv of [
    ['export', 'acme', '--out', 'bundle'],
    ['bundle', 'verify', 'bundle'],
  ]) {
    const begin = performance.now();
    largest = 0;
    const timer = setInterval(measure, 1_000);
    const code = await runCommandLine(argv, io, 'bench');
    clearInterval(timer);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    const growth = ((measure() - start) / 1e6).toFixed(1);
    console.log(
      `${argv.join(' ')}: exit code ${code}, ${seconds} s, ${requests} requests, ${growth} MB more than before`,
    );
  }
  console.log(`Resident at most: ${(process.resourceUsage().maxRSS / 1_000).toFixed(0)} MB`);
} finally {
  rmSync(folder, { recursive: true });
}
