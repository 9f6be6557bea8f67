import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '../../infra/cli/import/source.ts';
import { openTfeSource } from '../../infra/cli/import/sources/tfe.ts';
import { resolveTfeAddress } from '../../infra/cli/import/tfe/address.ts';
import { records as validRecords } from '../../shared/validators/compiled/bundle.js';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { hcpState } from '../support/import/hcp-description.ts';
import { startHcpServer } from '../support/import/hcp-server.ts';
import { collectInventory, downloadAll, recordsOf } from '../support/import/inventory.ts';
import { openHcp } from '../support/import/open-hcp.ts';

let context: ContextBed;
beforeAll(() => {
  context = createContextBed();
});
afterAll(() => context.remove());

/** A request that reached a server of a test. */
interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly token: string | null;
}

type Responder = (seen: Seen) => Response | undefined;

const json = (document: unknown, status = 200): Response =>
  new Response(JSON.stringify(document), { status, headers: { 'content-type': 'application/vnd.api+json' } });

/** Response of a router to a path that it does not know. */
const unknownPath = (): Response =>
  new Response('404 page not found\n', { status: 404, headers: { 'content-type': 'text/plain' } });

/** Opens a source of which one function is the server. */
const openServer = async (respond: Responder, address = 'tfe://otf.test/acme') => {
  const seen: Seen[] = [];
  const io = {
    ...context.io({ HOLDFAST_SOURCE_TOKEN: 'secret-token' }),
    fetch: (async (input, init) => {
      const request = {
        method: init?.method ?? 'GET',
        url: new URL(String(input)),
        token: new Headers(init?.headers).get('authorization'),
      };
      seen.push(request);
      return respond(request) ?? unknownPath();
    }) satisfies typeof fetch,
  };
  return { seen, source: openTfeSource(io, { ...(await resolveTfeAddress(io, address)), rate: 1_000 }) };
};

/** Documents of OTF 0.6, as its sources build them. */
const otfWorkspace = {
  type: 'workspaces',
  id: 'ws-1',
  attributes: {
    ...{ name: 'network', description: '', 'execution-mode': 'agent', 'agent-pool-id': 'apool-1', locked: false },
    ...{ 'terraform-version': '1.9.8', 'tag-names': null, 'trigger-prefixes': null, 'trigger-patterns': ['a/*'] },
    ...{ 'source-name': '', 'source-url': '', 'working-directory': '', 'auto-apply': true, operations: false },
    ...{ 'created-at': '2026-01-01T00:00:00Z', 'updated-at': '2026-01-01T00:00:00Z', 'vcs-repo': null },
    permissions: { 'can-lock': true, 'can-update-variable': true },
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
  },
  relationships: { 'current-run': { data: null }, 'ssh-key': { data: null }, outputs: { data: [] } },
};
const otfVersion = (id: string, serial: number) => ({
  type: 'state-versions',
  id,
  attributes: {
    ...{ serial, status: 'finalized', 'vcs-commit-sha': '', 'created-at': `2026-01-01T00:00:0${serial}Z` },
    'hosted-state-download-url': `/api/v2/state-versions/${id}/download`,
  },
  relationships: { outputs: { data: [] } },
});
const otf: Readonly<Record<string, unknown>> = {
  '/organizations/acme': {
    type: 'organizations',
    id: 'acme',
    attributes: {
      ...{
        email: '',
        'collaborator-auth-policy': '',
        'owners-team-saml-role-id': '-',
        'default-execution-mode': 'remote',
      },
      ...{ 'session-remember': null, 'session-timeout': null, 'trial-expires-at': '0001-01-01T00:00:00Z' },
      permissions: { 'can-create-team': false, 'can-update': true },
    },
    relationships: { 'default-agent-pool': { data: null } },
  },
  '/organizations/acme/workspaces': [otfWorkspace],
  '/organizations/acme/workspaces/network': otfWorkspace,
  '/organizations/acme/teams': [
    { type: 'teams', id: 'team-1', attributes: { name: 'owners', visibility: 'secret', 'sso-team-id': null } },
  ],
  '/organizations/acme/agent-pools': [
    {
      type: 'agent-pools',
      id: 'apool-1',
      attributes: { name: 'build', 'organization-scoped': true },
      relationships: { 'allowed-workspaces': { data: [] } },
    },
  ],
  '/organizations/acme/varsets': [
    {
      ...{ type: 'varsets', id: 'varset-1', attributes: { name: 'defaults', description: '', global: true } },
      relationships: { workspaces: { data: [] } },
    },
  ],
  '/varsets/varset-1/relationships/vars': [],
  '/organizations/acme/ssh-keys': [],
  '/organizations/acme/oauth-clients': [],
  '/workspaces/ws-1': otfWorkspace,
  '/workspaces/ws-1/vars': [
    {
      ...{ type: 'vars', id: 'var-1', relationships: { configurable: { data: { type: 'workspaces', id: 'ws-1' } } } },
      attributes: { key: 'token', value: '', category: 'terraform', sensitive: true, hcl: false, description: '' },
    },
  ],
  '/workspaces/ws-1/current-state-version': otfVersion('sv-2', 2),
  '/workspaces/ws-1/run-triggers': [],
  '/workspaces/ws-1/notification-configurations': [],
  '/state-versions': [otfVersion('sv-2', 2), otfVersion('sv-1', 1)],
  '/state-versions/sv-1': otfVersion('sv-1', 1),
};

const respondLikeOtf: Responder = ({ url, token }) => {
  if (url.pathname === '/.well-known/terraform.json') return json({ 'tfe.v2': '/api/v2/' });
  if (token !== 'Bearer secret-token') return new Response('unauthorized\n', { status: 401 });
  const path = url.pathname.replace('/api/v2', '');
  if (path === '/organizations/acme/organization-memberships') return new Response(null, { status: 405 });
  if (path === '/state-versions/sv-1/download') return new Response(hcpState(1, 'a'));
  const data = otf[path];
  return data === undefined ? undefined : json({ data });
};

describe('OTF as a source', () => {
  test('leads to an inventory of what the server says, and of nothing that it does not say', async () => {
    const { source, seen } = await openServer(respondLikeOtf);
    const inventory = await collectInventory(source);
    const [organization] = recordsOf(inventory, 'organization');
    expect(organization).toEqual({
      ...{ name: 'acme', 'default-execution-mode': 'remote', 'default-agent-pool': null },
      ...{ 'session-remember': null, 'session-timeout': null, 'data-retention-policy': null, origin: {} },
    });
    expect(recordsOf(inventory, 'workspaces')).toEqual([
      {
        ...{ name: 'network', project: null, 'execution-mode': 'agent', 'agent-pool': 'build', 'auto-apply': true },
        ...{ description: null, 'source-name': null, 'source-url': null, 'working-directory': null },
        ...{ 'infra-version': '1.9.8', 'tag-names': [], 'trigger-prefixes': [], 'trigger-patterns': ['a/*'] },
        ...{
          'tag-bindings': {},
          'data-retention-policy': null,
          'ssh-key': null,
          'vcs-connection': null,
          'vcs-repo': null,
        },
        origin: { id: 'ws-1', 'created-at': '2026-01-01T00:00:00Z', 'updated-at': '2026-01-01T00:00:00Z' },
      },
    ]);
    expect(recordsOf(inventory, 'variables')).toEqual([
      {
        ...{ workspace: 'network', category: 'infra', key: 'token', value: null, needs: 'value', sensitive: true },
        ...{ hcl: false, description: '', origin: { id: 'var-1' } },
      },
    ]);
    expect(
      inventory.versions.map(({ position, serial, origin, ...others }) => [
        position,
        serial,
        origin.id,
        others['is-current'],
      ]),
    ).toEqual([
      [1, 1, 'sv-1', false],
      [2, 2, 'sv-2', true],
    ]);
    for (const [type, record] of inventory.records) {
      if (type !== 'state-versions')
        expect(validRecords[type as 'teams'](JSON.parse(JSON.stringify(record))), type).toBe(true);
    }
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test('names each endpoint that it does not offer once', async () => {
    const { source } = await openServer(respondLikeOtf);
    const { notCarried } = await collectInventory(source);
    expect(new Set(notCarried.map(({ reason }) => reason))).toEqual(new Set(['not-offered']));
    expect(notCarried.map(({ type }) => type).sort()).toEqual([
      'authentication-tokens',
      'cidr-range-lists',
      'notification-configurations',
      'organization-memberships',
      'policies',
      'policy-sets',
      'projects',
      'provider-sets',
      'remote-state-consumers',
      'tag-bindings',
      'team-tokens',
      'team-workspaces',
    ]);
  });

  test('gets the token with downloads, which are on its own host', async () => {
    const { source, seen } = await openServer(respondLikeOtf);
    const { versions } = await collectInventory(source);
    const [first] = versions;
    if (first === undefined) throw new Error('There is no state version.');
    expect(await downloadAll(source, first)).toBe(hcpState(1, 'a').toString());
    expect(seen.at(-1)).toMatchObject({ token: 'Bearer secret-token', url: { host: 'otf.test' } });
  });

  test('holds a lock whose holder it does not name only for an import that has taken it', async () => {
    let locked = false;
    const posts: string[] = [];
    const { source } = await openServer((seen) => {
      const { method, url } = seen;
      if (method === 'POST') {
        posts.push(url.pathname);
        if (url.pathname.endsWith('/lock') && locked) return new Response('\n', { status: 409 });
        locked = url.pathname.endsWith('/lock');
      }
      const { attributes, ...others } = otfWorkspace;
      return /\/(lock|unlock|network)$/.test(url.pathname)
        ? json({ data: { ...others, attributes: { ...attributes, locked } } })
        : respondLikeOtf(seen);
    });
    await source.locks?.acquire('network', 'imp-1');
    await expect(source.locks?.acquire('network', 'imp-1')).rejects.toMatchObject({ exit: 'conflict' });
    await source.locks?.acquire('network', 'imp-1', true);
    await source.locks?.release('network', 'imp-1');
    expect(posts).toEqual(['/api/v2/workspaces/ws-1/actions/lock', '/api/v2/workspaces/ws-1/actions/unlock']);
  });
});

describe('a state that is pushed to OTF', () => {
  test('is a conflict if a newer one is there, although OTF calls it a fault', async () => {
    const { source } = await openServer((seen) => {
      const { method, url } = seen;
      if (method === 'POST') return json({ errors: [{ status: '500', title: 'the serial is not greater' }] }, 500);
      if (/\/(network|ws-1)$/.test(url.pathname)) {
        return json({ data: { ...otfWorkspace, attributes: { ...otfWorkspace.attributes, locked: true } } });
      }
      const version = { ...otfVersion('sv-1', 1), id: 'sv-1' };
      return url.pathname.endsWith('/current-state-version') ? json({ data: version }) : respondLikeOtf(seen);
    });
    await expect(source.push('network', Buffer.from('{"serial":1}'))).rejects.toMatchObject({
      exit: 'conflict',
      message: 'network has a newer state at otf.test.',
    });
    await expect(source.push('network', hcpState(2, 'a'))).rejects.toMatchObject({ exit: 'failed' });
    await source.push('network', hcpState(1, 'a'));
  });
});

describe('endpoints that a plan of HCP Terraform does not include', () => {
  const description = {
    workspaces: [{ name: 'network' }, { name: 'web' }],
    absent: ['teams', 'team-workspaces', 'policy-sets'],
  };

  test('are not offered to an owner, and are noted once', async () => {
    const server = await startHcpServer(description);
    const { notCarried } = await collectInventory(await openHcp(context, server));
    expect(notCarried.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'policy-sets not-offered',
      'team-workspaces not-offered',
      'teams not-offered',
    ]);
    // Once one workspace has shown it, the others are not asked.
    expect(server.requests.filter(({ url }) => url.startsWith('/api/v2/team-workspaces')).length).toBeLessThanOrEqual(
      2,
    );
    await server.stop();
  });

  test('are not permitted to a caller who does not see everything', async () => {
    const server = await startHcpServer({ ...description, organization: { permissions: { 'can-update': false } } });
    const { notCarried } = await collectInventory(await openHcp(context, server));
    expect(notCarried.map(({ type, name, reason }) => `${type} ${name} ${reason}`).sort()).toEqual([
      'policy-sets acme not-permitted',
      'teams acme not-permitted',
      'workspace-access network not-permitted',
      'workspace-access web not-permitted',
    ]);
    await server.stop();
  });

  test('never hide variables or states', async () => {
    const server = await startHcpServer({ workspaces: [{ name: 'network' }], absent: ['vars', 'state-versions'] });
    const { notCarried } = await collectInventory(await openHcp(context, server));
    expect(notCarried.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'state-versions not-permitted',
      'variables not-permitted',
    ]);
    await server.stop();
  });
});

describe('a list that changes while it is read', () => {
  test('is read again until it has as many items as the server says', async () => {
    let readings = 0;
    const workspace = (id: string) => ({
      ...otfWorkspace,
      id,
      attributes: { ...otfWorkspace.attributes, name: `name-${id}` },
    });
    const { source } = await openServer((seen) => {
      const { pathname } = seen.url;
      if (pathname.endsWith('/vars') || pathname.endsWith('/state-versions')) return json({ data: [] });
      const [, id] = /\/workspaces\/(ws-\d)$/.exec(pathname) ?? [];
      if (id !== undefined) return json({ data: workspace(id) });
      if (pathname !== '/api/v2/organizations/acme/workspaces') return respondLikeOtf(seen);
      readings += 1;
      // A deletion moves the second workspace from the second page to the first one, after that was read.
      const data = readings === 1 ? [workspace('ws-1')] : [workspace('ws-1'), workspace('ws-2')];
      return json({ data, meta: { pagination: { 'next-page': null, 'total-count': 2 } } });
    });
    const { workspaces } = await collectInventory(source);
    expect([readings, [...workspaces].sort()]).toEqual([2, ['name-ws-1', 'name-ws-2']]);
  });
});

describe('a server that does not respond like HCP Terraform', () => {
  const html = (): Response => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  const damaged = (): Response => new Response('{"data":', { headers: { 'content-type': 'application/json' } });
  const read = (source: Source) => collectInventory(source);

  test.each([
    ['a page', html, /^otf\.test does not respond like HCP Terraform\.$/],
    ['damaged JSON', damaged, /^otf\.test responds with JSON that is damaged or incomplete\.$/],
    [
      'other JSON',
      () => json({ status: 'ok' }),
      /^otf\.test does not respond like HCP Terraform: the document is not one of its API\.$/,
    ],
    [
      'another resource',
      () => json({ data: { type: 'users', id: 'ada' } }),
      /^otf\.test does not respond like HCP Terraform: the document is not one of its API\.$/,
    ],
    [
      'an empty list',
      () => json([]),
      /^otf\.test does not respond like HCP Terraform: the document is not one of its API\.$/,
    ],
    ['404', unknownPath, /^There is no organization "acme" at otf\.test, or the token may not see it\.$/],
    [
      '401',
      () => new Response('unauthorized', { status: 401 }),
      /^otf\.test rejects the token from HOLDFAST_SOURCE_TOKEN\.$/,
    ],
  ])('is reported when it responds with %s', async (_, respond, message) => {
    const { source } = await openServer(respond);
    await expect(read(source)).rejects.toMatchObject({ name: 'Failure', message: expect.stringMatching(message) });
  });

  test('never sees the token in an error', async () => {
    const { source } = await openServer(html);
    const error = await read(source).catch((reason) => reason);
    expect(JSON.stringify([error.message, error.details])).not.toContain('secret-token');
  });
});

describe('the path of the API', () => {
  test('is the one that the host names', async () => {
    const { source, seen } = await openServer(({ url }) =>
      url.pathname === '/.well-known/terraform.json' ? json({ 'tfe.v2': '/terraform/api/v2/' }) : undefined,
    );
    await expect(collectInventory(source)).rejects.toMatchObject({ exit: 'notFound' });
    expect(seen.map(({ url }) => url.pathname)).toEqual([
      '/.well-known/terraform.json',
      '/terraform/api/v2/organizations/acme',
    ]);
  });

  test('is not followed to another host, which would get the token', async () => {
    const { source, seen } = await openServer(() => json({ 'tfe.v2': 'https://other.test/api/v2/' }));
    await expect(collectInventory(source)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('other.test'),
    });
    expect(seen.map(({ url }) => url.host)).toEqual(['otf.test']);
  });
});

describe('the address of a source', () => {
  const resolve = (address: string, env: Readonly<Record<string, string>> = { HOLDFAST_SOURCE_TOKEN: 'one' }) =>
    resolveTfeAddress(context.io(env), address);

  test('names a host and an organization', async () => {
    expect(await resolve('tfe://APP.terraform.io/acme')).toEqual({
      ...{ origin: 'https://app.terraform.io', host: 'app.terraform.io', organization: 'acme' },
      token: { token: 'one', source: 'HOLDFAST_SOURCE_TOKEN' },
    });
  });

  test.each(['tfe://127.0.0.1:8080/acme', 'tfe://localhost:8080/acme/'])('is one of HTTP for %s', async (address) => {
    expect((await resolve(address)).origin).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):8080$/);
  });

  test.each([
    'tfe://app.terraform.io',
    'tfe:///acme',
    'tfe://a b/acme',
    'tfe://ada:hunter2@host/acme',
    'tfe://host/acme/more',
  ])('is an error in the form %s, without its password', async (address) => {
    const error = await resolve(address).catch((reason) => reason);
    expect(error).toMatchObject({ exit: 'usage' });
    expect(error.message).not.toContain('hunter2');
  });

  test('sends the token that terraform has for this host, or none', async () => {
    const { token } = await resolve('tfe://app.terraform.io/acme', { TF_TOKEN_app_terraform_io: 'two' });
    expect(token).toEqual({ token: 'two', source: 'TF_TOKEN_app_terraform_io' });
    await expect(resolve('tfe://other.test/acme', { TF_TOKEN_app_terraform_io: 'two' })).rejects.toMatchObject({
      exit: 'notAuthenticated',
      message: 'There is no token for other.test.',
    });
  });
});
