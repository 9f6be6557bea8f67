import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type Item, keys, variableKeysFrom } from '../../../shared/store/dynamodb/keys.ts';
import { listedKey } from '../../../shared/store/items/variable-items.ts';
import { indexVariables } from '../../../shared/store/variables/index-variables.ts';
import { ROWS } from '../../../shared/store/variables/variable-keys.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** Search for variables by their keys, in all workspaces and variable sets that the caller may read (VAR-19). */
let engine: TestEngine;
let api: Api;
let owner: string;
const ORGANIZATION = '/organizations/acme';

const send = (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});
const idIn = ({ status, body }: ApiResponse): string => {
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const createProject = async (name: string): Promise<string> =>
  idIn(await send('POST', `${ORGANIZATION}/projects`, document('projects', { name })));
const inProject = (id: string | undefined, relationship: string) =>
  id === undefined ? undefined : { [relationship]: { data: { type: 'projects', id } } };
const createWorkspace = async (name: string, project?: string): Promise<string> =>
  idIn(
    await send('POST', `${ORGANIZATION}/workspaces`, document('workspaces', { name }, inProject(project, 'project'))),
  );
const createSet = async (name: string, project?: string): Promise<string> =>
  idIn(await send('POST', `${ORGANIZATION}/varsets`, document('varsets', { name }, inProject(project, 'parent'))));
const pathOf = (of: string): string =>
  of.startsWith('varset-') ? `/varsets/${of}/relationships/vars` : `/workspaces/${of}/vars`;
const createVariable = async (of: string, key: string, attributes: object = {}): Promise<string> =>
  idIn(await send('POST', pathOf(of), document('vars', { key, category: 'env', ...attributes })));
const change = async (of: string, id: string, attributes: object) =>
  expect((await send('PATCH', `${pathOf(of)}/${id}`, document('vars', attributes))).status).toBe(200);
const createCaller = async (team: string): Promise<string> => {
  await api.admin('create-team', { organization: 'acme', name: team });
  return (await api.admin('create-token', { kind: 'team', organization: 'acme', team })).token;
};
const grant = async (team: string, access: object) => {
  const response = await api.admin('grant-access', { organization: 'acme', team, ...access });
  expect(response).not.toHaveProperty('errors');
};

const search = (text: string, token?: string, parameters: Readonly<Record<string, string>> = {}) =>
  send(
    'GET',
    `${ORGANIZATION}/variable-keys?${new URLSearchParams({ 'search[key]': text, ...parameters })}`,
    undefined,
    token,
  );
const keysIn = ({ status, body }: ApiResponse): string[] => {
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(
    ({ attributes }: { attributes: Record<string, string> }) => `${attributes['key']} of ${attributes['owner-name']}`,
  );
};
const find = async (text: string, token?: string): Promise<string[]> => keysIn(await search(text, token));

/** Follows the links of a search to its end. @returns what each page has. */
const findPages = async (text: string, size: number, token?: string): Promise<string[][]> => {
  const pages: string[][] = [];
  let reply = await search(text, token, { 'page[size]': String(size) });
  for (;;) {
    pages.push(keysIn(reply));
    const { next } = reply.body.links;
    if (next === null) return pages;
    reply = await send('GET', next.replace(/^https?:\/\/[^/]+/, ''), undefined, token);
  }
};

/** Reads the rows of the keys of the organization in the index. */
const readRows = async (): Promise<Item[]> => {
  const partitions = Array.from({ length: 4 }, (_, shard) => `ORG#acme#K#${shard}`);
  return (await Promise.all(partitions.map((partition) => engine.database.query({ index: 'list', partition })))).flat();
};

beforeAll(async () => {
  engine = await startEngine();
  api = await startApi({ engine, deletedWorkspaceDays: 7 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

describe('search for variables by their keys', () => {
  it('finds the beginning of a key, ignoring case, in workspaces and variable sets, ordered by key', async () => {
    const [workspace, set] = [await createWorkspace('beginnings'), await createSet('shared')];
    const id = await createVariable(workspace, 'AWS_REGION');
    await createVariable(workspace, 'aws_region', { category: 'terraform' });
    await createVariable(workspace, 'AWS_REGION_2');
    const inSet = await createVariable(set, 'Aws_Profile');
    await createVariable(workspace, 'MY_AWS');
    expect(await find('aws_')).toEqual([
      'Aws_Profile of shared',
      ...(await find('AWS_REGION')).slice(0, 2),
      'AWS_REGION_2 of beginnings',
    ]);
    expect((await find('Aws_regioN')).toSorted()).toEqual([
      'AWS_REGION of beginnings',
      'AWS_REGION_2 of beginnings',
      'aws_region of beginnings',
    ]);
    const { body } = await search('aws_');
    expect(body.data).toContainEqual({
      id,
      type: 'variable-keys',
      attributes: { key: 'AWS_REGION', category: 'env', 'owner-name': 'beginnings' },
      relationships: { workspace: { data: { type: 'workspaces', id: workspace } }, varset: { data: null } },
    });
    expect(body.data[0]).toEqual({
      id: inSet,
      type: 'variable-keys',
      attributes: { key: 'Aws_Profile', category: 'env', 'owner-name': 'shared' },
      relationships: { workspace: { data: null }, varset: { data: { type: 'varsets', id: set } } },
    });
    expect(body.links).toEqual({ self: expect.stringMatching(/search%5Bkey%5D=aws_$/), next: null });
    expect(await find('region')).toEqual([]);
  });

  it('finds keys with separators and characters of any script, also at the end of a page', async () => {
    const workspace = await createWorkspace('scripts');
    const written = [
      '%X',
      '%X#',
      '%X\u0001',
      '%X_%',
      '%Xé',
      '%X\u{FFFD}',
      '%X\u{1F512}',
      '%X\u0394\u03A3',
      '%X\u0394\u03A3\u0391',
    ];
    for (const key of written) await createVariable(workspace, key);
    const labels = written.map((key) => `${key} of scripts`);
    const found = await find('%x');
    expect(found.toSorted()).toEqual(labels.toSorted());
    const sorted = found.map((label) => Buffer.from(variableKeysFrom(label).replace(' of scripts', '\u0000')));
    expect(sorted.toSorted(Buffer.compare)).toEqual(sorted);
    expect((await findPages('%x', 1)).flat()).toEqual(found);
    expect(await find('%x\u{1F512}')).toEqual(['%X\u{1F512} of scripts']);
    expect(await find('%x\u03B4\u03C3')).toEqual(['%X\u0394\u03A3 of scripts', '%X\u0394\u03A3\u0391 of scripts']);
    expect(await find('%X#')).toEqual(['%X# of scripts']);
  });

  it('follows changes of the key, and deletions', async () => {
    for (const holder of [await createWorkspace('changes'), await createSet('changes')]) {
      const id = await createVariable(holder, 'BEFORE');
      await change(holder, id, { key: 'LATER' });
      expect(await find('before')).toEqual([]);
      expect(await find('later')).toEqual(['LATER of changes']);
      await change(holder, id, { key: 'later' });
      expect(await find('later')).toEqual(['later of changes']);
      expect((await send('DELETE', `${pathOf(holder)}/${id}`)).status).toBe(204);
      expect(await find('later')).toEqual([]);
      expect((await readRows()).filter((row) => row['id'] === id)).toEqual([]);
    }
  });

  it('finds the key of a sensitive variable, and the index has no attribute that could contain a value', async () => {
    const workspace = await createWorkspace('secrets');
    const attributes = { value: 'top-secret-value', description: 'top-secret-description' };
    const id = await createVariable(workspace, 'SECRET_KEY', { ...attributes, sensitive: true });
    await createVariable(workspace, 'SECRET_PLAIN', attributes);
    const reply = await search('secret_');
    expect(keysIn(reply)).toEqual(['SECRET_KEY of secrets', 'SECRET_PLAIN of secrets']);
    expect(JSON.stringify(reply.body)).not.toContain('top-secret');
    const rows = await readRows();
    expect(rows.find((row) => row['id'] === id)).toBeDefined();
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(['id', 'l', 'lk', 'pk', 'sk', 'ty']);
  });

  it('shows categories in the vocabulary of the client', async () => {
    const workspace = await createWorkspace('vocabulary');
    await createVariable(workspace, 'VOCABULARY', { category: 'infra' });
    const category = async (vocabulary: string) => {
      const headers = { 'holdfast-vocabulary': vocabulary };
      const path = `${ORGANIZATION}/variable-keys?search[key]=vocabulary`;
      return (await api.request('GET', path, { token: owner, headers })).body.data[0].attributes.category;
    };
    expect([await category('infra'), await category('terraform')]).toEqual(['infra', 'terraform']);
  });

  it('lists all keys for an empty text', async () => {
    const all = (await findPages('', 100)).flat();
    expect(all.length).toBe((await readRows()).length);
    expect((await send('GET', `${ORGANIZATION}/variable-keys`)).status).toBe(200);
  });
});

describe('who finds a variable by its key', () => {
  let network: string;
  let project: string;

  beforeAll(async () => {
    project = await createProject('Platform');
    network = await createWorkspace('network', project);
    await createVariable(network, 'HIDDEN_OF_NETWORK');
    await createVariable(await createWorkspace('billing'), 'HIDDEN_OF_BILLING');
    await createVariable(await createSet('everyone'), 'HIDDEN_OF_SET');
    await createVariable(await createSet('platform', project), 'HIDDEN_OF_PLATFORM');
  });

  it.each<[string, object | undefined, readonly string[]]>([
    ['a reader of a workspace', { workspace: 'network', access: 'read' }, ['NETWORK of network']],
    ['a reader of the runs of a workspace only', { workspace: 'network', access: 'custom', variables: 'none' }, []],
    [
      'a reader of its variables',
      { workspace: 'network', access: 'custom', variables: 'read' },
      ['NETWORK of network'],
    ],
    ['a reader of the project', { project: 'Platform', access: 'read' }, ['NETWORK of network']],
    [
      'a maintainer of the project',
      { project: 'Platform', access: 'maintain' },
      ['NETWORK of network', 'PLATFORM of platform'],
    ],
    [
      'a reader of the variable sets of the project',
      { project: 'Platform', access: 'custom', variables: 'none', variableSets: 'read' },
      ['PLATFORM of platform'],
    ],
    ['a team without access', undefined, []],
  ])('is %s, as far as the access goes', async (team, access, expected) => {
    const token = await createCaller(team);
    if (access !== undefined) await grant(team, access);
    expect(await find('hidden_of_', token)).toEqual(expected.map((name) => `HIDDEN_OF_${name}`));
  });

  it('a team that may read all workspaces finds variables in them and in the variable sets of the organization', async () => {
    await api.admin('create-team', { organization: 'acme', name: 'readers', permissions: 'read-workspaces' });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'readers' });
    expect(await find('hidden_of_', token)).toEqual([
      'HIDDEN_OF_BILLING of billing',
      'HIDDEN_OF_NETWORK of network',
      'HIDDEN_OF_SET of everyone',
    ]);
  });

  it('a team whose access was revoked finds no variable', async () => {
    const token = await createCaller('former');
    await grant('former', { workspace: 'network', access: 'read' });
    expect(await find('hidden_of_', token)).toEqual(['HIDDEN_OF_NETWORK of network']);
    await api.admin('revoke-access', { organization: 'acme', team: 'former', workspace: 'network' });
    expect(await find('hidden_of_', token)).toEqual([]);
  });

  it('nobody finds a variable of a deleted workspace, and everybody with access once it is restored', async () => {
    const id = await createWorkspace('removed');
    await createVariable(id, 'REMOVED');
    expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(204);
    expect(await find('removed')).toEqual([]);
    expect((await send('POST', `/deleted-workspaces/${id}/actions/restore`)).status).toBe(200);
    expect(await find('removed')).toEqual(['REMOVED of removed']);
  });

  it('is nobody after the variable set was deleted, whose row of the index the cleanup removes', async () => {
    const id = await createSet('removed');
    const variable = await createVariable(id, 'GONE_WITH_SET');
    expect((await send('DELETE', `/varsets/${id}`)).status).toBe(204);
    expect(await find('gone_with')).toEqual([]);
    await api.cleanup();
    expect((await readRows()).filter((row) => row['id'] === variable)).toEqual([]);
  });

  it('is no member of another organization, who gets the same 404 as for an unknown organization', async () => {
    const { token } = await api.admin('create-organization', { name: 'boron', email: 'eve@example.com' });
    expect((await search('', token)).status).toBe(404);
    const unknown = await send('GET', '/organizations/unknown/variable-keys?search[key]=a');
    expect(unknown.status).toBe(404);
  });
});

describe('pages of variables by their keys', () => {
  it('have links to the next one, which keep the text', async () => {
    const workspace = await createWorkspace('pages');
    const names = Array.from({ length: 7 }, (_, index) => `PAGE_${index}`);
    for (const key of names.toReversed()) await createVariable(workspace, key);
    const labels = names.map((key) => `${key} of pages`);
    expect(await findPages('page_', 3)).toEqual([labels.slice(0, 3), labels.slice(3, 6), labels.slice(6)]);
    expect(await findPages('page_', 7)).toEqual([labels]);
  });

  it('go past more unreadable variables than a request reads, and name none of them', async () => {
    const many = ROWS * 4 + 200;
    const [hidden, readable] = [await createWorkspace('hidden'), await createWorkspace('readable')];
    const sender = DynamoDBDocumentClient.from(new DynamoDBClient(engine.client));
    const items = Array.from({ length: many }, (_, index) => {
      const [id, key] = [prefixes.variable + base58(16), `MANY_${String(index).padStart(5, '0')}`];
      const pointer = {
        ...keys.pointer(id),
        ty: 'variable-id',
        v: 1,
        id,
        organization: 'acme',
        workspace: hidden,
        project: 'prj-1',
      };
      const listed = {
        ...keys.variable(hidden, 'env', key),
        ty: 'variable',
        v: 1,
        id,
        key,
        ...listedKey('acme', { id, key }),
      };
      return [{ ...pointer, category: 'env', key }, listed];
    }).flat();
    for (let from = 0; from < items.length; from += 25) {
      const batch = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await sender.send(new BatchWriteCommand({ RequestItems: { [engine.tableName]: batch } }));
    }
    sender.destroy();
    await createVariable(readable, 'MANY_Z');
    const token = await createCaller('many');
    await grant('many', { workspace: 'readable', access: 'read' });
    const first = await search('many_', token);
    expect(keysIn(first)).toEqual([]);
    expect(first.body.links.next).toMatch(/page%5Bafter%5D=var-/);
    expect(JSON.stringify(first.body)).not.toMatch(/many_\d/i);
    expect((await findPages('many_', 20, token)).flat()).toEqual(['MANY_Z of readable']);
    expect((await findPages('many_', 100)).flat().length).toBe(many + 1);
  });

  it.each([
    ['page[number]', '2', /no page numbers/],
    ['page[after]', 'x', /is not a cursor/],
    ['page[after]', 'ws-2jPTvTDXBPFzPGbT', /is not a cursor/],
    ['page[after]', 'var-2jPTvTDXBPFzPGbT', /names a variable that does not exist/],
    ['page[size]', '0', /must be a positive integer/],
    ['search[key]', 'x'.repeat(257), /takes values of at most 256 characters/],
    ['search[name]', 'x', /is not a parameter of this path/],
  ])('are refused for %s=%s', async (parameter, value, detail) => {
    const { status, body } = await search('a', owner, { [parameter]: value });
    expect([status, body.errors[0].source]).toEqual([400, { parameter }]);
    expect(body.errors[0].detail).toMatch(detail);
  });

  it('accept every text up to the limit, also one that no key can have', async () => {
    for (const character of ['\u0000', '\u0130', '\u{FFFF}', '\u{10FFFF}', '#', '"']) {
      const text = character.repeat(256 / character.length);
      expect(await find(text)).toEqual([]);
    }
  });

  it('are refused after a variable of another organization', async () => {
    const { token } = await api.admin('create-organization', { name: 'neon', email: 'zoe@example.com' });
    const body = document('workspaces', { name: 'network' });
    const workspace = idIn(await send('POST', '/organizations/neon/workspaces', body, token));
    const variable = document('vars', { key: 'NEON', category: 'env' });
    const id = idIn(await send('POST', `/workspaces/${workspace}/vars`, variable, token));
    expect((await search('', owner, { 'page[after]': id })).status).toBe(400);
  });
});

describe('variables that an earlier release wrote', () => {
  const forget = async (of: string, key: string) => {
    const item = await engine.database.get(keys.variable(of, 'env', key), true);
    const { l: _, lk: __, ...earlier } = item as Item;
    const { pk, sk } = earlier;
    await engine.database.write({ kind: 'put', key: { pk: String(pk), sk: String(sk) }, item: earlier });
  };

  it('are found after the command index-variables, once, and those of this release stay as they are', async () => {
    const [workspace, set, removed] = [
      await createWorkspace('earlier'),
      await createSet('earlier'),
      await createWorkspace('earlier-removed'),
    ];
    const owners = [workspace, set, removed];
    for (const holder of owners) await createVariable(holder, 'EARLIER');
    expect((await send('DELETE', `/workspaces/${removed}`)).status).toBe(204);
    const before = (await readRows()).length;
    for (const holder of owners) await forget(holder, 'EARLIER');
    expect(await find('earlier')).toEqual([]);
    expect(await api.admin('index-variables')).toMatchObject({ indexed: 3, left: 0 });
    expect(await find('earlier')).toEqual(['EARLIER of earlier', 'EARLIER of earlier']);
    expect(await readRows()).toHaveLength(before);
    expect(await api.admin('index-variables', { restart: true })).toMatchObject({ indexed: 0, left: 0 });
  });

  it('are found after their next change', async () => {
    const workspace = await createWorkspace('changed');
    const id = await createVariable(workspace, 'CHANGED');
    await forget(workspace, 'CHANGED');
    await change(workspace, id, { value: 'another' });
    expect(await find('changed')).toEqual(['CHANGED of changed']);
  });

  it('leave no row behind if they are deleted, replaced or renamed while the command runs', async () => {
    const workspace = await createWorkspace('meanwhile');
    const written = ['DELETED', 'REPLACED', 'RENAMED'].map((name) => `MEANWHILE_${name}`);
    const ids = new Map<string, string>();
    for (const key of written) ids.set(key, await createVariable(workspace, key));
    for (const key of written) await forget(workspace, key);
    const path = (key: string) => `${pathOf(workspace)}/${ids.get(key)}`;
    let isChanged = false;
    const database = {
      ...engine.database,
      // The owners are read after the items, and before the first write.
      getAll: async (...read: Parameters<typeof engine.database.getAll>) => {
        if (!isChanged && read[0].some(({ pk }) => pk === keys.workspace(workspace).pk)) {
          isChanged = true;
          await send('DELETE', path('MEANWHILE_DELETED'));
          await send('DELETE', path('MEANWHILE_REPLACED'));
          await createVariable(workspace, 'MEANWHILE_REPLACED');
          await forget(workspace, 'MEANWHILE_REPLACED');
          await send('PATCH', path('MEANWHILE_RENAMED'), document('vars', { key: 'MEANWHILE_LATER' }));
        }
        return engine.database.getAll(...read);
      },
    };
    expect(await indexVariables({ database, clock: Date.now }, { restart: true })).toMatchObject({ indexed: 0 });
    expect(await find('meanwhile_')).toEqual(['MEANWHILE_LATER of meanwhile']);
    expect(await indexVariables({ database, clock: Date.now }, { restart: true })).toMatchObject({ indexed: 1 });
    expect(await find('meanwhile_')).toEqual(['MEANWHILE_LATER of meanwhile', 'MEANWHILE_REPLACED of meanwhile']);
  });
});
