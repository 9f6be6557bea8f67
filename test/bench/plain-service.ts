import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

/** Size of an organization. */
export interface OrganizationSize {
  readonly workspaces: number;
  /** State versions of each workspace, at most 254. */
  readonly states: number;
  /** Size of each state. */
  readonly kilobytes: number;
}

const TIME = '2026-11-24T08:00:00.000Z';

const idOf = (index: number): string => `ws-${String(index).replaceAll('0', 'z').padStart(16, 'y')}`;

const page = (data: readonly unknown[], next: number | null = null) => ({
  data,
  meta: { pagination: { 'next-page': next } },
});

const organization = {
  data: {
    id: 'acme',
    attributes: {
      name: 'acme',
      permissions: {
        'can-read-varsets': true,
        'can-create-team': true,
        'can-manage-membership': true,
        'can-create-workspace': true,
        'can-update': true,
      },
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

const permissions = Object.fromEntries(
  [
    ...['can-read-variable', 'can-read-state-versions', 'can-update', 'can-update-variable', 'can-manage-teams'],
    ...['can-lock', 'can-create-state-versions'],
  ].map((name) => [name, true]),
);

const workspaceOf = (index: number, serial: number) => ({
  id: idOf(index),
  type: 'workspaces',
  attributes: {
    ...{ name: `workspace-${index}`, description: null },
    ...{ 'created-at': TIME, 'updated-at': TIME, 'latest-change-at': TIME },
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false, 'deletion-protection': false },
    'inherits-project-auto-destroy': true,
    'tag-names': [],
    'vcs-repo': null,
    permissions,
  },
  relationships: {
    organization: { data: { type: 'organizations', id: 'acme' } },
    project: { data: { type: 'projects', id: 'prj-1' } },
    'ssh-key': { data: null },
    'locked-by': { data: null },
    'effective-tag-bindings': {},
    'current-state-version': { data: serial === 0 ? null : { type: 'state-versions', id: `sv-${index}-${serial}` } },
    'data-retention-policy': { data: null },
  },
});

/** Yields the content of a state version in parts of a kilobyte. */
function* contentOf(id: string, kilobytes: number): Generator<Uint8Array> {
  const serial = id.split('-')[2];
  const start = `{"version":4,"serial":${serial},"lineage":"l","outputs":{},"resources":[],"padding":"${id} `;
  for (let part = 1; part <= kilobytes; part += 1) {
    const end = part === kilobytes ? '"}' : '';
    yield Buffer.from((part === 1 ? start : '').padEnd(1_024 - end.length, 'x') + end);
  }
}

/** A service with one organization, in this process only. */
export interface PlainService {
  readonly fetch: typeof fetch;
  /** Number of requests so far. */
  readonly requests: () => number;
}

/**
 * Creates a service with the organization `acme`, in constant memory: workspaces have no variables, and all the same settings.
 * @param isFilled whether it has its workspaces already. Otherwise, it accepts them.
 */
export const createPlainService = (
  { workspaces, states, kilobytes }: OrganizationSize,
  isFilled: boolean,
): PlainService => {
  const indexes = new Map(Array.from({ length: workspaces }, (_, place) => [idOf(place + 1), place + 1]));
  /** One more than the number of state versions of each workspace. */
  const present = new Uint8Array(workspaces + 1).fill(isFilled ? states + 1 : 0);
  let requests = 0;

  const versionOf = (index: number, serial: number) => {
    const id = `sv-${index}-${serial}`;
    const hash = createHash('md5');
    for (const part of contentOf(id, kilobytes)) hash.update(part);
    return {
      id,
      attributes: {
        ...{ status: 'finalized', serial, lineage: 'l', md5: hash.digest('hex'), size: kilobytes * 1_024 },
        ...{ intermediate: false, 'created-at': TIME, 'vcs-commit-sha': null, 'vcs-commit-url': null },
      },
      relationships: { 'created-by': { data: null } },
    };
  };
  const show = (index: number) => ({ data: workspaceOf(index, (present[index] ?? 1) - 1) });

  /** Lists the workspaces of a page, without those that are not there. */
  const listWorkspaces = (number: number) => {
    const start = (number - 1) * 100;
    const found = Array.from({ length: Math.min(100, workspaces - start) }, (_, place) => start + place + 1);
    return page(
      found.filter((index) => (present[index] ?? 0) > 0).map((index) => show(index).data),
      start + 100 < workspaces ? number + 1 : null,
    );
  };

  const write = (path: string, body: string): object | undefined => {
    const [, , id = '', rest] = path.split('/');
    if (path === '/organizations/acme/workspaces') {
      const index = Number(JSON.parse(body).data.attributes.name.split('-')[1]);
      present[index] = 1;
      return show(index);
    }
    const index = indexes.get(id) ?? 0;
    if (rest === 'actions') return show(index);
    if (rest !== 'state-versions') return undefined;
    present[index] = (present[index] ?? 0) + 1;
    return { data: versionOf(index, (present[index] ?? 0) - 1) };
  };

  const read = (path: string, query: URLSearchParams): object | undefined => {
    const [, , id = '', rest] = path.split('/');
    if (path === '/account/details') return { data: { attributes: { username: 'ada' } } };
    if (path === '/organizations/acme') return organization;
    if (path === '/organizations/acme/projects') return page([project]);
    if (path === '/organizations/acme/workspaces') return listWorkspaces(Number(query.get('page[number]')));
    if (path.startsWith('/workspaces/') && rest === undefined) return show(indexes.get(id) ?? 0);
    if (path === '/state-versions') {
      const index = Number(query.get('filter[workspace][name]')?.split('-')[1]);
      const newest = (present[index] ?? 1) - 1;
      return page(Array.from({ length: newest }, (_, place) => versionOf(index, newest - place)));
    }
    return path.endsWith('/data-retention-policy') ? undefined : page([]);
  };

  return {
    requests: () => requests,
    fetch: async (input, init) => {
      requests += 1;
      const { pathname, searchParams } = new URL(String(input));
      if (pathname.endsWith('/download')) {
        const content = contentOf(pathname.split('/')[4] ?? '', kilobytes);
        return new Response(Readable.toWeb(Readable.from(content)) as ReadableStream);
      }
      const path = pathname.replace('/api/v2', '');
      const document =
        (init?.method ?? 'GET') === 'GET' ? read(path, searchParams) : write(path, String(init?.body ?? ''));
      return document === undefined
        ? Response.json({ errors: [{ status: '404', title: 'not found' }] }, { status: 404 })
        : Response.json(document, { headers: { etag: '"1"' } });
    },
  };
};
