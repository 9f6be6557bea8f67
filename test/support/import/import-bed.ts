import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliBed, CliOptions, CliResult } from '../cli/cli-bed.ts';
import { waitForReleases } from '../cli/wait.ts';

/** A request to the target that was executed. */
export interface TargetWrite {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly status: number;
}

/** An empty organization into which tests import, with the folder of the import. */
export interface ImportTarget {
  readonly organization: string;
  readonly token: string;
  /** Folder of the import. */
  readonly folder: string;
  /** Writes that the target has executed or rejected, without locks. */
  readonly writes: TargetWrite[];
  /** Sends requests as `fetch` does, and notes the writes. */
  readonly fetch: typeof fetch;
  /** Runs a phase of the import. */
  readonly phase: (phase: string, flags?: readonly string[], options?: CliOptions) => Promise<CliResult>;
  /** Runs a phase that must end with 0, and returns its result. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape.
  readonly json: (phase: string, flags?: readonly string[], options?: CliOptions) => Promise<any>;
  /** Reads the import, and plans it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly plan: (source: string, flags?: readonly string[]) => Promise<any>;
  readonly path: (file: string) => string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly lines: (file: string) => any[];
  readonly enterSecrets: (secrets: object) => void;
  /** Sets `accept` of the problems of the plan. */
  readonly accept: (type?: string) => void;
  /** Sends a read to the service. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly get: (path: string) => Promise<any>;
  /** Reads all pages of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly list: (path: string) => Promise<any[]>;
}

let count = 0;

/** Whether a request is one that an import notes in its journal. Locks have their own trace in the service. */
const isNoted = (method: string, path: string): boolean =>
  method !== 'GET' && !/\/actions\/(lock|unlock|renew-lock|force-unlock)$/.test(path);

/**
 * Creates an empty organization in the service of a bed.
 * @param env environment of the commands, such as the token of the source.
 */
export const createImportTarget = async (
  bed: CliBed,
  env: Readonly<Record<string, string>> = {},
): Promise<ImportTarget> => {
  count += 1;
  const organization = `target-${count}`;
  const created = await bed.admin('create-organization', { name: organization, email: 'ada@example.com' });
  const token: string =
    created.token ?? (await bed.admin('create-token', { kind: 'organization', organization })).token;
  const folder = `move-${count}`;
  const writes: TargetWrite[] = [];
  const send: typeof fetch = async (input, init) => {
    const response = await bed.fetch(input, init);
    const method = init?.method ?? 'GET';
    const { hostname, pathname } = new URL(String(input));
    if (hostname === 'holdfast.test' && isNoted(method, pathname)) {
      const key = new Headers(init?.headers).get('idempotency-key');
      writes.push({ method, path: pathname, key, status: response.status });
    }
    return response;
  };
  const path = (file: string): string => join(bed.home, folder, file);
  const phase: ImportTarget['phase'] = (name, flags = [], options = {}) =>
    bed.run(['import', name, ...(name === 'init' ? [] : [folder]), ...flags, '--json'], {
      wait: waitForReleases,
      fetch: send,
      ...options,
      env: { HOLDFAST_ORG: organization, HOLDFAST_TOKEN: token, ...env, ...options.env },
    });
  const json: ImportTarget['json'] = async (name, flags, options) => {
    const result = await phase(name, flags, options);
    if (result.code !== 0) throw new Error(`import ${name}: exit code ${result.code}\n${result.stderr}`);
    return JSON.parse(result.stdout);
  };
  const get: ImportTarget['get'] = async (url) => {
    const reply = await bed.api.request('GET', url, { token });
    if (reply.status !== 200) throw new Error(`GET ${url}: ${reply.status}`);
    return reply.body;
  };
  return {
    ...{ organization, token, folder, writes, fetch: send, phase, json, path, get },
    plan: async (source, flags = []) => {
      await json('init', [source, folder, ...flags]);
      return json('plan');
    },
    lines: (file) =>
      existsSync(path(file))
        ? readFileSync(path(file), 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line))
        : [],
    enterSecrets: (secrets) => writeFileSync(path('secrets.json'), JSON.stringify(secrets), { mode: 0o600 }),
    accept: (type) => {
      const plan = JSON.parse(readFileSync(path('plan.json'), 'utf8'));
      for (const problem of plan.problems) if (type === undefined || problem.type === type) problem.accept = true;
      writeFileSync(path('plan.json'), JSON.stringify(plan));
    },
    list: async (url) => {
      const all: unknown[] = [];
      for (let page: number | null = 1; page !== null; ) {
        const separator = url.includes('?') ? '&' : '?';
        const { data, meta } = await get(`${url}${separator}page[number]=${page}&page[size]=100`);
        all.push(...data);
        page = meta?.pagination?.['next-page'] ?? null;
      }
      return all;
    },
  };
};

/** A state version of the target: its id, what the service says of it, and its bytes. */
export interface StoredVersion {
  readonly id: string;
  readonly serial: number;
  readonly lineage: string | null;
  readonly isCurrent: boolean;
  readonly content: string;
}

/** Reads the finalized state versions of a workspace of a target, the oldest first, with their bytes. */
export const readStored = async (
  bed: CliBed,
  { organization, token, get, list }: ImportTarget,
  workspace: string,
): Promise<readonly StoredVersion[]> => {
  const { data } = await get(`/organizations/${organization}/workspaces/${workspace}`);
  const current = data.relationships['current-state-version'].data?.id;
  const query = `filter[organization][name]=${organization}&filter[workspace][name]=${workspace}`;
  const versions = (await list(`/state-versions?${query}`)).filter(
    ({ attributes }) => attributes.status === 'finalized',
  );
  const stored: StoredVersion[] = [];
  for (const { id, attributes } of versions.toReversed()) {
    const reply = await bed.api.request('GET', `/state-versions/${id}/download`, { token });
    const content = await (await fetch(reply.headers['location'] ?? '')).text();
    stored.push({ id, serial: attributes.serial, lineage: attributes.lineage, isCurrent: id === current, content });
  }
  return stored;
};
