import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';

/** Managed resources of the current state of a workspace over HTTP (docs/reference/state-versions.md). */
let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(() => api.stop());

const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });

let createdCount = 0;
const createWorkspace = async (): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++createdCount}` } } };
  return `/workspaces/${(await send('POST', '/organizations/acme/workspaces', body)).body.data.id}`;
};
/** Creates a workspace with a state. @returns its path, and the state version. */
const createWithState = async (content: Buffer) => {
  const path = await createWorkspace();
  await send('POST', `${path}/actions/lock`);
  const { body } = await send('POST', `${path}/state-versions`, inlineStateVersionBody(content));
  return { path, version: body.data as { id: string; attributes: { 'created-at': string } } };
};
const stateOf = (resources: readonly object[]): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(buildState().toString()), resources }));
const aws = 'provider["registry.terraform.io/hashicorp/aws"]';
const content = stateOf([
  { mode: 'data', type: 'aws_region', name: 'here', provider: aws, instances: [{}] },
  {
    instances: [{ index_key: 1 }, { index_key: 0, deposed: 'e3b0c442' }, { index_key: 0 }],
    module: 'module.network.module.subnets',
    mode: 'managed',
    type: 'aws_subnet',
    name: 'this',
    provider: `${aws}.west`,
  },
  { mode: 'managed', type: 'aws_instance', name: 'web', provider: aws, instances: [{ index_key: 'a.b' }] },
  {
    mode: 'managed',
    type: 'terraform_data',
    name: 'once',
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [{ attributes: { index_key: 'nested', resources: [{ name: 'nested' }] } }],
  },
]);
const addressesIn = ({ body }: ApiResponse): readonly string[] =>
  body.data.map(({ attributes }: { attributes: { address: string } }) => attributes.address);

describe('GET /workspaces/:id/resources', () => {
  it('lists the instances of managed resources by address', async () => {
    const { path, version } = await createWithState(content);
    const { status, body } = await send('GET', `${path}/resources`);
    expect(status).toBe(200);
    const at = version.attributes['created-at'];
    const of = { 'modified-by-state-version-id': version.id, 'created-at': at, 'updated-at': at };
    const subnet = {
      name: 'this',
      module: 'network.subnets',
      provider: 'hashicorp/aws',
      'provider-type': 'aws_subnet',
    };
    const root = { module: 'root', provider: 'hashicorp/aws' };
    expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      {
        address: 'aws_instance.web["a.b"]',
        ...root,
        name: 'web',
        'provider-type': 'aws_instance',
        'name-index': 'a.b',
        ...of,
      },
      { address: 'network.subnets.aws_subnet.this[0]', ...subnet, 'name-index': '0', ...of },
      { address: 'network.subnets.aws_subnet.this[1]', ...subnet, 'name-index': '1', ...of },
      {
        address: 'terraform_data.once',
        module: 'root',
        provider: 'builtin/terraform',
        name: 'once',
        'provider-type': 'terraform_data',
        'name-index': null,
        ...of,
      },
    ]);
    expect(body.data).toMatchObject(Array(4).fill({ type: 'resources', id: expect.stringMatching(/^wsr-\w{16}$/) }));
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(4);
    expect((await send('GET', path)).body.data.attributes['resource-count']).toBe(5);
  });

  it('is paged, searched and sorted', async () => {
    const { path } = await createWithState(content);
    const list = (query: string) => send('GET', `${path}/resources?${query}`);
    const whole = await list('');
    const pages = await Promise.all([1, 2].map((page) => list(`page[size]=3&page[number]=${page}`)));
    expect(pages.flatMap(addressesIn)).toEqual(addressesIn(whole));
    expect(pages[0]?.body.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 4 });
    const beyond = (await list('page[number]=999&page[size]=100')).body;
    expect(beyond).toMatchObject({ data: [], meta: { pagination: { 'current-page': 999, 'total-count': 4 } } });
    expect(addressesIn(await list('q=SUBNET'))).toHaveLength(2);
    expect(addressesIn(await list('sort=module:desc'))).toEqual([
      'aws_instance.web["a.b"]',
      'terraform_data.once',
      'network.subnets.aws_subnet.this[0]',
      'network.subnets.aws_subnet.this[1]',
    ]);
    expect(addressesIn(await list('sort=providerType:desc&page[size]=1'))).toEqual(['terraform_data.once']);
    expect(addressesIn(await list('sort=updatedAt:asc'))).toEqual(addressesIn(whole));
    expect((await list('sort=-name')).body.errors[0]).toMatchObject({ status: '400', source: { parameter: 'sort' } });
  });

  it('counts the resources of all pages by type and by module', async () => {
    const { path } = await createWithState(content);
    const meta = async (query: string) => (await send('GET', `${path}/resources?${query}`)).body.meta;
    expect(await meta('page[size]=1')).toMatchObject({
      'type-counts': { aws_subnet: 2, aws_instance: 1, terraform_data: 1 },
      'module-counts': { root: 2, 'network.subnets': 2 },
    });
    expect(await meta('q=aws_instance')).toMatchObject({
      'type-counts': { aws_instance: 1 },
      'module-counts': { root: 1 },
    });
  });

  it('counts the 500 modules with the most resources', async () => {
    const inModule = (number: number) => ({
      ...{ mode: 'managed', type: 'aws_instance', name: 'web', provider: aws },
      ...{ module: `module.m["${number}"]`, instances: number === 600 ? [{ index_key: 0 }, { index_key: 1 }] : [{}] },
    });
    const { path } = await createWithState(stateOf(Array.from({ length: 601 }, (_, number) => inModule(number))));
    const { meta } = (await send('GET', `${path}/resources?page[size]=1`)).body;
    expect(meta['type-counts']).toEqual({ aws_instance: 602 });
    expect(Object.keys(meta['module-counts'])).toHaveLength(500);
    expect(meta['module-counts']['m["600"]']).toBe(2);
  });

  it('is empty without a state and without resources', async () => {
    expect((await send('GET', `${await createWorkspace()}/resources`)).body.data).toEqual([]);
    const { path } = await createWithState(buildState());
    expect((await send('GET', `${path}/resources`)).body.data).toEqual([]);
  });

  it('is 422 for a state that cannot be read', async () => {
    const encrypted = Buffer.from(JSON.stringify({ version: 4, serial: 1, lineage: '', encrypted_data: 'x' }));
    const { path } = await createWithState(encrypted);
    expect(await send('GET', `${path}/resources`)).toMatchObject({
      status: 422,
      body: { errors: [{ detail: expect.stringMatching(/encrypted/) }] },
    });
  });

  it('follows the current state', async () => {
    const { path } = await createWithState(content);
    const next = stateOf([{ mode: 'managed', type: 'null_resource', name: 'n', provider: aws, instances: [{}] }]);
    await send('POST', `${path}/state-versions`, inlineStateVersionBody(next, { serial: 2 }));
    expect(addressesIn(await send('GET', `${path}/resources`))).toEqual(['null_resource.n']);
  });
});
