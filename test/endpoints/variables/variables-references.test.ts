import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';

/** Variables that name a parameter or a secret in AWS in place of a value (VAR-17), and what may be named (VAR-18). */
let api: Api;
let owner: string;
let workspace: string;
let project: string;
let set: string;
let projectSet: string;

const send = (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const resource = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});
const NAME = 'value-reference';
const ALLOWED = 'allowed-value-references';
const ORGANIZATION = 'ssm:/shared/database';
const PROJECT = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:network/key-AbCdEf';

let count = 0;
const create = (attributes: object, path = `/workspaces/${workspace}/vars`) =>
  send('POST', path, resource('vars', { key: `key-${++count}`, category: 'env', ...attributes }));
const created = async (attributes: object): Promise<string> => {
  const { status, body } = await create(attributes);
  expect(status, JSON.stringify(body)).toBe(201);
  return `/workspaces/${workspace}/vars/${body.data.id}`;
};
const update = (path: string, attributes: object) => send('PATCH', path, resource('vars', attributes));
const shown = async (path: string) => {
  const { key: _, ...attributes } = (await send('GET', path)).body.data.attributes;
  const { value, sensitive } = attributes;
  return { value, sensitive, reference: attributes[NAME] };
};
const refusal = ({ status, body }: ApiResponse) => ({ status, ...body.errors?.[0] });
const notAllowed = {
  status: '422',
  detail: 'Value reference must begin with one of the allowed-value-references of the organization or the project',
  source: { pointer: `/data/attributes/${NAME}` },
};

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const ofProject = resource('projects', { name: 'Network', [ALLOWED]: [PROJECT.slice(0, -10)] });
  project = (await send('POST', '/organizations/acme/projects', ofProject)).body.data.id;
  const parent = { project: { data: { type: 'projects', id: project } } };
  const body = resource('workspaces', { name: 'network' }, parent);
  workspace = (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
  set = (await send('POST', '/organizations/acme/varsets', resource('varsets', { name: 'all', global: true }))).body
    .data.id;
  const owned = resource('varsets', { name: 'own' }, { parent: { data: { type: 'projects', id: project } } });
  projectSet = (await send('POST', '/organizations/acme/varsets', owned)).body.data.id;
  await send('PATCH', '/organizations/acme', resource('organizations', { [ALLOWED]: ['ssm:/shared'] }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe('a value reference', () => {
  it('is shown with a null value in every response, and the event names keys only', async () => {
    const path = await created({ [NAME]: ORGANIZATION });
    const expected = { value: null, sensitive: false, reference: ORGANIZATION };
    expect(await shown(path)).toEqual(expected);
    const id = path.split('/').at(-1);
    for (const list of [`/workspaces/${workspace}/vars`, '/vars', `/workspaces/${workspace}/all-vars`]) {
      const found = (await send('GET', list)).body.data.find((one: { id: string }) => one.id === id);
      expect(found.attributes, list).toMatchObject({ value: null, [NAME]: ORGANIZATION });
    }
    await update(path, { [NAME]: PROJECT });
    const item = await api.engine.database.get({ pk: `WS#${workspace}`, sk: 'W' }, true);
    expect(item?.['chg']).toMatchObject({ keys: ['value-reference'] });
    expect(JSON.stringify(item)).not.toContain('key-AbCdEf');
  });

  it('replaces a value and is replaced by one; null and the present value keep what there is', async () => {
    const path = await created({ value: 'plain' });
    await update(path, { [NAME]: null, value: null });
    expect(await shown(path)).toEqual({ value: 'plain', sensitive: false, reference: null });
    await update(path, { [NAME]: ORGANIZATION });
    expect(await shown(path)).toEqual({ value: null, sensitive: false, reference: ORGANIZATION });
    await update(path, { value: null, [NAME]: null, description: 'kept' });
    expect(await shown(path)).toEqual({ value: null, sensitive: false, reference: ORGANIZATION });
    await update(path, { value: 'again' });
    expect(await shown(path)).toEqual({ value: 'again', sensitive: false, reference: null });
  });

  it('of a sensitive variable is shown, and the variable stays sensitive', async () => {
    const path = await created({ value: 'secret', sensitive: true });
    await update(path, { [NAME]: PROJECT });
    expect(await shown(path)).toEqual({ value: null, sensitive: true, reference: PROJECT });
    expect((await update(path, { sensitive: false })).status).toBe(422);
    expect((await update(path, { key: 'other' })).status).toBe(422);
    await update(path, { value: 'another' });
    expect(await shown(path)).toEqual({ value: null, sensitive: true, reference: null });
    const marked = await created({ [NAME]: PROJECT });
    await update(marked, { sensitive: true });
    expect(await shown(marked)).toEqual({ value: null, sensitive: true, reference: PROJECT });
  });

  it('is rejected together with a value, also an empty one', async () => {
    const expected = { status: '422', detail: 'Value reference cannot be set together with value' };
    const path = await created({ [NAME]: ORGANIZATION });
    for (const value of ['', 'x']) {
      expect(refusal(await create({ value, [NAME]: ORGANIZATION }))).toMatchObject(expected);
      expect(refusal(await update(path, { value, [NAME]: ORGANIZATION }))).toMatchObject(expected);
    }
  });

  it.each(['ssm:/shared/../x', 'ssm:/shared/*', 'https://example.com/x', 'x'.repeat(3_000)])(
    'is rejected if it is %s',
    async (reference) => {
      expect(refusal(await create({ [NAME]: reference }))).toMatchObject({
        status: '422',
        detail: expect.stringMatching(/^Value reference /),
        source: { pointer: `/data/attributes/${NAME}` },
      });
    },
  );

  it('has no value to verify', async () => {
    const path = await created({ [NAME]: ORGANIZATION });
    expect(refusal(await send('POST', `${path}/actions/verify`, { value: '' }))).toMatchObject({
      status: '409',
      detail: 'The variable has a value reference, and no value that could be verified.',
    });
  });

  it('does not call KMS', async () => {
    api.keyService.requested();
    await created({ [NAME]: ORGANIZATION, sensitive: true });
    expect(api.keyService.requested()).toEqual([]);
  });
});

describe('allowed value references', () => {
  it.each([
    ['ssm:/shared-too', 'that only begins with the same text'],
    ['ssm:/other', 'that no prefix covers'],
    ['arn:aws:ssm:eu-central-1:123456789012:parameter/shared/database', 'with the ARN of an allowed parameter'],
  ])('do not allow %s, %s', async (reference) => {
    expect(refusal(await create({ [NAME]: reference }))).toMatchObject(notAllowed);
    const path = await created({ value: 'x' });
    expect(refusal(await update(path, { [NAME]: reference }))).toMatchObject(notAllowed);
  });

  it('of a project apply to its workspaces and variable sets, not to sets of the organization', async () => {
    const variables = (id: string) => `/varsets/${id}/relationships/vars`;
    expect((await create({ [NAME]: PROJECT })).status).toBe(201);
    expect((await create({ [NAME]: PROJECT }, variables(projectSet))).status).toBe(201);
    expect((await create({ [NAME]: ORGANIZATION }, variables(set))).status).toBe(201);
    expect(refusal(await create({ [NAME]: PROJECT }, variables(set)))).toMatchObject(notAllowed);
    const plain = await create({ value: 'x' }, variables(set));
    const path = `${variables(set)}/${plain.body.data.id}`;
    expect(refusal(await update(path, { [NAME]: PROJECT }))).toMatchObject(notAllowed);
    const { body } = await update(path, { [NAME]: ORGANIZATION });
    expect(body.data.attributes).toMatchObject({ value: null, [NAME]: ORGANIZATION });
  });

  it('are none by default, and a removed prefix keeps the references that exist', async () => {
    const { body } = await send('GET', '/organizations/acme');
    expect(body.data.attributes[ALLOWED]).toEqual(['ssm:/shared']);
    const fresh = await send('POST', '/organizations/acme/projects', resource('projects', { name: 'Fresh' }));
    expect(fresh.body.data.attributes[ALLOWED]).toEqual([]);
    await send('PATCH', `/projects/${project}`, resource('projects', { [ALLOWED]: [PROJECT, 'ssm:/temporary/'] }));
    const path = await created({ [NAME]: 'ssm:/temporary/x' });
    await send('PATCH', `/projects/${project}`, resource('projects', { [ALLOWED]: [PROJECT] }));
    expect((await update(path, { [NAME]: 'ssm:/temporary/x', description: 'kept' })).status).toBe(200);
    expect(refusal(await update(path, { [NAME]: 'ssm:/temporary/y' }))).toMatchObject(notAllowed);
  });

  it.each([
    [['ssm:/*'], '/0'],
    [['ssm:/a', 'arn:aws:ssm:'], '/1'],
    [['ssm:/a/../b'], '/0'],
    [Array(21).fill('ssm:/a'), ''],
  ])('are rejected if they are %j', async (prefixes, element) => {
    for (const [path, type] of [
      ['/organizations/acme', 'organizations'],
      [`/projects/${project}`, 'projects'],
    ] as const) {
      expect(refusal(await send('PATCH', path, resource(type, { [ALLOWED]: prefixes })))).toMatchObject({
        status: '422',
        source: { pointer: `/data/attributes/${ALLOWED}${element}` },
      });
    }
  });

  it('are changed by owners only; other callers who may update may repeat them', async () => {
    const tokens = await send('POST', '/organizations/acme/authentication-token');
    const organization = tokens.body.data.attributes.token as string;
    const before = (await send('GET', `/projects/${project}`)).body.data.attributes[ALLOWED];
    for (const [path, type, present] of [
      ['/organizations/acme', 'organizations', ['ssm:/shared']],
      [`/projects/${project}`, 'projects', before],
    ] as const) {
      expect(refusal(await send('PATCH', path, resource(type, { [ALLOWED]: ['ssm:/'] }), organization))).toMatchObject({
        status: '404',
        detail: 'This needs ownership of the organization.',
      });
      const repeated = await send('PATCH', path, resource(type, { [ALLOWED]: present }), organization);
      expect(repeated.status).toBe(200);
    }
    const created = resource('projects', { name: 'Own', [ALLOWED]: ['ssm:/'] });
    expect((await send('POST', '/organizations/acme/projects', created, organization)).status).toBe(404);
  });
});
