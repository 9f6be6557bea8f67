import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import { digestOf, mintToken } from '../../../shared/access/credentials.ts';
import { POLL_DEADLINE } from '../setup/deadline.ts';
import { create, createWorkspace, report, request } from './console.ts';

/** The organizations that the screenshots of the web console show: with many names, long names and names in many scripts. */

export const GALLERY = 'example';
/** An organization with one workspace. */
export const SMALL = 'one-workspace';
/** An organization without workspaces. */
export const EMPTY = 'empty';

const LONG = 'a-name-that-is-as-long-as-names-may-be-and-has-no-space-at-which-it-could-be-broken-0123456789';
/** A name of a workspace that is as long as they may be. */
export const LONG_NAME: string = LONG.slice(0, 90);
// cspell:disable-next-line
const HEBREW = 'תשתיות הרשת';
const CHINESE = '生产环境网络';

const project = async (name: string, attributes: object = {}): Promise<string> =>
  (await create(`/organizations/${GALLERY}/projects`, 'projects', { name, ...attributes })).id;

const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });

const addTags = (workspace: string, ...names: readonly string[]) =>
  request(`/workspaces/${workspace}/relationships/tags`, {
    body: { data: names.map((name) => ({ type: 'tags', attributes: { name } })) },
  });

const lock = (workspace: string, reason: string, token?: string, lease: object = {}) =>
  request(`/workspaces/${workspace}/actions/lock`, {
    body: { reason, ...lease },
    ...(token !== undefined && { token }),
  });

interface StateResource {
  readonly type?: string;
  readonly name: string;
  readonly module?: string;
  /** Attributes of each instance. */
  readonly instances: readonly object[];
}

const uploadState = async (workspace: string, serial: number, resources: readonly StateResource[], token?: string) => {
  const content = JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'lineage',
    outputs: {
      vpc_id: { value: 'vpc-0a1b2c3d4e5f60718', type: 'string' },
      subnets: { value: ['10.0.1.0/24', '10.0.2.0/24', '10.0.3.0/24'], type: ['list', 'string'] },
      password: { value: 's3cret', type: 'string', sensitive: true },
    },
    resources: resources.map(({ type = 'aws_subnet', instances, ...resource }) => ({
      mode: 'managed',
      type,
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      ...resource,
      instances: instances.map((attributes, index) => ({
        ...(instances.length > 1 && { index_key: index }),
        attributes,
        sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
      })),
    })),
  });
  const attributes = {
    serial,
    lineage: 'lineage',
    md5: createHash('md5').update(content).digest('hex'),
    state: Buffer.from(content).toString('base64'),
  };
  await request(`/workspaces/${workspace}/state-versions`, {
    body: { data: { type: 'state-versions', attributes } },
    ...(token !== undefined && { token }),
  });
};

const subnet = (number: number, more: object = {}): StateResource => ({
  name: `zone_${number}`,
  instances: [{ cidr: `10.0.${number}.0/24`, password: `p${number}`, tags: { team: 'net' }, ...more }],
});

/** Types of resources by the number of their instances, with their modules. */
const kinds = [
  ['aws_subnet', 9, 'module.network["eu-central-1"]'],
  ['aws_route_table', 6, 'module.network["eu-west-1"].module.routes'],
  ['aws_instance', 12, undefined],
  ['aws_s3_bucket', 4, 'module.storage'],
  ['aws_iam_role', 7, 'module.roles'],
  ['aws_iam_role_policy_attachment', 11, 'module.roles'],
  ['aws_kms_key', 2, undefined],
  ['aws_security_group', 3, `module.${LONG}`],
  ['aws_vpc', 1, 'module.network["eu-central-1"]'],
  [`aws_${LONG.replaceAll('-', '_')}`, 1, undefined],
] as const;

/** Uploads state versions whose numbers of resources differ. */
const uploadStates = async (workspace: string): Promise<void> => {
  await lock(workspace, 'Uploading');
  for (const [index, share] of [1, 2, 2, 3, 5, 5, 4, 8, 9, 9, 6, 7, 9, 10].entries()) {
    const resources = kinds.slice(0, share).map(([type, count, module]) => ({
      ...{ type, name: 'this', ...(module !== undefined && { module }) },
      instances: Array.from({ length: count }, () => ({})),
    }));
    await uploadState(workspace, index + 1, resources);
  }
  await request(`/workspaces/${workspace}/actions/unlock`, { method: 'POST' });
};

const statuses = [
  'applied',
  'applied',
  'errored',
  'applied',
  'planned_and_finished',
  'canceled',
  'applied',
  'planning',
];

const reportRuns = async (workspace: string): Promise<void> => {
  const start = Date.now() - 8 * 86_400_000;
  const runs = statuses.map((status, index) => {
    const createdAt = start + index * 86_400_000;
    const version = {
      id: `cv-11111111111111${index + 1}1`,
      status: 'uploaded',
      speculative: false,
      at: new Date(createdAt).toISOString(),
      'created-at': new Date(createdAt).toISOString(),
      'ingress-attributes': {
        branch: 'main',
        'commit-sha': `${index}bcdef0123456789`,
        'commit-message': 'Add a subnet',
      },
    };
    const run = {
      id: `run-11111111111111${index + 1}1`,
      status,
      at: new Date(createdAt + (index + 2) * 47_000).toISOString(),
      'created-at': new Date(createdAt).toISOString(),
      'plan-only': status === 'planned_and_finished',
      'is-destroy': status === 'canceled',
      message: index === 3 ? `${LONG} ${CHINESE} ${HEBREW}` : `Add the subnets of zone ${index}`,
      source: index % 2 === 0 ? 'tfe-ui' : 'tfe-api',
      'configuration-version': version.id,
    };
    return [
      ['configuration-version.updated', { 'configuration-version': version }],
      ['run.updated', { run }],
    ] as const;
  });
  for (const events of runs) await report(GALLERY, workspace, events);
  // A report whose function fails on a busy computer is delivered again a minute later.
  const hasAllRuns = async () =>
    expect((await request(`/workspaces/${workspace}/runs`)).data).toHaveLength(runs.length);
  await vi.waitFor(hasAllRuns, POLL_DEADLINE);
};

/** Id of a run with all that a runner can report. */
export const galleryRun = 'run-1111111111111199';
/** Ids in the addresses of pages. */
export const galleryIds = { project: '', team: '', user: '', invited: '', variableSet: '' };

/** Statuses of the run that has a long message, with their seconds since its creation. */
const longRun = [
  ['pending', 0],
  ['plan_queued', 4],
  ['planning', 9],
  ['planned', 71],
  ['confirmed', 1_900],
  ['applying', 1_905],
  ['applied', 2_140],
] as const;

/** Reports a run with everything that a runner can report about it. */
const reportLongRun = async (workspace: string): Promise<void> => {
  const createdAt = Date.now() - 86_400_000 / 2;
  const at = (seconds: number) => new Date(createdAt + seconds * 1_000).toISOString();
  const version = {
    id: 'cv-1111111111111199',
    status: 'uploaded',
    speculative: false,
    at: at(0),
    'created-at': at(0),
    'ingress-attributes': {
      branch: LONG,
      'commit-sha': 'fedcba9876543210',
      'commit-url': 'https://github.com/acme/network/commit/fedcba9876543210',
      'commit-message': `Widen the subnets ${HEBREW} ${LONG}`,
      'sender-username': LONG.slice(0, 60),
      'pull-request-number': 4711,
      'pull-request-title': `Widen ${LONG} ${CHINESE}`,
      'pull-request-url': 'https://github.com/acme/network/pull/4711',
      identifier: 'acme/network',
    },
  };
  const run = {
    id: galleryRun,
    'created-at': at(0),
    'plan-only': false,
    'auto-apply': false,
    'has-changes': true,
    source: 'tfe-api',
    message: `Widen the subnets of all zones ${LONG} ${CHINESE} ${HEBREW}`,
    'configuration-version': version.id,
  };
  await report(GALLERY, workspace, [['configuration-version.updated', { 'configuration-version': version }]]);
  const token = mintToken('run');
  const events = longRun.map(
    ([status, seconds]) =>
      ['run.updated', { run: { ...run, status, at: at(seconds), 'token-sha256': digestOf(token) } }] as const,
  );
  await lock(workspace, 'Creating the subnets');
  await uploadState(workspace, 1, [subnet(1), subnet(2), subnet(3)]);
  await request(`/workspaces/${workspace}/actions/unlock`, { method: 'POST' });
  await report(GALLERY, workspace, events.slice(0, -1));
  const isLocked = async () => expect((await request(`/workspaces/${workspace}`)).data.attributes.locked).toBe(true);
  await vi.waitFor(isLocked, POLL_DEADLINE);
  const widened = { cidr: '10.0.32.0/20', tags: { team: 'search', Name: LONG } };
  await uploadState(workspace, 2, [subnet(1), subnet(2, widened), subnet(4), subnet(5)], token);
  await report(GALLERY, workspace, events.slice(-1));
  // The history is written from the stream of the table, shortly after a change.
  const isRecorded = async () => {
    const text = JSON.stringify((await request(`/workspaces/${workspace}/history`)).data);
    expect(['"serial":2', '"status":"applied"'].filter((part) => !text.includes(part))).toEqual([]);
  };
  await vi.waitFor(isRecorded, POLL_DEADLINE);
  const isApplied = async () =>
    expect((await request(`/runs/${run.id}`)).data.attributes['status-timestamps']).toHaveProperty('applied-at');
  await vi.waitFor(isApplied, POLL_DEADLINE);
};

/** Token of a team that may do no more than read one workspace. */
export let readerToken: string;

const createWorkspaces = async (): Promise<void> => {
  const platform = await project('Platform', {
    description: `What all teams build on: ${HEBREW}, ${CHINESE}, ${LONG}`,
    'allowed-value-references': ['ssm:/platform/', `ssm:/${LONG.slice(0, 60)}/`],
  });
  galleryIds.project = platform;
  await request(`/projects/${platform}/tag-bindings`, {
    method: 'PATCH',
    body: {
      data: [
        ['cost-center', '4711'],
        ['owner', LONG.slice(0, 60)],
      ].map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
    },
  });
  const projects = [platform, await project('Telecommunications and billing'), await project(LONG.slice(0, 40))];
  const names = ['network', 'network-staging', 'billing', 'billing-staging', 'identity', 'data-platform'];
  const more = ['dns', 'observability', 'payments-production-eu-central-1', 'search', LONG_NAME];
  const ids: Record<string, string> = {};
  for (const [index, name] of [...names, ...more].entries()) {
    const attributes = {
      name,
      'infra-version': ['1.9.8', '1.8.5', '~> 1.10.0', 'latest'][index % 4],
      'execution-mode': index % 3 === 0 ? 'local' : 'remote',
      ...(index === 0 && { description: 'The network of all accounts: transit gateway, VPCs and their subnets.' }),
    };
    const { id } = await createWorkspace(GALLERY, attributes, inProject(projects[index % projects.length] ?? platform));
    ids[name] = id;
    if (index % 2 === 0) await addTags(id, 'core', 'team', ...(index === 4 ? ['eu-central-1', 'production'] : []));
  }
  const [network = '', billing = '', longName = ''] = [ids['network'], ids['billing'], ids[LONG_NAME]];
  const team = await create(`/organizations/${GALLERY}/teams`, 'teams', { name: 'platform-engineers' });
  await create(`/organizations/${GALLERY}/teams`, 'teams', {
    name: LONG.slice(0, 60),
    'organization-access': { 'read-workspaces': true },
  });
  galleryIds.team = team.id;
  const { data: ada } = await request('/account/details');
  galleryIds.user = ada.id;
  await request(`/teams/${team.id}/relationships/users`, { body: { data: [{ type: 'users', id: ada.id }] } });
  const invited = await create(
    `/organizations/${GALLERY}/organization-memberships`,
    'organization-memberships',
    { email: `${LONG.slice(0, 60)}@example.com` },
    { teams: { data: [{ type: 'teams', id: team.id }] } },
  );
  galleryIds.invited = invited.id;
  await create(`/teams/${team.id}/authentication-tokens`, 'authentication-tokens', { description: LONG });
  const data = { type: 'team-projects', attributes: { access: 'admin' } };
  await request('/team-projects', {
    body: {
      data: { ...data, relationships: { team: { data: { type: 'teams', id: team.id } }, ...inProject(platform) } },
    },
  });
  const operators = await create(`/organizations/${GALLERY}/teams`, 'teams', {
    name: 'telecommunications',
    'organization-access': { 'manage-workspaces': true },
  });
  const reader = await create(`/organizations/${GALLERY}/teams`, 'teams', { name: 'readers' });
  for (const [access, id, workspace] of [
    ['read', reader.id, network],
    ['admin', team.id, billing],
  ]) {
    const relationships = {
      team: { data: { type: 'teams', id } },
      workspace: { data: { type: 'workspaces', id: workspace } },
    };
    await create('/team-workspaces', 'team-workspaces', { access }, relationships);
  }
  const token = async (id: string): Promise<string> =>
    (await request(`/teams/${id}/authentication-token`, { method: 'POST' })).data.attributes.token;
  readerToken = await token(reader.id);
  const owned = { team: { data: { type: 'teams', id: team.id } } };
  const identities = `/organizations/${GALLERY}/workload-identities`;
  await create(
    identities,
    'workload-identities',
    {
      name: 'deploy-network',
      issuer: 'https://token.actions.githubusercontent.com',
      conditions: [
        { claim: '/repository_id', equals: ['456789012'] },
        { claim: '/ref', matches: 'refs/heads/main' },
      ],
    },
    { ...owned, workspaces: { data: [{ type: 'workspaces', id: network }] } },
  );
  await create(
    identities,
    'workload-identities',
    {
      name: 'deploy-data',
      issuer: `https://${LONG.slice(0, 60)}.example.com`,
      conditions: [{ claim: '/sub', equals: [LONG, CHINESE] }],
      enabled: false,
    },
    owned,
  );
  await lock(network, 'Migrating the state to another account');
  await lock(
    billing,
    'Waiting for the approval of the finance department, see the notes of the meeting',
    await token(team.id),
  );
  await lock(
    ids['observability'] ?? '',
    'Infrastructure maintenance: reorganizing the telecommunications',
    await token(operators.id),
    { 'lease-seconds': 14_400 },
  );
  await lock(longName, `${HEBREW} ${LONG}`);

  for (const [key, value, more] of [
    ['region', 'eu-central-1', {}],
    ['PASSWORD', 's3cret', { category: 'env', sensitive: true }],
    ['subnets', '["10.0.1.0/24", "10.0.2.0/24"]', { hcl: true, description: 'One for each zone' }],
    [LONG.replaceAll('-', '_'), LONG.repeat(3), {}],
    ['greeting', `${HEBREW} ${CHINESE}`, {}],
  ] as const)
    await create(`/workspaces/${network}/vars`, 'vars', { key, value, category: 'infra', ...more });
  const sets = `/organizations/${GALLERY}/varsets`;
  const enforced = await create(sets, 'varsets', { name: 'Enforced region', global: true, priority: true });
  await create(`/varsets/${enforced.id}/relationships/vars`, 'vars', {
    key: 'region',
    value: 'eu-west-1',
    category: 'infra',
  });
  const common = await create(sets, 'varsets', { name: 'Common settings of all workspaces', global: true });
  for (const key of ['region', 'TF_LOG'])
    await create(`/varsets/${common.id}/relationships/vars`, 'vars', { key, value: 'us-east-1', category: 'env' });
  const assigned = await create(sets, 'varsets', {
    name: 'Credentials of the platform',
    description: 'Rotated monthly',
    priority: true,
  });
  galleryIds.variableSet = assigned.id;
  for (const [key, value, more] of [
    ['TOKEN', 'secret', { sensitive: true, description: LONG }],
    ['ENDPOINT', `https://${LONG}`, {}],
  ] as const)
    await create(`/varsets/${assigned.id}/relationships/vars`, 'vars', { key, value, category: 'env', ...more });
  await request(`/varsets/${assigned.id}/relationships/projects`, {
    body: { data: [{ type: 'projects', id: platform }] },
  });
  await request(`/varsets/${assigned.id}/relationships/workspaces`, {
    body: { data: [{ type: 'workspaces', id: billing }] },
  });
  await uploadStates(ids['data-platform'] ?? '');
  await uploadState(network, 1, [subnet(1), subnet(2), subnet(3)]);
  await uploadState(network, 2, [
    subnet(1),
    subnet(2, { cidr: '10.0.20.0/24', password: 'other', tags: { team: 'search', Name: LONG } }),
    subnet(4),
  ]);
  await uploadState(network, 3, [subnet(1), subnet(2), subnet(4), subnet(5)]);
  await reportRuns(network);
  if (ids['dns'] !== undefined) await reportLongRun(ids['dns']);
  for (const consumer of ['dns', 'search', LONG_NAME])
    await request(`/workspaces/${network}/relationships/remote-state-consumers`, {
      body: { data: [{ type: 'workspaces', id: ids[consumer] }] },
    });
  await createWorkspace(GALLERY, { name: 'zones', 'global-remote-state': true });
  for (const name of ['retired', 'old-experiment']) {
    const { id } = await createWorkspace(GALLERY, { name });
    await request(`/workspaces/${id}`, { method: 'DELETE' });
  }
  await request(`/workspaces/${billing}`, {
    method: 'PATCH',
    body: { data: { type: 'workspaces', attributes: { 'infra-version': '1.9.0', description: 'Invoices' } } },
  });
};

/** Creates the organizations with everything that the screenshots show. */
export const createGallery = async (): Promise<void> => {
  for (const name of [GALLERY, SMALL, EMPTY])
    await create('/organizations', 'organizations', { name, email: 'owner@example.com' });
  await createWorkspace(SMALL, { name: 'only' });
  await createWorkspaces();
  const list = (path: string, type: string, attributes: object) =>
    create(`/organizations/${GALLERY}/${path}`, type, attributes);
  await list('agent-pools', 'agent-pools', { name: 'On premises' });
  await list('ssh-keys', 'ssh-keys', { name: 'Modules', value: 'not a real key' });
  await list('oauth-clients', 'oauth-clients', {
    name: 'GitHub',
    'service-provider': 'github',
    'http-url': 'https://github.com',
  });
  await list('reserved-tag-keys', 'reserved-tag-keys', { key: 'environment', 'disable-overrides': true });
};
