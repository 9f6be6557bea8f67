import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/api/api.ts';
import { CACHED } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { cpuSeconds } from '../../support/setup/deadline.ts';

/** Repository of a workspace and its run triggers (WS-42 to WS-46). */
let fixture: OrganizationFixture;
let github: string;
let gitlab: string;
let installation: string;

beforeAll(async () => {
  fixture = await createOrganizationFixture(CACHED);
  const connect = async (name: string, serviceProvider: string, httpUrl: string): Promise<string> =>
    (await fixture.admin('create-vcs-connection', { organization: ORGANIZATION, name, serviceProvider, httpUrl }))
      .vcsConnection.id;
  github = await connect('Hub', 'github', 'https://github.com');
  gitlab = await connect('Lab', 'gitlab_hosted', 'https://gitlab.com/');
  ({ id: installation } = (
    await fixture.admin('create-app-installation', { organization: ORGANIZATION, name: 'App' })
  ).appInstallation);
});
afterAll(() => fixture.api.stop());

const repository = (more: object = {}) => ({ 'oauth-token-id': github, identifier: 'acme/infra', ...more });
const withRepository = (more: object = {}) => ({ 'vcs-repo': repository(more) });
const getRepository = (reply: ApiResponse) => readAttributes(reply)['vcs-repo'];

const complete = () => ({
  branch: '',
  identifier: 'acme/infra',
  'display-identifier': 'acme/infra',
  'ingress-submodules': false,
  'oauth-token-id': github,
  'repository-http-url': 'https://github.com/acme/infra',
  'service-provider': 'github',
  'tags-regex': null,
  'source-directory': null,
  'tag-prefix': null,
});

describe('new repository connection', () => {
  it('has defaults for omitted members on creation and update', async () => {
    for (const reply of await fixture.createAndUpdate(withRepository())) {
      const { 'webhook-url': webhook, ...shown } = getRepository(reply);
      expect([null, expect.any(String)]).toContainEqual(webhook);
      expect(shown).toEqual(complete());
      expect(readAttributes(reply)).toMatchObject({ 'vcs-repo-identifier': 'acme/infra', 'oauth-client-name': 'Hub' });
    }
  });

  it.each<[name: string, given: object, answered: object]>([
    ['a branch', { branch: 'main' }, { branch: 'main' }],
    ['an empty branch', { branch: '' }, { branch: '' }],
    ['a null branch', { branch: null }, { branch: '' }],
    ['submodules', { 'ingress-submodules': true }, { 'ingress-submodules': true }],
    ['a regular expression', { 'tags-regex': String.raw`^v\d+\.\d+$` }, { 'tags-regex': String.raw`^v\d+\.\d+$` }],
    ['a null regular expression', { 'tags-regex': null }, { 'tags-regex': null }],
    ['an empty regular expression', { 'tags-regex': '' }, { 'tags-regex': null }],
    [
      'an identifier with several slashes',
      { identifier: 'org/project/_git/repo' },
      { identifier: 'org/project/_git/repo' },
    ],
  ])('accepts %s', async (_, given, answered) => {
    for (const reply of await fixture.createAndUpdate(withRepository(given)))
      expect(getRepository(reply)).toMatchObject(answered);
  });

  it.each<[name: string, given: () => object | null]>([
    ['only the connection', () => ({ 'oauth-token-id': github })],
    ['only the identifier', () => ({ identifier: 'acme/infra' })],
    ['only other members', () => ({ branch: 'main' })],
  ])('requires the connection and the identifier, and rejects %s', async (_, given) => {
    for (const reply of await fixture.createAndUpdate({ 'vcs-repo': given() })) {
      expectInvalid(reply, 'vcs-repo', /oauth-token-id and identifier/);
    }
  });

  it.each(['oauth-token-id', 'app-installation-id', 'github-app-installation-id'])(
    'rejects a blank %s without the other connection',
    async (key) => {
      for (const blank of ['', null]) {
        for (const reply of await fixture.createAndUpdate({ 'vcs-repo': { [key]: blank, identifier: 'acme/infra' } })) {
          expectInvalid(reply, `vcs-repo/${key}`, /can't be blank/);
        }
      }
    },
  );

  it('accepts a blank app installation next to an OAuth connection', async () => {
    for (const reply of await fixture.createAndUpdate(withRepository({ 'app-installation-id': '' }))) {
      expect(getRepository(reply)).toMatchObject({ 'oauth-token-id': github });
    }
  });

  it.each(['ot-1111111111111111', 'nonsense', 'apool-1111111111111111'])(
    'rejects the unknown connection %s',
    async (id) => {
      for (const reply of await fixture.createAndUpdate(withRepository({ 'oauth-token-id': id }))) {
        expectInvalid(reply, 'vcs-repo/oauth-token-id');
      }
    },
  );

  it.each([null, {}])(
    'leaves a workspace without a repository when its creation or update has the vcs-repo %j',
    async (none) => {
      for (const reply of await fixture.createAndUpdate({ 'vcs-repo': none })) {
        expect(getRepository(reply)).toBeNull();
        expect(readAttributes(reply)['vcs-repo-identifier']).toBeNull();
      }
    },
  );
});

describe('existing repository connection', () => {
  const connected = () =>
    fixture.createWorkspace(withRepository({ branch: 'main', 'ingress-submodules': true, 'tags-regex': '^v' }));
  const before = { branch: 'main', identifier: 'acme/infra', 'ingress-submodules': true, 'tags-regex': '^v' };

  it.each<[name: string, given: () => object, after: () => object]>([
    ['nothing for an empty object', () => ({}), () => ({})],
    ['the branch', () => ({ branch: 'next' }), () => ({ branch: 'next' })],
    ['the branch to the default branch', () => ({ branch: '' }), () => ({ branch: '' })],
    ['submodules', () => ({ 'ingress-submodules': false }), () => ({ 'ingress-submodules': false })],
    ['the regular expression to null', () => ({ 'tags-regex': null }), () => ({ 'tags-regex': null })],
    ['the identifier', () => ({ identifier: 'acme/other' }), () => ({ identifier: 'acme/other' })],
    [
      'the connection',
      () => ({ 'oauth-token-id': gitlab }),
      () => ({
        'oauth-token-id': gitlab,
        'service-provider': 'gitlab_hosted',
        'repository-http-url': 'https://gitlab.com/acme/infra',
      }),
    ],
  ])('changes only %s', async (_, given, after) => {
    const reply = await fixture.update(await connected(), { 'vcs-repo': given() });
    expect(getRepository(reply)).toMatchObject({ ...before, 'oauth-token-id': github, ...after() });
  });

  it('is kept by an unrelated update', async () => {
    expect(getRepository(await fixture.update(await connected(), { description: 'x' }))).toMatchObject(before);
  });

  it('is removed by null and must be complete when it is set again', async () => {
    const workspace = await connected();
    expect(getRepository(await fixture.update(workspace, { 'vcs-repo': null }))).toBeNull();
    expectInvalid(await fixture.update(workspace, { 'vcs-repo': { branch: 'main' } }), 'vcs-repo');
    expect(getRepository(await fixture.update(workspace, withRepository()))).toMatchObject(complete());
  });
});

describe('app installation of a repository connection', () => {
  const installed = (more: object = {}) => ({ 'vcs-repo': { 'app-installation-id': installation, ...more } });

  it.each(['app-installation-id', 'github-app-installation-id'])('cannot be set on creation with %s', async (key) => {
    const reply = await fixture.create({ 'vcs-repo': { identifier: 'acme/infra', [key]: installation } });
    expectInvalid(reply, `vcs-repo/${key}`);
  });

  it.each(['app-installation-id', 'github-app-installation-id'])(
    'replaces the OAuth connection when it is set with %s',
    async (key) => {
      const workspace = await fixture.createWorkspace(withRepository({ branch: 'main' }));
      const reply = await fixture.update(workspace, { 'vcs-repo': { [key]: installation } });
      expect(getRepository(reply)).toMatchObject({
        branch: 'main',
        identifier: 'acme/infra',
        'oauth-token-id': null,
        'app-installation-id': installation,
        'github-app-installation-id': installation,
        'service-provider': 'github_app',
      });
      const back = getRepository(await fixture.update(workspace, { 'vcs-repo': { 'oauth-token-id': github } }));
      expect(back).toMatchObject({ 'oauth-token-id': github, 'service-provider': 'github' });
      expect(back['app-installation-id'] ?? null).toBeNull();
    },
  );

  it('is kept when other members change', async () => {
    const workspace = await fixture.createWorkspace(withRepository());
    await fixture.update(workspace, installed());
    const reply = await fixture.update(workspace, { 'vcs-repo': { branch: 'next' } });
    expect(getRepository(reply)).toMatchObject({ branch: 'next', 'app-installation-id': installation });
  });

  it('may be given with both of its names when they agree', async () => {
    const workspace = await fixture.createWorkspace(withRepository());
    const agreeing = installed({ 'github-app-installation-id': installation });
    expect((await fixture.update(workspace, agreeing)).status).toBe(200);
    const differing = installed({ 'github-app-installation-id': 'ghain-1111111111111111' });
    expectInvalid(await fixture.update(workspace, differing), 'vcs-repo/app-installation-id');
  });

  it('cannot be set together with an OAuth connection', async () => {
    const workspace = await fixture.createWorkspace(withRepository());
    expectInvalid(
      await fixture.update(workspace, installed({ 'oauth-token-id': github })),
      'vcs-repo/app-installation-id',
      /together/,
    );
  });

  it.each(['ghain-1111111111111111', 'nonsense'])('must be registered, so %s is rejected', async (id) => {
    const workspace = await fixture.createWorkspace(withRepository());
    expectInvalid(
      await fixture.update(workspace, { 'vcs-repo': { 'app-installation-id': id } }),
      'vcs-repo/app-installation-id',
    );
  });
});

describe('maximum length of repository members', () => {
  it.each<[key: string, most: number, (length: number) => string]>([
    ['branch', 255, (length) => 'b'.repeat(length)],
    ['identifier', 255, (length) => `a/${'i'.repeat(length - 2)}`],
    ['tags-regex', 512, (length) => 'r'.repeat(length)],
  ])('of %s is %i', async (key, most, of) => {
    for (const reply of await fixture.createAndUpdate(withRepository({ [key]: of(most) })))
      expect(getRepository(reply)[key]).toBe(of(most));
    for (const reply of await fixture.createAndUpdate(withRepository({ [key]: of(most + 1) }))) {
      expectInvalid(reply, `vcs-repo/${key}`, /too long/);
    }
  });
});

describe('run triggers of a workspace', () => {
  const patterns = { 'trigger-patterns': ['/**/*.tf'] };
  const prefixes = { 'trigger-prefixes': ['/modules'] };

  it.each<[name: string, given: () => object]>([
    ['patterns and empty prefixes', () => ({ ...patterns, 'trigger-prefixes': [] })],
    ['prefixes and empty patterns', () => ({ ...prefixes, 'trigger-patterns': [] })],
    ['empty patterns and prefixes', () => ({ 'trigger-patterns': [], 'trigger-prefixes': [] })],
    [
      'a tag expression without file triggers',
      () => ({ ...withRepository({ 'tags-regex': '^v' }), 'file-triggers-enabled': false }),
    ],
    [
      'a tag expression and empty patterns',
      () => ({ ...withRepository({ 'tags-regex': '^v' }), 'trigger-patterns': [] }),
    ],
    ['an empty tag expression and patterns', () => ({ ...withRepository({ 'tags-regex': '' }), ...patterns })],
    ['a null tag expression and prefixes', () => ({ ...withRepository({ 'tags-regex': null }), ...prefixes })],
  ])('accept %s', async (_, given) => {
    for (const reply of await fixture.createAndUpdate(given()))
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  });

  it.each<[name: string, given: () => object, pointer: string]>([
    ['patterns and prefixes', () => ({ ...patterns, ...prefixes }), 'trigger-patterns'],
    [
      'a tag expression and patterns',
      () => ({ ...withRepository({ 'tags-regex': '^v' }), ...patterns }),
      'vcs-repo/tags-regex',
    ],
    [
      'a tag expression and prefixes',
      () => ({ ...withRepository({ 'tags-regex': '^v' }), ...prefixes }),
      'vcs-repo/tags-regex',
    ],
    [
      'a tag expression and file triggers',
      () => ({ ...withRepository({ 'tags-regex': '^v' }), 'file-triggers-enabled': true }),
      'file-triggers-enabled',
    ],
  ])('reject %s at the same time', async (_, given, pointer) => {
    for (const reply of await fixture.createAndUpdate(given())) expectInvalid(reply, pointer);
  });

  it('replace a list of the other kind that an earlier request set', async () => {
    const workspace = await fixture.createWorkspace(patterns);
    for (const [list, other] of [
      [prefixes, 'trigger-patterns'],
      [patterns, 'trigger-prefixes'],
    ] as const) {
      expect(readAttributes(await fixture.update(workspace, list))).toMatchObject({ ...list, [other]: [] });
    }
    const changed = await fixture.update(workspace, { ...prefixes, 'trigger-patterns': [] });
    expect(readAttributes(changed)).toMatchObject({ ...prefixes, 'trigger-patterns': [] });
  });

  it.each(['trigger-prefixes', 'trigger-patterns'])(
    'removes both trigger lists by an empty list of %s alone',
    async (name) => {
      const none = { 'trigger-prefixes': [], 'trigger-patterns': [] };
      for (const list of [prefixes, patterns]) {
        const workspace = await fixture.createWorkspace(list);
        expect(readAttributes(await fixture.update(workspace, { [name]: [] }))).toMatchObject(none);
      }
    },
  );

  it('reject tags next to changed files in two subsequent requests', async () => {
    const tagged = await fixture.createWorkspace(withRepository({ 'tags-regex': '^v' }));
    expectInvalid(await fixture.update(tagged, patterns), 'vcs-repo/tags-regex');
    expect((await fixture.update(tagged, { ...patterns, 'vcs-repo': { 'tags-regex': null } })).status).toBe(200);
    expectInvalid(await fixture.update(tagged, { 'vcs-repo': { 'tags-regex': '^v' } }), 'vcs-repo/tags-regex');
  });

  it.each(['(', '[', 'a{2,1}', '*', '(?=look)', String.raw`(a)\1`, '(?<!x)y', '(?P<n', String.raw`\8`])(
    'reject an expression that RE2 does not support: %s',
    async (expression) => {
      for (const reply of await fixture.createAndUpdate(withRepository({ 'tags-regex': expression }))) {
        expectInvalid(reply, 'vcs-repo/tags-regex');
      }
    },
  );

  it.each(['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'accept an expression that is slow in backtracking engines without using much CPU time: %s',
    async (expression) => {
      const create = async () =>
        expect((await fixture.create(withRepository({ 'tags-regex': expression }))).status).toBe(201);
      expect(await cpuSeconds(create)).toBeLessThan(10);
    },
  );

  it.each(['[', '{a,b', 'a\\', '(a', '[a-'])('reject the invalid glob pattern %s', async (pattern) => {
    for (const reply of await fixture.createAndUpdate({ 'trigger-patterns': ['ok', pattern] })) {
      expectInvalid(reply, 'trigger-patterns/1');
    }
  });

  it('reject an empty pattern or prefix', async () => {
    for (const list of ['trigger-patterns', 'trigger-prefixes']) {
      for (const reply of await fixture.createAndUpdate({ [list]: [''] }))
        expectInvalid(reply, `${list}/0`, /can't be blank/);
    }
  });

  it('accept or reject patterns that are slow to match without using much CPU time', async () => {
    const patterns = ['{'.repeat(50) + 'a'.repeat(50) + '}'.repeat(50), '+(a|+(b|+(c)))', '**/'.repeat(80)];
    for (const pattern of patterns) {
      const create = async () =>
        expect([201, 422]).toContain((await fixture.create({ 'trigger-patterns': [pattern] })).status);
      expect(await cpuSeconds(create)).toBeLessThan(10);
    }
  });
});
