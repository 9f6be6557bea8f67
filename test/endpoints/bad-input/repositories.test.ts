import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../support/api/api.ts';
import { CACHED } from '../../support/api/api.ts';
import { attributesOf, type Bench, expectInvalid, ORGANIZATION, openBench } from '../../support/matrix/matrix-bench.ts';
import { cpuSeconds } from '../../support/setup/deadline.ts';

/** The repository of a workspace, and what in it starts runs (WS-42 to WS-46). */
let bench: Bench;
let github: string;
let gitlab: string;
let installation: string;

beforeAll(async () => {
  bench = await openBench(CACHED);
  const connect = async (name: string, serviceProvider: string, httpUrl: string): Promise<string> =>
    (await bench.admin('create-vcs-connection', { organization: ORGANIZATION, name, serviceProvider, httpUrl }))
      .vcsConnection.id;
  github = await connect('Hub', 'github', 'https://github.com');
  gitlab = await connect('Lab', 'gitlab_hosted', 'https://gitlab.com/');
  ({ id: installation } = (
    await bench.admin('create-app-installation', { organization: ORGANIZATION, name: 'App' })
  ).appInstallation);
});
afterAll(() => bench.api.stop());

const repo = (more: object = {}) => ({ 'oauth-token-id': github, identifier: 'acme/infra', ...more });
const withRepo = (more: object = {}) => ({ 'vcs-repo': repo(more) });
const repoOf = (reply: Reply) => attributesOf(reply)['vcs-repo'];

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

describe('connecting a repository', () => {
  it('fills in the rest, at creation and by an update', async () => {
    for (const reply of await bench.bothWays(withRepo())) {
      const { 'webhook-url': webhook, ...shown } = repoOf(reply);
      expect([null, expect.any(String)]).toContainEqual(webhook);
      expect(shown).toEqual(complete());
      expect(attributesOf(reply)).toMatchObject({ 'vcs-repo-identifier': 'acme/infra', 'oauth-client-name': 'Hub' });
    }
  });

  it.each<[name: string, given: object, answered: object]>([
    ['a branch', { branch: 'main' }, { branch: 'main' }],
    ['an empty branch', { branch: '' }, { branch: '' }],
    ['no branch', { branch: null }, { branch: '' }],
    ['submodules', { 'ingress-submodules': true }, { 'ingress-submodules': true }],
    ['a regular expression', { 'tags-regex': String.raw`^v\d+\.\d+$` }, { 'tags-regex': String.raw`^v\d+\.\d+$` }],
    ['no regular expression', { 'tags-regex': null }, { 'tags-regex': null }],
    ['an empty regular expression', { 'tags-regex': '' }, { 'tags-regex': null }],
    ['deeper identifiers', { identifier: 'org/project/_git/repo' }, { identifier: 'org/project/_git/repo' }],
  ])('may say %s', async (_, given, answered) => {
    for (const reply of await bench.bothWays(withRepo(given))) expect(repoOf(reply)).toMatchObject(answered);
  });

  it.each<[name: string, given: () => object | null]>([
    ['the connection alone', () => ({ 'oauth-token-id': github })],
    ['the identifier alone', () => ({ identifier: 'acme/infra' })],
    ['neither', () => ({})],
    ['an empty connection', () => ({ 'oauth-token-id': '', identifier: 'acme/infra' })],
    ['no connection', () => ({ 'oauth-token-id': null, identifier: 'acme/infra' })],
    ['other things only', () => ({ branch: 'main' })],
  ])('needs both the connection and the identifier, not %s', async (_, given) => {
    for (const reply of await bench.bothWays({ 'vcs-repo': given() })) {
      expectInvalid(reply, 'vcs-repo', /oauth-token-id and identifier/);
    }
  });

  it.each(['ot-1111111111111111', 'nonsense', 'apool-1111111111111111'])(
    'needs a connection that is there, not %s',
    async (id) => {
      for (const reply of await bench.bothWays(withRepo({ 'oauth-token-id': id }))) {
        expectInvalid(reply, 'vcs-repo/oauth-token-id');
      }
    },
  );

  it('may say that there is none', async () => {
    for (const reply of await bench.bothWays({ 'vcs-repo': null })) {
      expect(repoOf(reply)).toBeNull();
      expect(attributesOf(reply)['vcs-repo-identifier']).toBeNull();
    }
  });
});

describe('changing a repository', () => {
  const connected = () => bench.make(withRepo({ branch: 'main', 'ingress-submodules': true, 'tags-regex': '^v' }));
  const before = { branch: 'main', identifier: 'acme/infra', 'ingress-submodules': true, 'tags-regex': '^v' };

  it.each<[name: string, given: () => object, after: () => object]>([
    ['nothing', () => ({}), () => ({})],
    ['the branch', () => ({ branch: 'next' }), () => ({ branch: 'next' })],
    ['the branch, to the default one', () => ({ branch: '' }), () => ({ branch: '' })],
    ['submodules', () => ({ 'ingress-submodules': false }), () => ({ 'ingress-submodules': false })],
    ['the regular expression, to none', () => ({ 'tags-regex': null }), () => ({ 'tags-regex': null })],
    ['the repository', () => ({ identifier: 'acme/other' }), () => ({ identifier: 'acme/other' })],
    [
      'the connection',
      () => ({ 'oauth-token-id': gitlab }),
      () => ({
        'oauth-token-id': gitlab,
        'service-provider': 'gitlab_hosted',
        'repository-http-url': 'https://gitlab.com/acme/infra',
      }),
    ],
  ])('changes %s alone', async (_, given, after) => {
    const reply = await bench.update(await connected(), { 'vcs-repo': given() });
    expect(repoOf(reply)).toMatchObject({ ...before, 'oauth-token-id': github, ...after() });
  });

  it('keeps it when it is left out', async () => {
    expect(repoOf(await bench.update(await connected(), { description: 'x' }))).toMatchObject(before);
  });

  it('removes it with null, and then begins anew', async () => {
    const workspace = await connected();
    expect(repoOf(await bench.update(workspace, { 'vcs-repo': null }))).toBeNull();
    expectInvalid(await bench.update(workspace, { 'vcs-repo': { branch: 'main' } }), 'vcs-repo');
    expect(repoOf(await bench.update(workspace, withRepo()))).toMatchObject(complete());
  });
});

describe("the app's installation", () => {
  const installed = (more: object = {}) => ({ 'vcs-repo': { 'app-installation-id': installation, ...more } });

  it.each(['app-installation-id', 'github-app-installation-id'])('cannot be given at creation: %s', async (key) => {
    const reply = await bench.create({ 'vcs-repo': { identifier: 'acme/infra', [key]: installation } });
    expectInvalid(reply, 'vcs-repo/app-installation-id');
  });

  it.each(['app-installation-id', 'github-app-installation-id'])('takes the place of a connection: %s', async (key) => {
    const workspace = await bench.make(withRepo({ branch: 'main' }));
    const reply = await bench.update(workspace, { 'vcs-repo': { [key]: installation } });
    expect(repoOf(reply)).toMatchObject({
      branch: 'main',
      identifier: 'acme/infra',
      'oauth-token-id': null,
      'app-installation-id': installation,
      'service-provider': 'github_app',
    });
    const back = repoOf(await bench.update(workspace, { 'vcs-repo': { 'oauth-token-id': github } }));
    expect(back).toMatchObject({ 'oauth-token-id': github, 'service-provider': 'github' });
    expect(back['app-installation-id'] ?? null).toBeNull();
  });

  it('stays when something else of the repository is changed', async () => {
    const workspace = await bench.make(withRepo());
    await bench.update(workspace, installed());
    const reply = await bench.update(workspace, { 'vcs-repo': { branch: 'next', 'oauth-token-id': null } });
    expect(repoOf(reply)).toMatchObject({ branch: 'next', 'app-installation-id': installation });
  });

  it('may be said by both of its names, when they agree', async () => {
    const workspace = await bench.make(withRepo());
    const agreeing = installed({ 'github-app-installation-id': installation });
    expect((await bench.update(workspace, agreeing)).status).toBe(200);
    const differing = installed({ 'github-app-installation-id': 'ghain-1111111111111111' });
    expectInvalid(await bench.update(workspace, differing), 'vcs-repo/app-installation-id');
  });

  it('cannot be given beside a connection', async () => {
    const workspace = await bench.make(withRepo());
    expectInvalid(
      await bench.update(workspace, installed({ 'oauth-token-id': github })),
      'vcs-repo/app-installation-id',
      /together/,
    );
  });

  it.each(['ghain-1111111111111111', 'nonsense'])('must be registered, which %s is not', async (id) => {
    const workspace = await bench.make(withRepo());
    expectInvalid(
      await bench.update(workspace, { 'vcs-repo': { 'app-installation-id': id } }),
      'vcs-repo/app-installation-id',
    );
  });
});

describe('the longest that a part of a repository may be', () => {
  it.each<[key: string, most: number, (length: number) => string]>([
    ['branch', 255, (length) => 'b'.repeat(length)],
    ['identifier', 255, (length) => `a/${'i'.repeat(length - 2)}`],
    ['tags-regex', 512, (length) => 'r'.repeat(length)],
  ])('%s: %i, and no more', async (key, most, of) => {
    for (const reply of await bench.bothWays(withRepo({ [key]: of(most) }))) expect(repoOf(reply)[key]).toBe(of(most));
    for (const reply of await bench.bothWays(withRepo({ [key]: of(most + 1) }))) {
      expectInvalid(reply, `vcs-repo/${key}`, /too long/);
    }
  });
});

describe('what starts runs', () => {
  const patterns = { 'trigger-patterns': ['/**/*.tf'] };
  const prefixes = { 'trigger-prefixes': ['/modules'] };

  it.each<[name: string, given: () => object]>([
    ['patterns, and prefixes that are empty', () => ({ ...patterns, 'trigger-prefixes': [] })],
    ['prefixes, and patterns that are empty', () => ({ ...prefixes, 'trigger-patterns': [] })],
    ['neither', () => ({ 'trigger-patterns': [], 'trigger-prefixes': [] })],
    ['tags, without file triggers', () => ({ ...withRepo({ 'tags-regex': '^v' }), 'file-triggers-enabled': false })],
    ['tags, and lists that are empty', () => ({ ...withRepo({ 'tags-regex': '^v' }), 'trigger-patterns': [] })],
    ['an empty expression for tags beside patterns', () => ({ ...withRepo({ 'tags-regex': '' }), ...patterns })],
    ['no expression for tags beside prefixes', () => ({ ...withRepo({ 'tags-regex': null }), ...prefixes })],
  ])('may be %s', async (_, given) => {
    for (const reply of await bench.bothWays(given()))
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  });

  it.each<[name: string, given: () => object, pointer: string]>([
    ['patterns and prefixes', () => ({ ...patterns, ...prefixes }), 'trigger-patterns'],
    ['tags and patterns', () => ({ ...withRepo({ 'tags-regex': '^v' }), ...patterns }), 'vcs-repo/tags-regex'],
    ['tags and prefixes', () => ({ ...withRepo({ 'tags-regex': '^v' }), ...prefixes }), 'vcs-repo/tags-regex'],
    [
      'tags and file triggers',
      () => ({ ...withRepo({ 'tags-regex': '^v' }), 'file-triggers-enabled': true }),
      'file-triggers-enabled',
    ],
  ])('cannot be %s at once', async (_, given, pointer) => {
    for (const reply of await bench.bothWays(given())) expectInvalid(reply, pointer);
  });

  it('cannot be both after two requests, either', async () => {
    const matched = await bench.make(patterns);
    expectInvalid(await bench.update(matched, prefixes), 'trigger-patterns');
    expect((await bench.update(matched, { ...prefixes, 'trigger-patterns': [] })).status).toBe(200);
    const tagged = await bench.make(withRepo({ 'tags-regex': '^v' }));
    expectInvalid(await bench.update(tagged, patterns), 'vcs-repo/tags-regex');
    expect((await bench.update(tagged, { ...patterns, 'vcs-repo': { 'tags-regex': null } })).status).toBe(200);
    expectInvalid(await bench.update(tagged, { 'vcs-repo': { 'tags-regex': '^v' } }), 'vcs-repo/tags-regex');
  });

  it.each(['(', '[', 'a{2,1}', '*', '(?=look)', String.raw`(a)\1`, '(?<!x)y', '(?P<n', String.raw`\8`])(
    'cannot be an expression that RE2 does not know: %s',
    async (expression) => {
      for (const reply of await bench.bothWays(withRepo({ 'tags-regex': expression }))) {
        expectInvalid(reply, 'vcs-repo/tags-regex');
      }
    },
  );

  it.each(['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'may be an expression that others choke on, at once: %s',
    async (expression) => {
      const create = async () => expect((await bench.create(withRepo({ 'tags-regex': expression }))).status).toBe(201);
      expect(await cpuSeconds(create)).toBeLessThan(10);
    },
  );

  it.each(['[', '{a,b', 'a\\', '(a', '[a-'])('cannot be a pattern that is none: %s', async (pattern) => {
    for (const reply of await bench.bothWays({ 'trigger-patterns': ['ok', pattern] })) {
      expectInvalid(reply, 'trigger-patterns/1');
    }
  });

  it('cannot be an empty pattern or prefix', async () => {
    for (const list of ['trigger-patterns', 'trigger-prefixes']) {
      for (const reply of await bench.bothWays({ [list]: [''] })) expectInvalid(reply, `${list}/0`, /can't be blank/);
    }
  });

  it('may be a pattern that takes long to match, as nothing is matched yet', async () => {
    const patterns = ['{'.repeat(50) + 'a'.repeat(50) + '}'.repeat(50), '+(a|+(b|+(c)))', '**/'.repeat(80)];
    for (const pattern of patterns) {
      const create = async () =>
        expect([201, 422]).toContain((await bench.create({ 'trigger-patterns': [pattern] })).status);
      expect(await cpuSeconds(create)).toBeLessThan(10);
    }
  });
});
