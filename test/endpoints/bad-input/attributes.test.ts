import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attributes as table } from '../../../shared/resources/workspaces/attributes.ts';
import { CACHED } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  expectInvalid,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { expectRejection } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Attributes of workspace requests (WS-21): defaults, accepted values and rejected values. */
let fixture: OrganizationFixture;

beforeAll(async () => {
  fixture = await createOrganizationFixture(CACHED);
});
afterAll(() => fixture.api.stop());

const FUTURE = '2099-01-31T08:00:00.000Z';
const humanize = (attribute: string) => attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');

describe('new workspace', () => {
  it('returns the documented default of every attribute', async () => {
    const { status, body } = await fixture.create({ name: 'plain' });
    expect(status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { permissions, ...attributes } = body.data.attributes;
    expect(Object.values(permissions)).toContain(true);
    expect(attributes).toEqual({
      name: 'plain',
      description: null,
      'created-at': time,
      'updated-at': time,
      'latest-change-at': attributes['created-at'],
      environment: 'default',
      locked: false,
      'locked-at': null,
      'lock-expires-at': null,
      'locked-reason': '',
      'execution-mode': 'remote',
      operations: true,
      'agent-pool-id': null,
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false, 'deletion-protection': false },
      'deletion-protection': false,
      'allow-destroy-plan': true,
      'auto-apply': false,
      'auto-apply-run-trigger': false,
      'auto-destroy-at': null,
      'auto-destroy-activity-duration': null,
      'auto-destroy-status': null,
      'inherits-project-auto-destroy': true,
      'file-triggers-enabled': true,
      'global-remote-state': false,
      'project-remote-state': false,
      'queue-all-runs': false,
      'speculative-enabled': true,
      'structured-run-output-enabled': true,
      source: 'tfe-api',
      'source-name': null,
      'source-url': null,
      'imported-from': null,
      'infra-version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'terraform-version': attributes['infra-version'],
      'infra-version-resolved': attributes['infra-version'],
      'trigger-prefixes': [],
      'trigger-patterns': [],
      'working-directory': null,
      'vcs-repo': null,
      'vcs-repo-identifier': null,
      'oauth-client-name': null,
      'tag-names': [],
      'resource-count': 0,
      'apply-duration-average': null,
      'plan-duration-average': null,
      'policy-check-failures': null,
      'run-failures': null,
      'workspace-kpis-run-count': null,
      'workspace-kpis-runs-count': null,
      'last-assessment-result-at': null,
      'effective-run-data-retention-desc': null,
      'effective-state-version-retention-desc': null,
      actions: { 'is-destroyable': true },
    });
  });

  it('returns every relationship and link of a workspace that has no related resources', async () => {
    const { id } = await fixture.createWorkspace({ name: 'related' });
    const { body } = await fixture.api.request('GET', `/workspaces/${id}`, { token: fixture.owner });
    const self = `/api/v2/workspaces/${id}`;
    const none = { data: null };
    const { 'locked-by': lockedBy = none, 'ssh-key': sshKey = none, ...relationships } = body.data.relationships;
    expect([lockedBy, sshKey]).toEqual([none, none]);
    expect(relationships).toEqual({
      organization: { data: { type: 'organizations', id: 'acme' } },
      project: { data: { type: 'projects', id: expect.stringMatching(/^prj-/) } },
      'agent-pool': none,
      'current-run': none,
      'latest-run': none,
      'current-configuration-version': none,
      'current-assessment-result': none,
      'current-state-version': { data: null, links: { related: `${self}/current-state-version` } },
      readme: none,
      outputs: { links: { related: `${self}/current-state-version-outputs` } },
      vars: { links: { related: expect.stringContaining(`${self}/vars`) } },
      'remote-state-consumers': { links: { related: `${self}/relationships/remote-state-consumers` } },
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
      'data-retention-policy': none,
    });
    expect(body.data.links).toEqual({
      self: '/api/v2/organizations/acme/workspaces/related',
      'self-html': '/app/acme/workspaces/related',
    });
  });
});

/** Attributes without dependencies on others, with their default and other accepted values. */
const plain: readonly (readonly [attribute: string, byDefault: unknown, others: readonly unknown[]])[] = [
  ['allow-destroy-plan', true, [false]],
  ['auto-apply', false, [true]],
  ['auto-apply-run-trigger', false, [true]],
  ['deletion-protection', false, [true, false]],
  ['file-triggers-enabled', true, [false]],
  ['global-remote-state', false, [true]],
  ['project-remote-state', false, [true]],
  ['queue-all-runs', false, [true]],
  ['speculative-enabled', true, [false]],
  ['structured-run-output-enabled', true, [false]],
  ['description', null, ['Text', '', 'with\nlines\tand "quotes", ünïcödé 💥', null]],
  ['working-directory', null, ['infra/network', '', './a..b/...', null]],
  ['trigger-prefixes', [], [['/modules'], ['a', 'b'], []]],
  ['trigger-patterns', [], [['/**/*'], ['src/*.tf', '!(test)', '{a,b}/**'], []]],
  ['auto-destroy-at', null, [FUTURE, null]],
  ['auto-destroy-activity-duration', null, ['14d', '24h', '1d', '9999h', '0001d', null]],
];

describe.each(plain)('attribute %s', (attribute, byDefault, others) => {
  it('keeps the default of an omitted attribute when an update changes another attribute', async () => {
    const workspace = await fixture.createWorkspace();
    const [reply] = [await fixture.update(workspace, { 'source-name': 'ignored' })];
    expect(readAttributes(reply)[attribute]).toEqual(byDefault);
  });

  it.each(others.map((other) => [other]))(
    'accepts %j on creation and update, and unrelated updates keep it',
    async (other) => {
      const given = { [attribute]: other };
      const created = await fixture.create(given);
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      expect(readAttributes(created)[attribute]).toEqual(other);
      const workspace = await fixture.createWorkspace();
      expect(readAttributes(await fixture.update(workspace, given))[attribute]).toEqual(other);
      // An omitted attribute keeps its value when any other attribute is updated.
      const unrelated = attribute === 'queue-all-runs' ? { 'auto-apply': true } : { 'queue-all-runs': true };
      expect(readAttributes(await fixture.update(workspace, unrelated))[attribute]).toEqual(other);
      expect(readAttributes(await fixture.update(workspace))[attribute]).toEqual(other);
    },
  );
});

describe('update of a workspace', () => {
  it('changes nothing, not even updated-at, when it has no attributes', async () => {
    const workspace = await fixture.createWorkspace({
      description: 'Kept',
      'trigger-prefixes': ['/a'],
      'auto-destroy-at': FUTURE,
    });
    const before = await fixture.show(workspace);
    expect(readAttributes(await fixture.update(workspace))).toEqual(before);
  });

  it('ignores unknown and read-only attributes', async () => {
    const workspace = await fixture.createWorkspace();
    const before = await fixture.show(workspace);
    const readOnly = {
      id: 'ws-1111111111111111',
      locked: true,
      'locked-reason': 'nobody',
      'created-at': FUTURE,
      'updated-at': FUTURE,
      environment: 'production',
      permissions: { 'can-update': false },
      actions: null,
      source: 'tfe-ui',
      'resource-count': 7,
      'vcs-repo-identifier': 'a/b',
      'infra-version-resolved': '0.1.0',
      'workspace-kpis-run-count': 3,
      terraform_version: '1.0.0',
      unknown: { of: ['any', 'kind'] },
    };
    const reply = await fixture.update(workspace, readOnly);
    expect(reply.status).toBe(200);
    expect(readAttributes(reply)).toEqual(before);
  });

  it('accepts the attributes of a response without changing anything', async () => {
    const workspace = await fixture.createWorkspace({
      description: 'x',
      'execution-mode': 'local',
      'deletion-protection': true,
      'trigger-patterns': ['*'],
      'auto-destroy-activity-duration': '3d',
      'infra-version': '~> 1.5.0',
    });
    const before = await fixture.show(workspace);
    // Responses contain attributes that requests must not combine: the mode with its deprecated form, and overwrites
    // that differ.
    const { operations: _, 'setting-overwrites': __, ...sent } = before;
    expect(readAttributes(await fixture.update(workspace, sent))).toEqual(before);
  });

  it('changes updated-at, but not latest-change-at', async () => {
    const workspace = await fixture.createWorkspace();
    const before = await fixture.show(workspace);
    await nextMillisecond();
    const after = readAttributes(await fixture.update(workspace, { 'auto-apply': true }));
    expect(Date.parse(after['updated-at'])).toBeGreaterThan(Date.parse(before['updated-at']));
    expect(after['created-at']).toBe(before['created-at']);
    expect(after['latest-change-at']).toBe(before['latest-change-at']);
  });
});

/** Values of a wrong type or with a wrong content, for each attribute. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(
    [
      'allow-destroy-plan',
      'auto-apply',
      'auto-apply-run-trigger',
      'deletion-protection',
      'file-triggers-enabled',
      'global-remote-state',
      'project-remote-state',
      'inherits-project-auto-destroy',
      'operations',
      'queue-all-runs',
      'speculative-enabled',
      'structured-run-output-enabled',
    ].map((flag) => [flag, ['true', 1, 0, null, [], {}]]),
  ),
  name: [null, 1, true, ['a'], {}],
  description: [1, true, [], {}],
  'working-directory': [1, false, [], {}, '/srv', 'C:/a', 'c:', 'a\\b', '..', '../up', 'a/../b', 'a/..', 'a\n/../b'],
  'agent-pool-id': [1, true, [], {}],
  'execution-mode': ['Remote', 'REMOTE', 'agents', '', ' remote', 1, true, null, ['remote'], '__proto__'],
  'auto-destroy-at': [
    'tomorrow',
    '',
    '2099-01-31',
    '2099-01-31 08:00:00Z',
    '2099-01-31T08:00:00',
    '2099-13-01T08:00:00Z',
    '2099-02-30T08:00:00Z',
    '2099-01-31T25:00:00Z',
    '2099-01-31T08:00:00+99:00',
    4_072_838_400,
    true,
    {},
  ],
  'auto-destroy-activity-duration': [
    '0d',
    '0000h',
    '-1d',
    '1.5d',
    '12345h',
    '1w',
    '1D',
    'd',
    '14',
    '14 d',
    '',
    'P14D',
    14,
    {},
    '١d',
  ],
  'infra-version': ['', 1, 1.5, null, true, [], {}],
  'terraform-version': ['', 1, null, {}],
  'source-name': [1, true, [], {}],
  'source-url': ['example.com', 'ftp://example.com', 'javascript:alert(1)', '//example.com', 'https://a b', 1, {}],
  'imported-from': ['app.terraform.io', 1, true, []],
  'trigger-patterns': ['*', 1, {}],
  'trigger-prefixes': ['/a', 1, {}],
  'setting-overwrites': [true, 'execution-mode', [], 1],
  'vcs-repo': ['a/b', 1, true, []],
};

describe('the tables of attributes of this file', () => {
  const namesOf = (isTested: (one: object) => boolean): string[] =>
    Object.entries(table).flatMap(([name, one]) => (isTested(one) ? [name] : []));

  it('the table of accepted values has every setting of a workspace', () => {
    const tested = plain.map(([name]) => name);
    expect(namesOf((one) => 'setting' in one).filter((name) => !tested.includes(name))).toEqual([]);
  });

  it('the table of rejected values has every attribute that requests of both editions may have', () => {
    const names = namesOf((one) => ('setting' in one || 'request' in one) && !('feature' in one));
    expect(names.filter((name) => !Object.hasOwn(wrong, name))).toEqual([]);
  });
});

describe.each(Object.entries(wrong))('attribute %s', (attribute, values) => {
  it.each(values.map((value) => [value]))('rejects %j with 422', async (value) => {
    for (const reply of await fixture.createAndUpdate({ [attribute]: value })) {
      expectInvalid(reply, attribute, new RegExp(`^(${humanize(attribute)}|${attribute})\\b`, 'i'));
    }
  });
});

describe('nested attribute', () => {
  it.each([
    ['setting-overwrites/execution-mode', { 'setting-overwrites': { 'execution-mode': 'true' } }],
    ['setting-overwrites/agent-pool', { 'setting-overwrites': { 'agent-pool': 1 } }],
    ['setting-overwrites/agent-pool', { 'setting-overwrites': { 'agent-pool': null } }],
    ['setting-overwrites/deletion-protection', { 'setting-overwrites': { 'deletion-protection': 'yes' } }],
    ['deletion-protection', { 'setting-overwrites': { 'deletion-protection': true } }],
    ['vcs-repo/branch', { 'vcs-repo': { branch: 1 } }],
    ['vcs-repo/identifier', { 'vcs-repo': { identifier: 'nothing' } }],
    ['vcs-repo/identifier', { 'vcs-repo': { identifier: 'a b/c' } }],
    ['vcs-repo/identifier', { 'vcs-repo': { identifier: '' } }],
    ['vcs-repo/ingress-submodules', { 'vcs-repo': { 'ingress-submodules': 'yes' } }],
    ['vcs-repo/oauth-token-id', { 'vcs-repo': { 'oauth-token-id': {} } }],
    ['vcs-repo/tags-regex', { 'vcs-repo': { 'tags-regex': ['a'] } }],
    ['imported-from/host', { 'imported-from': { id: 'ws-1' } }],
    ['imported-from/id', { 'imported-from': { host: 'app.terraform.io' } }],
    ['imported-from/id', { 'imported-from': { host: 'app.terraform.io', id: '' } }],
    ['imported-from/id', { 'imported-from': { host: 'app.terraform.io', id: 'x'.repeat(1_025) } }],
    ['imported-from/host', { 'imported-from': { host: 'x'.repeat(256), id: 'ws-1' } }],
    ['imported-from/host', { 'imported-from': { host: 'a\nb', id: 'ws-1' } }],
    ['imported-from/host', { 'imported-from': { host: 'h/ws-1', id: 'ws-1' } }],
    ['imported-from/organization', { 'imported-from': { host: 'h', id: 'ws-1', organization: '\u0085' } }],
    ['imported-from/created-at', { 'imported-from': { host: 'h', id: 'ws-1', 'created-at': 'yesterday' } }],
    ['imported-from/created-at', { 'imported-from': { host: 'h', id: 'ws-1', 'created-at': '2021-02-30T08:00:00Z' } }],
    ['imported-from/created-by', { 'imported-from': { host: 'h', id: 'ws-1', 'created-by': 1 } }],
    ['imported-from/commit', { 'imported-from': { host: 'h', id: 'ws-1', commit: 'abc' } }],
    ['imported-from/url', { 'imported-from': { host: 'h', id: 'ws-1', url: 'https://h' } }],
    ['trigger-patterns/1', { 'trigger-patterns': ['*', 1] }],
    ['trigger-patterns/0', { 'trigger-patterns': [null] }],
    ['trigger-prefixes/2', { 'trigger-prefixes': ['a', 'b', {}] }],
  ])('is named in the error pointer: %s', async (pointer, attributes) => {
    for (const reply of await fixture.createAndUpdate(attributes)) expectInvalid(reply, pointer);
  });
});

describe('name of a workspace', () => {
  it.each(['a', 'A', '0', '-', '_', 'aB-1_', 'x'.repeat(90), '__proto__', 'constructor', 'actions'])(
    'accepts %s',
    async (name) => {
      const created = await fixture.create({ name });
      expect(created.status).toBe(201);
      const found = await fixture.api.request('GET', `/organizations/acme/workspaces/${name}`, {
        token: fixture.owner,
      });
      expect(found.body).toEqual(created.body);
    },
  );

  it.each(['a b', 'a/b', 'a.b', 'a:b', 'é', 'ａ', 'a\n', '\0', '💥', ' a', '%41'])(
    'rejects %j with 422',
    async (name) => {
      for (const reply of await fixture.createAndUpdate({ name }))
        expectInvalid(reply, 'name', /^Name may only contain /);
    },
  );

  it.each([{}, { name: '' }])('is required on creation and must not be empty: %j', async (attributes) => {
    const reply = await fixture.api.request('POST', '/organizations/acme/workspaces', {
      token: fixture.owner,
      body: { data: { type: 'workspaces', attributes } },
    });
    expectInvalid(reply, 'name', /^Name can't be blank$/);
  });

  it('cannot be set to an empty string', async () => {
    expectInvalid(await fixture.update(await fixture.createWorkspace(), { name: '' }), 'name', /^Name can't be blank$/);
  });

  it('is reported as missing when there are no attributes', async () => {
    const reply = await fixture.api.request('POST', '/organizations/acme/workspaces', {
      token: fixture.owner,
      body: { data: { type: 'workspaces' } },
    });
    expectInvalid(reply, 'name', /^Name can't be blank$/);
  });

  it('is unique within the organization, and case-sensitive', async () => {
    const taken = await fixture.createWorkspace({ name: 'taken' });
    expectInvalid(await fixture.create({ name: 'taken' }), 'name', /^Name has already been taken$/);
    const other = await fixture.createWorkspace();
    expectInvalid(await fixture.update(other, { name: 'taken' }), 'name', /^Name has already been taken$/);
    expect((await fixture.update(other, { name: 'TAKEN' })).status).toBe(200);
    expect((await fixture.update(taken, { name: 'taken' })).status).toBe(200);
  });

  it('changes links when it is updated, and identifies the workspace by path', async () => {
    const workspace = await fixture.createWorkspace({ name: 'old-name' });
    const { body } = await fixture.update(workspace, { name: 'new-name' });
    expect(body.data.id).toBe(workspace.id);
    expect(body.data.links.self).toBe('/api/v2/organizations/acme/workspaces/new-name');
    const path = '/organizations/acme/workspaces/';
    expect((await fixture.api.request('GET', `${path}old-name`, { token: fixture.owner })).status).toBe(404);
    expect((await fixture.api.request('GET', `${path}new-name`, { token: fixture.owner })).body).toEqual(body);
  });
});

describe('maximum length of a workspace attribute', () => {
  const times = (count: number, text: string) => Array.from({ length: count }, () => text);
  it.each<[attribute: string, most: number, (length: number) => unknown]>([
    ['name', 90, (length) => 'n'.repeat(length)],
    ['description', 1_000, (length) => 'd'.repeat(length)],
    ['working-directory', 255, (length) => 'w'.repeat(length)],
    ['source-name', 255, (length) => 's'.repeat(length)],
    ['source-url', 2_048, (length) => `https://${'u'.repeat(length - 8)}`],
    ['trigger-patterns', 100, (length) => times(length, 'p')],
    ['trigger-prefixes', 100, (length) => times(length, 'p')],
    ['trigger-patterns/0', 255, (length) => ['p'.repeat(length)]],
    ['trigger-prefixes/0', 255, (length) => ['p'.repeat(length)]],
  ])('of %s is %i', async (pointer, most, of) => {
    const [attribute = ''] = pointer.split('/');
    const [longest, longer] = [of(most), of(most + 1)];
    const created = await fixture.create({ [attribute]: longest });
    expect(created.status).toBe(201);
    expect(readAttributes(created)[attribute]).toEqual(longest);
    expectInvalid(await fixture.create({ [attribute]: longer }), pointer, /too (long|many)/);
    const workspace = await fixture.createWorkspace();
    expectInvalid(await fixture.update(workspace, { [attribute]: longer }), pointer, /too (long|many)/);
    const again = attribute === 'name' ? 'u'.repeat(most) : longest;
    expect((await fixture.update(workspace, { [attribute]: again })).status).toBe(200);
  });

  it('a lock reason has at most 1,000 characters', async () => {
    const { id } = await fixture.createWorkspace();
    const lock = (reason: string, wrapped: boolean) =>
      fixture.api.request('POST', `/workspaces/${id}/actions/lock`, {
        token: fixture.owner,
        body: wrapped ? { data: { type: '', attributes: { reason } } } : { reason },
      });
    for (const wrapped of [false, true]) {
      const rejected = await lock('r'.repeat(1_001), wrapped);
      expectRejection(rejected);
      expect(rejected.status).toBe(422);
      expect(rejected.body.errors[0].source.pointer).toBe(wrapped ? '/data/attributes/reason' : '/reason');
    }
    const locked = await lock('r'.repeat(1_000), false);
    expect(readAttributes(locked)['locked-reason']).toHaveLength(1_000);
  });

  it('can be reached by all attributes at once, in reads and lists', async () => {
    const attributes = {
      name: 'everything-at-its-longest',
      description: '💥'.repeat(1_000),
      'working-directory': 'ü'.repeat(255),
      'source-name': '💥'.repeat(255),
      'source-url': `https://${'u'.repeat(2_040)}`,
      'trigger-patterns': times(100, 'ü'.repeat(255)),
    };
    const workspace = await fixture.createWorkspace(attributes);
    expect(await fixture.show(workspace)).toMatchObject(attributes);
    const { body } = await fixture.api.request('GET', '/organizations/acme/workspaces?page[size]=100&sort=name', {
      token: fixture.owner,
    });
    const pages: number = body.meta.pagination['total-pages'];
    const rows: { id: string; attributes: object }[] = [...body.data];
    for (let page = 2; page <= pages; page++) {
      const more = await fixture.api.request(
        'GET',
        `/organizations/acme/workspaces?page[size]=100&sort=name&page[number]=${page}`,
        { token: fixture.owner },
      );
      rows.push(...more.body.data);
    }
    expect(rows.find(({ id }) => id === workspace.id)?.attributes).toMatchObject(attributes);
  });
});

describe('source-name and source-url of a workspace', () => {
  const origin = { 'source-name': 'Portal', 'source-url': 'https://portal.example.com/1?x=%20#y' };

  it('are set on creation', async () => {
    expect(readAttributes(await fixture.create(origin))).toMatchObject(origin);
  });

  it('are ignored by updates', async () => {
    const workspace = await fixture.createWorkspace(origin);
    const other = { 'source-name': 'Other', 'source-url': 'https://other.example.com' };
    const reply = await fixture.update(workspace, other);
    expect(reply.status).toBe(200);
    expect(readAttributes(reply)).toMatchObject(origin);
    const nothing = { 'source-name': null, 'source-url': null };
    expect(readAttributes(await fixture.update(await fixture.createWorkspace(), other))).toMatchObject(nothing);
    expect(readAttributes(await fixture.update(workspace, nothing))).toMatchObject(origin);
  });
});

describe('auto-destroy settings', () => {
  it('reject dates that are not in the future', async () => {
    for (const time of ['2020-01-01T00:00:00Z', new Date(Date.now() - 1).toISOString(), '0001-01-01T00:00:00Z']) {
      for (const reply of await fixture.createAndUpdate({ 'auto-destroy-at': time }))
        expectInvalid(reply, 'auto-destroy-at');
    }
  });

  it.each([
    ['2099-01-31T10:00:00+02:00', '2099-01-31T08:00:00.000Z'],
    ['2099-01-31T08:00:00Z', '2099-01-31T08:00:00.000Z'],
    ['2099-01-31T08:00:00.123456789Z', '2099-01-31T08:00:00.123Z'],
  ])('accept %s and return %s', async (given, answered) => {
    expect(readAttributes(await fixture.create({ 'auto-destroy-at': given }))['auto-destroy-at']).toBe(answered);
  });

  it('are cleared by null', async () => {
    const workspace = await fixture.createWorkspace({ 'auto-destroy-at': FUTURE });
    expect(readAttributes(await fixture.update(workspace, { 'auto-destroy-at': null }))['auto-destroy-at']).toBeNull();
    await fixture.update(workspace, { 'auto-destroy-activity-duration': '2d' });
    const cleared = readAttributes(await fixture.update(workspace, { 'auto-destroy-activity-duration': null }));
    expect(cleared).toMatchObject({ 'auto-destroy-activity-duration': null, 'auto-destroy-at': null });
  });

  it('replace each other, and are inherited again when null removes the duration', async () => {
    const workspace = await fixture.createWorkspace({ 'auto-destroy-activity-duration': '2d' });
    const update = async (attributes: object) => readAttributes(await fixture.update(workspace, attributes));
    expect(await update({ 'auto-destroy-at': FUTURE })).toMatchObject({ 'auto-destroy-activity-duration': null });
    const { 'auto-destroy-at': due } = await update({ 'auto-destroy-activity-duration': '2d' });
    expect(Math.abs(Date.parse(due) - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000);
    // The Terraform provider sends a null for the date with every other change.
    expect(await update({ 'auto-destroy-at': null, description: 'changed' })).toMatchObject({
      'auto-destroy-at': due,
      'auto-destroy-activity-duration': '2d',
      'inherits-project-auto-destroy': false,
    });
    expect(await update({ 'auto-destroy-activity-duration': null })).toMatchObject({
      'auto-destroy-at': null,
      'auto-destroy-activity-duration': null,
      'inherits-project-auto-destroy': true,
    });
    const both = { 'auto-destroy-at': FUTURE, 'auto-destroy-activity-duration': '2d' };
    for (const reply of await fixture.createAndUpdate(both)) expectInvalid(reply, 'auto-destroy-at', /cannot both/);
  });

  it('set the date from now when a duration is given', async () => {
    for (const reply of await fixture.createAndUpdate({ 'auto-destroy-activity-duration': '2d' })) {
      const due = Date.parse(readAttributes(reply)['auto-destroy-at']);
      expect(Math.abs(due - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000);
      expect(readAttributes(reply)['inherits-project-auto-destroy']).toBe(false);
    }
  });

  it('are no longer inherited when the workspace has its own date', async () => {
    const own = readAttributes(await fixture.create({ 'auto-destroy-at': FUTURE }));
    expect(own['inherits-project-auto-destroy']).toBe(false);
  });

  it('explain the format of the duration in the words that clients match', async () => {
    const words =
      /^Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit \('d' or 'h'\)$/;
    for (const value of ['12345d', '0h', '7w', '']) {
      for (const reply of await fixture.createAndUpdate({ 'auto-destroy-activity-duration': value })) {
        expectInvalid(reply, 'auto-destroy-activity-duration', words);
      }
    }
  });
});

describe('document of a workspace update', () => {
  const send = (data: unknown, extra: object = {}) =>
    fixture.api.request('PATCH', `/workspaces/${target.id}`, { token: fixture.owner, body: { data, ...extra } });
  let target: { id: string; name: string };
  beforeAll(async () => {
    target = await fixture.createWorkspace();
  });

  it.each([
    [undefined, '/data'],
    [null, '/data'],
    ['workspaces', '/data'],
    [[], '/data'],
    [{}, '/data/type'],
    [{ type: null }, '/data/type'],
    [{ type: '' }, '/data/type'],
    [{ type: 'workspace' }, '/data/type'],
    [{ type: 'Workspaces' }, '/data/type'],
    [{ type: ['workspaces'] }, '/data/type'],
    [{ type: 'workspaces', attributes: [] }, '/data/attributes'],
    [{ type: 'workspaces', attributes: 'none' }, '/data/attributes'],
    [{ type: 'workspaces', id: 7 }, '/data/id'],
    [{ type: 'workspaces', id: 'ws-1111111111111111' }, '/data/id'],
    [{ type: 'workspaces', relationships: [] }, '/data/relationships'],
    [{ type: 'workspaces', relationships: { project: 'prj' } }, '/data/relationships/project'],
    [{ type: 'workspaces', relationships: { project: { data: [] } } }, '/data/relationships/project/data'],
    [{ type: 'workspaces', relationships: { project: { data: { id: 1 } } } }, '/data/relationships/project/data/id'],
  ])('is rejected as %j with pointer %s', async (data, pointer) => {
    const reply = await send(data);
    expectRejection(reply);
    expect(reply.status).toBe(422);
    expect(reply.body.errors).toEqual([
      { status: '422', title: 'unprocessable entity', detail: expect.any(String), source: { pointer } },
    ]);
  });

  it('may contain the id of the path or a blank id', async () => {
    for (const id of [target.id, '', null, undefined]) {
      expect((await send({ type: 'workspaces', id, attributes: {} })).status).toBe(200);
    }
  });

  it('may contain unknown members', async () => {
    const extra = { included: [], meta: { a: 1 }, jsonapi: null, unknown: [] };
    const data = { type: 'workspaces', links: {}, meta: null, relationships: { unknown: { data: 7 }, readme: null } };
    expect((await send(data, extra)).status).toBe(200);
  });

  it.each([undefined, null, { data: null }, { data: {} }, { data: { id: '' } }, { data: { id: null } }, {}])(
    'keeps the project when the relationship is blank: %j',
    async (project) => {
      const { body } = await send({ type: 'workspaces', relationships: { project } });
      const { body: shown } = await fixture.api.request('GET', `/workspaces/${target.id}`, { token: fixture.owner });
      expect(body.data.relationships.project).toEqual(shown.data.relationships.project);
    },
  );

  it.each(['prj-1111111111111111', 'ws-1111111111111111', 'nonsense', '__proto__'])(
    'is rejected with 422 for the unknown project %s',
    async (id) => {
      const relationships = { project: { data: { type: 'projects', id } } };
      const replies = [await fixture.create({}, relationships), await fixture.update(target, {}, relationships)];
      for (const reply of replies) {
        expectRejection(reply);
        expect(reply).toMatchObject({
          status: 422,
          body: { errors: [{ source: { pointer: '/data/relationships/project' } }] },
        });
      }
    },
  );
});

describe('lock reason', () => {
  it.each([
    ['no body', undefined, ''],
    ['an empty object', {}, ''],
    ['a reason member', { reason: 'Maintenance' }, 'Maintenance'],
    ['an empty reason', { reason: '' }, ''],
    ['a null reason', { reason: null }, ''],
    ['a resource document', { data: { type: '', attributes: { reason: 'Wrapped' } } }, 'Wrapped'],
    ['a document without attributes', { data: { type: 'workspaces' } }, ''],
    ['a null document', 'null', ''],
  ])('is read from %s', async (_, body, reason) => {
    const { id } = await fixture.createWorkspace();
    const reply = await fixture.api.request('POST', `/workspaces/${id}/actions/lock`, { token: fixture.owner, body });
    expect(reply.status).toBe(200);
    expect(readAttributes(reply)).toMatchObject({ locked: true, 'locked-reason': reason });
  });

  it.each([
    [{ reason: 1 }, '/reason'],
    [{ reason: ['a'] }, '/reason'],
    [{ data: { attributes: { reason: {} } } }, '/data/attributes/reason'],
    [{ data: 'x' }, '/data'],
    [[], ''],
    ['"text"', ''],
  ])('rejects %j with 422', async (body, pointer) => {
    const { id } = await fixture.createWorkspace();
    const reply = await fixture.api.request('POST', `/workspaces/${id}/actions/lock`, { token: fixture.owner, body });
    expectRejection(reply);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].source.pointer).toBe(pointer);
    expect(
      (await fixture.api.request('GET', `/workspaces/${id}`, { token: fixture.owner })).body.data.attributes.locked,
    ).toBe(false);
  });
});
