import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../infra/cli/failure.ts';
import type { Source, SourceVersion } from '../../infra/cli/import/source.ts';
import { openTfeSource } from '../../infra/cli/import/sources/tfe.ts';
import { resolveTfeAddress } from '../../infra/cli/import/tfe/address.ts';
import { limitRate } from '../../infra/cli/import/tfe/rate-limit.ts';
import { type RecordType, recordTypes } from '../../shared/bundle/types.ts';
import { records as validRecords } from '../../shared/validators/compiled/bundle.js';
import { buildState } from '../support/api/states.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { fillOrganization } from '../support/cli/filled-organization.ts';
import { recordsPath } from '../support/cli/forged-bundle.ts';
import { describeMany, type HcpDescription, hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';
import { type CollectedInventory, collectInventory, recordsOf } from '../support/import/inventory.ts';
import { openHcp } from '../support/import/open-hcp.ts';

let context: ContextBed;
beforeAll(() => {
  context = createContextBed();
});
afterAll(() => context.remove());

/** Collects the content of a state version. */
const download = async (source: Source, version: SourceVersion): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of source.download(version)) parts.push(part);
  return Buffer.concat(parts);
};

describe('another Holdfast as a source', () => {
  let bed: CliBed;
  beforeAll(async () => {
    bed = await startCliBed();
    await fillOrganization(bed);
  });
  afterAll(() => bed.stop());

  const open = async () => {
    const methods: string[] = [];
    const io = {
      ...context.io({ HOLDFAST_SOURCE_TOKEN: bed.owner }),
      fetch: ((input, init) => {
        methods.push(init?.method ?? 'GET');
        return bed.fetch(input, init);
      }) satisfies typeof fetch,
    };
    const address = await resolveTfeAddress(io, 'tfe://holdfast.test/acme');
    return { source: openTfeSource(io, { ...address, rate: 1_000 }), methods };
  };

  test('leads to the inventory of its own export, except for the digests of states', async () => {
    const { source, methods } = await open();
    const inventory = await collectInventory(source);
    expect(await bed.run(['export', 'acme', '--out', 'bundle'])).toMatchObject({ code: 0 });
    for (const type of recordTypes) {
      const exported = readFileSync(recordsPath(join(bed.home, 'bundle'), type), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .map(({ sha256: _, ...record }) => record);
      expect(recordsOf(inventory, type), type).toEqual(exported);
    }
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(inventory.notCarried).toEqual([]);
  });

  test('yields the bytes of its states, and refuses content with another MD5', async () => {
    const { source } = await open();
    const { versions } = await collectInventory(source);
    expect(versions).toHaveLength(5);
    for (const version of versions) {
      const { stdout } = await bed.run(['state', 'pull', version.workspace, version.origin.id]);
      expect((await download(source, version)).toString()).toBe(stdout);
    }
    const [first] = versions;
    if (first === undefined) throw new Error('There is no state version.');
    const other = { ...first, md5: '00000000000000000000000000000000' };
    await expect(download(source, other)).rejects.toMatchObject({ exit: 'failed' });
  });

  test('is locked, gets a state, and is unlocked', async () => {
    const { source } = await open();
    await source.locks?.acquire('web', 'import imp-1');
    expect(await bed.json(['ws', 'show', 'web'])).toMatchObject({ locked: true, 'locked-reason': 'import imp-1' });
    const state = buildState({ serial: 7 });
    await source.push('web', state);
    expect((await bed.run(['state', 'pull', 'web'])).stdout).toBe(state.toString());
    await source.locks?.release('web', 'import imp-1');
    expect(await bed.json(['ws', 'show', 'web'])).toMatchObject({ locked: false });
  });
});

const description: HcpDescription = {
  organization: { 'assessments-enforced': true },
  projects: [
    { name: 'Default Project' },
    {
      name: 'Platform',
      description: 'Networks',
      bindings: { cost: '42' },
      access: { builders: 'maintain' },
      notifications: [{ name: 'pager', triggers: ['workspace:auto_destroy_reminder'] }],
    },
  ],
  teams: [
    { name: 'owners' },
    {
      name: 'builders',
      attributes: { visibility: 'organization', 'organization-access': { 'manage-workspaces': true } },
      tokens: 2,
      notifications: [{ name: 'requests', triggers: ['team:change_request'] }],
    },
  ],
  members: [
    { email: 'ada@example.com', username: 'ada', teams: ['owners', 'builders'] },
    { email: 'grace@example.com', username: null, teams: ['builders'] },
  ],
  agentPools: [{ name: 'build', allowedWorkspaces: ['network'], tokens: 1 }],
  sshKeys: ['deploy'],
  connections: [
    { name: 'hub', provider: 'github' },
    { name: null, provider: 'gitlab_hosted' },
  ],
  variableSets: [
    {
      name: 'credentials',
      priority: true,
      project: 'Platform',
      workspaces: ['network'],
      projects: ['Platform'],
      variables: [{ key: 'API_KEY', value: 'hidden', category: 'env', sensitive: true }],
    },
    { name: 'defaults', global: true },
  ],
  policySets: ['guard'],
  policies: ['no-public-buckets'],
  workspaces: [
    {
      name: 'network',
      attributes: { description: 'Core', 'assessments-enabled': true, 'terraform-version': '~> 1.9.0' },
      project: 'Platform',
      agentPool: 'build',
      sshKey: 'deploy',
      repository: { connection: 'hub', identifier: 'acme/network' },
      tags: ['core'],
      bindings: { env: 'prod' },
      retention: { stateVersionsDeleteAfterNDays: 90, runDataKeepLatestCount: 5 },
      variables: [
        { key: 'region', value: 'eu-central-1', description: 'Where' },
        { key: 'region', value: 'eu', category: 'env' },
        { key: 'password', value: 'hidden', sensitive: true },
      ],
      versions: [
        { content: hcpState(1, 'a') },
        { content: hcpState(2, 'a') },
        { content: hcpState(1, 'a'), createdAt: '2024-01-02T00:00:00.000Z' },
        { content: hcpState(3, 'a'), status: 'discarded' },
      ],
      consumers: ['web'],
      access: { builders: { runs: 'plan', variables: 'read', 'workspace-locking': true } },
      runTriggers: ['web'],
      notifications: [{ name: 'slack', triggers: ['run:errored', 'assessment:drifted'] }],
      runs: ['applied', 'planned_and_finished'],
    },
    { name: 'web', repository: { connection: null, identifier: 'acme/web' }, access: { builders: 'read' } },
    ...Array.from({ length: 40 }, (_, index) => ({ name: `small-${index}` })),
  ],
};

const NETWORK = { workspace: 'network', sensitive: false, hcl: false };

/** Records of the description, without `origin`, and those of two workspaces. */
const expected: Partial<Record<RecordType, readonly object[]>> = {
  organization: [
    {
      name: 'acme',
      email: 'owner@example.com',
      'collaborator-auth-policy': 'password',
      'cost-estimation-enabled': false,
      'data-retention-policy': null,
      'default-agent-pool': null,
      'default-execution-mode': 'remote',
      'default-project': 'Default Project',
      'session-timeout': null,
      'token-ttl-policies': {},
    },
  ],
  projects: [
    { name: 'Default Project', description: '', 'tag-bindings': {} },
    { name: 'Platform', description: 'Networks', 'tag-bindings': { cost: '42' } },
  ].map((project) => ({
    ...project,
    'auto-destroy-activity-duration': null,
    'default-agent-pool': null,
    'default-execution-mode': null,
  })),
  teams: [
    { name: 'builders', visibility: 'organization', 'organization-access': { 'manage-workspaces': true } },
    { name: 'owners', visibility: 'secret', 'organization-access': { 'manage-workspaces': false } },
  ].map((team) => ({ ...team, 'sso-team-id': null, 'allow-member-token-management': true })),
  memberships: [
    { email: 'ada@example.com', teams: ['builders', 'owners'] },
    { email: 'grace@example.com', teams: ['builders'] },
  ],
  'agent-pools': [{ name: 'build', 'organization-scoped': false, 'allowed-workspaces': ['network'] }],
  'ssh-keys': [{ name: 'deploy', needs: 'private-key' }],
  'vcs-connections': [
    { name: 'gitlab_hosted-oc-2', 'service-provider': 'gitlab_hosted' },
    { name: 'hub', 'service-provider': 'github' },
  ].map((connection) => ({
    ...connection,
    'api-url': 'https://api.github.com',
    'http-url': 'https://github.com',
    'organization-scoped': true,
    needs: 'token',
  })),
  'reserved-tag-keys': [],
  'project-access': [{ project: 'Platform', team: 'builders', access: 'maintain' }],
  'workspace-access': [
    {
      workspace: 'network',
      team: 'builders',
      access: 'custom',
      parts: { runs: 'plan', variables: 'read', 'workspace-locking': true },
    },
    { workspace: 'web', team: 'builders', access: 'read' },
  ],
  'remote-state-consumers': [{ workspace: 'network', consumer: 'web' }],
  variables: [
    { ...NETWORK, category: 'env', key: 'region', value: 'eu', description: '' },
    { ...NETWORK, category: 'infra', key: 'password', value: null, description: '', sensitive: true, needs: 'value' },
    { ...NETWORK, category: 'infra', key: 'region', value: 'eu-central-1', description: 'Where' },
  ],
  'variable-sets': [
    {
      ...{ name: 'credentials', description: '', global: false, priority: true, 'owner-project': 'Platform' },
      ...{ projects: ['Platform'], workspaces: ['network'] },
    },
    {
      ...{ name: 'defaults', description: '', global: true, priority: false, 'owner-project': null },
      ...{ projects: [], workspaces: [] },
    },
  ],
  'variable-set-variables': [
    {
      ...{ 'variable-set': 'credentials', category: 'env', key: 'API_KEY', description: '', hcl: false },
      ...{ sensitive: true, value: null, needs: 'value' },
    },
  ],
  'workload-identities': [],
  'state-versions': [
    { position: 1, serial: 1, 'is-current': false },
    { position: 2, serial: 2, 'is-current': false },
    { position: 3, serial: 1, 'is-current': true },
  ].map((version) => ({
    ...version,
    workspace: 'network',
    intermediate: false,
    size: hcpState(1, 'a').length,
  })),
};

const withoutOrigin = ({ origin: _, ...record }: { readonly origin?: object }): object => record;

describe('HCP Terraform as a source', () => {
  let server: HcpServer;
  let source: Source;
  let inventory: CollectedInventory;
  beforeAll(async () => {
    server = await startHcpServer(description);
    source = await openHcp(context, server);
    inventory = await collectInventory(source);
  });
  afterAll(() => server.stop());

  test('leads to an inventory with everything that it describes', () => {
    for (const [type, records] of Object.entries(expected) as [RecordType, readonly object[]][]) {
      expect(recordsOf(inventory, type).map(withoutOrigin), type).toEqual(records);
    }
    const workspaces = recordsOf(inventory, 'workspaces');
    expect(workspaces.map(({ name }) => name).sort()).toEqual(description.workspaces.map(({ name }) => name).sort());
    expect(workspaces.find(({ name }) => name === 'network')).toMatchObject({
      ...{ project: 'Platform', description: 'Core', 'working-directory': null, 'infra-version': '~> 1.9.0' },
      ...{ 'execution-mode': 'agent', 'agent-pool': 'build', 'ssh-key': 'deploy', 'vcs-connection': 'hub' },
      'vcs-repo': { identifier: 'acme/network' },
      'tag-names': ['core'],
      'tag-bindings': { env: 'prod' },
      'data-retention-policy': { 'delete-older-than-n-days': 90 },
      origin: { id: 'ws-network', 'created-at': '2024-01-01T00:00:00.000Z' },
    });
    expect(workspaces.find(({ name }) => name === 'web')).toMatchObject({
      ...{ project: 'Default Project', 'vcs-connection': null, 'agent-pool': null, 'data-retention-policy': null },
    });
  });

  test('leads to records that match the schemas of a bundle, without what HCP Terraform does not say', () => {
    for (const type of recordTypes.filter((name) => name !== 'state-versions')) {
      const validate = validRecords[type];
      expect(
        recordsOf(inventory, type).filter((record) => !validate(record)),
        type,
      ).toEqual([]);
    }
    const [workspace] = recordsOf(inventory, 'workspaces');
    expect(Object.keys(workspace)).not.toContain('deletion-protection');
    const [version] = recordsOf(inventory, 'state-versions');
    expect(Object.keys(version)).not.toEqual(expect.arrayContaining(['md5']));
    expect(Object.keys(version)).not.toEqual(expect.arrayContaining(['lineage']));
  });

  test('names everything that is not carried, with the events that replace notifications', () => {
    const lines = inventory.notCarried.map(({ type, name, reason, count = 1 }) => `${type} ${name} ${reason} ${count}`);
    expect(lines.sort()).toEqual([
      'authentication-tokens agent-pools/build unreadable 1',
      'authentication-tokens teams/builders unreadable 2',
      'configuration-versions network not-supported 2',
      'data-retention-policies network/runDataKeepLatestCount not-supported 1',
      'github-app-installations web/ghain-1 not-supported 1',
      'notification-configurations Platform/pager not-supported 1',
      'notification-configurations builders/requests not-supported 1',
      'notification-configurations network/slack not-supported 1',
      'organization-settings acme/assessments-enforced not-supported 1',
      'policies acme/no-public-buckets not-supported 1',
      'policy-sets acme/guard not-supported 1',
      'run-triggers network/web not-supported 1',
      'runs network not-supported 2',
      'state-versions network/sv-network-4 no-content 1',
      'workspace-settings network/assessments-enabled not-supported 1',
    ]);
    expect(inventory.notCarried.find(({ name }) => name === 'network/slack')?.detail).toBe(
      'A notification to slack. Events of the bus that replace its triggers: run:errored: workspace.run-updated, assessment:drifted: none.',
    );
  });

  test('gets nothing but reads that it knows, and no token at the host of downloads', async () => {
    const before = server.requests.length;
    await collectInventory(source);
    const requests = server.requests.slice(before);
    expect(new Set(requests.map(({ method, isDownload }) => `${method} ${isDownload}`))).toEqual(
      new Set(['GET false']),
    );
    expect(server.violations).toEqual([]);
  });

  test('is read again for some workspaces only, with the names of the others', async () => {
    const before = server.requests.length;
    const some = await collectInventory(source, (name) => name === 'network');
    expect(some.workspaces).toEqual(['network']);
    expect(recordsOf(some, 'remote-state-consumers').map(withoutOrigin)).toEqual([
      { workspace: 'network', consumer: 'web' },
    ]);
    expect(server.requests.slice(before).filter(({ url }) => url.includes('ws-web'))).toEqual([]);
  });

  test('yields the bytes of each state version, from URLs that are fresh each time', async () => {
    for (const [index, version] of inventory.versions.entries()) {
      const content = await download(source, version);
      expect(content).toEqual(description.workspaces[0]?.versions?.[index]?.content);
    }
    const downloads = server.requests.filter(({ isDownload }) => isDownload);
    expect(downloads.map(({ status, hasToken }) => [status, hasToken])).toEqual([
      [200, false],
      [200, false],
      [200, false],
    ]);
  });

  test('reports a download that ends too early, also where it looks complete', async () => {
    const [version] = inventory.versions;
    if (version === undefined) throw new Error('There is no state version.');
    server.setFaults({ seed: 1, truncated: 1 });
    const messages = new Set<string>();
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      await download(source, version).catch((error: Failure) => messages.add(error.message));
    }
    server.setFaults({ seed: 0 });
    expect([...messages].sort()).toEqual([
      'The connection ended before the content was complete.',
      `The content of sv-network-1 has 53 bytes, and ${new URL(server.address.replace('tfe', 'http')).host} says 107.`,
    ]);
  });

  test('leads to the same inventory while the server throttles, fails and is slow', async () => {
    server.setFaults({ seed: 7, throttleEvery: 10, bursts: 0.05, slow: 0.1, slowMillis: 5 });
    const before = server.requests.length;
    const again = await collectInventory(source);
    server.setFaults({ seed: 0 });
    for (const type of recordTypes) expect(recordsOf(again, type), type).toEqual(recordsOf(inventory, type));
    expect(again.notCarried).toHaveLength(inventory.notCarried.length);
    const statuses = new Set(server.requests.slice(before).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 404, 429, 500, 503]);
  });
});

describe('the rate of requests', () => {
  afterEach(() => vi.useRealTimers());

  test.each([
    ['no request', 0],
    ['every tenth request', 10],
  ])('is never exceeded in any second, with %s throttled', async (_, throttleEvery) => {
    const rate = 24;
    vi.useFakeTimers({ toFake: ['Date'] });
    const server = await startHcpServer(describeMany(3, 30, 3));
    let sent = 0;
    let clock = Date.now();
    const io = {
      ...context.io({ HOLDFAST_SOURCE_TOKEN: server.token }),
      fetch: ((...request) => {
        sent += 1;
        return fetch(...request);
      }) satisfies typeof fetch,
      // Time goes on when everything that was sent has arrived.
      wait: async (milliseconds: number) => {
        while (server.requests.length < sent) await new Promise(setImmediate);
        clock += milliseconds;
        vi.setSystemTime(clock);
      },
    };
    server.setFaults({ seed: 5, ...(throttleEvery > 0 && { throttleEvery }) });
    const source = openTfeSource(io, { ...(await resolveTfeAddress(io, server.address)), rate });
    const { workspaces } = await collectInventory(source);
    await server.stop();
    expect(workspaces).toHaveLength(30);
    const times = server.requests.map(({ at }) => at);
    const crowded = times.filter((time, index) => (times[index + rate] ?? Number.POSITIVE_INFINITY) - time < 1_000);
    expect(times.length).toBeGreaterThan(10 * rate);
    expect(crowded).toEqual([]);
  });

  test.each([
    ['retry-after', { 'retry-after': '3' }, 3_000],
    ['x-ratelimit-reset', { 'x-ratelimit-reset': '0.5' }, 500],
    ['neither header', {}, 1_000],
    ['more seconds than are waited at once', { 'retry-after': '3600' }, 30_000],
  ])('pauses after the status 429 with %s', async (_, headers, pause) => {
    const times = await sendAll([new Response('', { status: 429, headers }), new Response()], 10);
    expect(times).toEqual([0, pause]);
  });

  test('stays below the limit that the server names', async () => {
    const limit = new Response('', { status: 429, headers: { 'x-ratelimit-reset': '0', 'x-ratelimit-limit': '10' } });
    const [, second = 0, third = 0] = await sendAll([limit, new Response(), new Response()], 1_000);
    expect(third - second).toBeGreaterThan(1_000 / 10);
  });

  /** Sends requests one after the other, as fast as the limit allows. @returns the times at which they were sent. */
  const sendAll = async (responses: readonly Response[], rate: number): Promise<readonly number[]> => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const times: number[] = [];
    let clock = 1_000_000;
    const io = {
      ...context.io(),
      wait: async (milliseconds: number) => {
        clock += milliseconds;
        vi.setSystemTime(clock);
      },
      fetch: async () => {
        times.push(clock - 1_000_000);
        return responses[times.length - 1] ?? new Response();
      },
    };
    const limited = limitRate(io, 'https://tfe.test', rate);
    for (const _ of responses) await limited('https://tfe.test/api/v2/ping');
    return times;
  };
});
