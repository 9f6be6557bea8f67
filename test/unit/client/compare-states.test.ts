import { describe, expect, it } from 'vitest';
import { compareStates, listResources } from '../../../shared/client/compare-states.ts';

interface Instance {
  readonly index_key?: string | number;
  readonly deposed?: string;
  readonly attributes?: object;
  readonly sensitive_attributes?: unknown;
}

const resource = (name: string, instances: readonly Instance[], more: object = {}) => ({
  mode: 'managed',
  type: 'aws_subnet',
  name,
  provider: 'provider["registry.terraform.io/hashicorp/aws"]',
  instances,
  ...more,
});

const state = (...resources: readonly unknown[]): string => JSON.stringify({ version: 4, serial: 1, resources });

describe('the comparison of two states', () => {
  it('finds added, removed and changed resources by their addresses', () => {
    const before = state(
      resource('gone', [{ attributes: { id: 'y', tags: null } }]),
      resource('a', [{ attributes: { cidr: '10.1.0.0/16', id: 'x' } }]),
    );
    const after = state(
      resource('a', [{ attributes: { cidr: '10.2.0.0/16', id: 'x' } }]),
      resource('new', [{ attributes: { tags: { Name: 'b' } } }]),
    );
    expect(compareStates(before, after)).toEqual([
      {
        address: 'aws_subnet.a',
        kind: 'changed',
        attributes: [{ name: 'cidr', old: '10.1.0.0/16', new: '10.2.0.0/16' }],
      },
      { address: 'aws_subnet.gone', kind: 'removed', attributes: [{ name: 'id', old: 'y', new: null }] },
      { address: 'aws_subnet.new', kind: 'added', attributes: [{ name: 'tags.Name', old: null, new: 'b' }] },
    ]);
  });

  it('never returns the values of sensitive attributes', () => {
    const secret = (password: string) =>
      state(
        resource('a', [
          { attributes: { password }, sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]] },
        ]),
      );
    const changes = compareStates(secret('old-secret'), secret('new-secret'));
    expect(changes[0]?.attributes).toEqual([{ name: 'password' }]);
    expect(JSON.stringify(changes)).not.toContain('secret');
  });

  it('hides a value that only one of the two states marks as sensitive', () => {
    const [open, marked] = [[], [[{ type: 'get_attr', value: 'password' }]]].map((sensitive_attributes, version) =>
      state(resource('a', [{ attributes: { password: `secret-${version}` }, sensitive_attributes }])),
    );
    expect(compareStates(open ?? '', marked ?? '')[0]?.attributes).toEqual([{ name: 'password' }]);
  });

  it('compares outputs, and hides the values of sensitive ones', () => {
    const outputs = (url: string, sensitive: boolean) =>
      JSON.stringify({ version: 4, outputs: { url: { value: url }, token: { value: url, sensitive }, same: {} } });
    expect(compareStates(outputs('a', true), outputs('b', false))).toEqual([
      { address: 'output.token', kind: 'changed', attributes: [{ name: 'value' }] },
      { address: 'output.url', kind: 'changed', attributes: [{ name: 'value', old: 'a', new: 'b' }] },
    ]);
  });

  it('names only the changed keys of a map, at every depth, and of a list with as many maps as before', () => {
    const version = (attributes: object) => state(resource('a', [{ attributes }]));
    const changed = (before: object, after: object) =>
      compareStates(version(before), version(after))[0]?.attributes.map((change) => [
        change.name,
        change.old,
        change.new,
      ]);
    expect(
      changed(
        {
          tags: { Name: 'a', team: 'x', 'kubernetes.io/role': '1' },
          disk: [{ size: 8, kind: { iops: 1, name: 'd' } }],
        },
        { tags: { Name: 'b', team: 'x', owner: 'o' }, disk: [{ size: 8, kind: { iops: 2, name: 'd' } }] },
      ),
    ).toEqual([
      ['tags.Name', 'a', 'b'],
      ['tags["kubernetes.io/role"]', '1', null],
      ['tags.owner', null, 'o'],
      ['disk[0].kind.iops', '1', '2'],
    ]);
    expect(
      changed({ tags: null, ports: [1], disk: [] }, { tags: { a: '1' }, ports: [2], disk: [{ size: 8 }] }),
    ).toEqual([
      ['tags.a', null, '1'],
      ['ports', '[1]', '[2]'],
      ['disk', '[]', '[{"size":8}]'],
    ]);
    expect(changed({ tags: null }, { tags: {} })).toEqual([['tags', null, '{}']]);
  });

  it('hides all keys of a map if its state marks one of them as sensitive', () => {
    const path = [
      { type: 'get_attr', value: 'tags' },
      { type: 'index', value: { value: 'token', type: 'string' } },
    ];
    const version = (token: string) =>
      state(resource('a', [{ attributes: { tags: { token, name: token } }, sensitive_attributes: [path] }]));
    expect(compareStates(version('secret-1'), version('secret-2'))[0]?.attributes).toEqual([{ name: 'tags' }]);
  });

  it('shortens long values', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      state(resource('a', [{ attributes: { value: letter.repeat(1_000_000) } }])),
    );
    const [change] = compareStates(before ?? '', after ?? '')[0]?.attributes ?? [];
    expect(change?.new).toBe(`${'b'.repeat(300)}… (${(1_000_000).toLocaleString()} characters)`);
  });

  it('names modules, data sources, indexes and deposed instances in addresses', () => {
    const resources = listResources(
      state(
        resource('a', [{ index_key: 0 }, { index_key: 'b"c' }], { module: 'module.net' }),
        resource('d', [{}], { mode: 'data' }),
        resource('e', [{ deposed: '1f' }]),
      ),
    );
    expect(resources.map(({ address }) => address)).toEqual([
      'module.net.aws_subnet.a[0]',
      'module.net.aws_subnet.a["b\\"c"]',
      'data.aws_subnet.d',
      'aws_subnet.e (deposed 1f)',
    ]);
  });

  it('lists resources with their modules, types, providers and attributes, without sensitive values', () => {
    const module = 'module.net["a"]';
    const instance = {
      attributes: { id: 'subnet-1', tags: { Name: 'a' }, mfa: null, password: 'secret' },
      sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
    };
    expect(listResources(state(resource('a', [instance], { module }), resource('d', [{}], { mode: 'data' })))).toEqual([
      {
        address: 'module.net["a"].aws_subnet.a',
        module,
        type: 'aws_subnet',
        provider: 'registry.terraform.io/hashicorp/aws',
        attributes: [{ name: 'id', new: 'subnet-1' }, { name: 'tags.Name', new: 'a' }, { name: 'password' }],
      },
      {
        address: 'data.aws_subnet.d',
        module: '',
        type: 'data.aws_subnet',
        provider: 'registry.terraform.io/hashicorp/aws',
        attributes: [],
      },
    ]);
  });

  it.each(['null', '[]', '{"version":3}', '{"version":4,"resources":[null,1,{"instances":[null,[]]}]}'])(
    'reads %s without a crash',
    (text) => {
      try {
        expect(listResources(text)).toEqual([]);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    },
  );

  it('takes attributes with the names of members of every object as data', () => {
    const attributes = (value: string) =>
      state(resource('a', [{ attributes: JSON.parse(`{"__proto__":"${value}","constructor":"${value}"}`) }]));
    expect(compareStates(attributes('1'), attributes('2'))[0]?.attributes.map(({ name }) => name)).toEqual([
      '__proto__',
      'constructor',
    ]);
    const tags = (text: string) => state(resource('a', [{ attributes: { tags: JSON.parse(text) } }]));
    expect(compareStates(tags('{}'), tags('{"__proto__":"1","constructor":"1"}'))[0]?.attributes).toEqual([
      { name: 'tags.__proto__', old: null, new: '1' },
      { name: 'tags.constructor', old: null, new: '1' },
    ]);
  });
});
