import { createHash } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readState } from '../../shared/state-content/read-state.ts';
import { bounded } from '../support/setup/run-budget.ts';

const read = (text: string | Buffer, size = 7) => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return readState(chunks);
};
const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex');

const instance = { schema_version: 0, attributes: { id: 'x', tags: { mode: 'data' }, list: [[{ instances: [1] }]] } };
const version4 = {
  version: 4,
  terraform_version: '1.11.4',
  serial: 7,
  lineage: '741c4949-60b9-5bb1-5bf8-b14f4bb14af3',
  outputs: {
    name: { value: 'web', type: 'string' },
    secret: { value: 's3cret', type: 'string', sensitive: true },
    list: { value: [1, 'two', [true, null], {}], type: ['tuple', ['number', 'string', ['tuple', ['bool', 'string']]]] },
    map: { value: { a: { b: ['c'] }, value: 'inner', type: 1 }, type: ['object', { a: 'string' }] },
  },
  resources: [
    {
      mode: 'managed',
      type: 'aws_instance',
      name: 'a',
      provider: 'p',
      instances: [instance, { ...instance, deposed: 'd' }],
    },
    { mode: 'data', type: 'aws_ami', name: 'b', provider: 'p', instances: [instance] },
    { module: 'module.m', mode: 'managed', type: 'null_resource', name: 'c', provider: 'p', instances: [] },
    { instances: [instance], provider: 'p', name: 'd', type: 'terraform_data', mode: 'managed' },
  ],
  check_results: null,
};

const version3 = {
  version: 3,
  terraform_version: '0.11.14',
  serial: 3,
  lineage: 'b2b54b23-e7ea-5500-7b15-fcb68c1d92bb',
  modules: [
    {
      path: ['root'],
      outputs: {
        address: { sensitive: false, type: 'string', value: '10.0.0.1' },
        all: { sensitive: true, type: 'list', value: ['a', 'b'] },
      },
      resources: {
        'aws_instance.web': { type: 'aws_instance', primary: { id: 'i-1' }, deposed: [{ id: 'i-0' }] },
        'data.aws_ami.image': { type: 'aws_ami', primary: { id: 'ami-1' }, deposed: [] },
        'null_resource.gone': { type: 'null_resource', primary: null, deposed: [] },
      },
    },
    {
      path: ['root', 'inner'],
      outputs: { hidden: { type: 'string', value: 'x' } },
      resources: { 'aws_eip.ip': { primary: { id: 'e-1' }, deposed: [] } },
    },
  ],
};

describe('a state of format 4', () => {
  it('counts managed instances, including deposed ones, but no data sources', async () => {
    const text = JSON.stringify(version4, undefined, 2);
    expect(await read(text)).toEqual({
      size: Buffer.byteLength(text),
      md5: md5(text),
      format: 4,
      lineage: version4.lineage,
      terraformVersion: '1.11.4',
      resources: 3,
      outputs: [
        { name: 'name', sensitive: false, type: 'string', value: 'web' },
        { name: 'secret', sensitive: true, type: 'string', value: 's3cret' },
        { name: 'list', sensitive: false, type: version4.outputs.list.type, value: version4.outputs.list.value },
        { name: 'map', sensitive: false, type: version4.outputs.map.type, value: version4.outputs.map.value },
      ],
    });
  });

  it('has no resources when it is empty', async () => {
    const empty = { version: 4, terraform_version: '1.11.4', serial: 1, lineage: 'l', outputs: {}, resources: [] };
    expect(await read(JSON.stringify(empty))).toMatchObject({ resources: 0, outputs: [] });
    expect(await read('{"version":4}')).toMatchObject({ resources: 0, lineage: null, terraformVersion: null });
  });

  it('is read the same for every chunking, order and case of its keys', async () => {
    const whole = await read(JSON.stringify(version4), 100_000);
    for (const size of [1, 2, 3, 1_000]) expect(await read(JSON.stringify(version4), size)).toEqual(whole);
    const backwards = Object.fromEntries(Object.entries(version4).reverse());
    expect(await read(JSON.stringify(backwards))).toMatchObject({ resources: 3, format: 4 });
    const shouted = '{"Version":4,"Resources":[{"Mode":"managed","Instances":[{},{}]}]}';
    expect(await read(shouted)).toMatchObject({ resources: 2 });
  });

  it('keeps the exact text of numbers and names', async () => {
    const text =
      '{"version":4,"outputs":{"__proto__":{"value":12345678901234567890.10,"type":"number"},"é\\u0000":{"value":1e400}}}';
    const { outputs } = await read(text);
    expect(JSON.stringify(outputs)).toBe(
      '[{"name":"__proto__","sensitive":false,"type":"number","value":12345678901234567890.10},{"name":"é\\u0000","sensitive":false,"type":null,"value":1e400}]',
    );
  });

  it('has no outputs if they are too large for a response', async () => {
    const outputs = { long: { value: 'x'.repeat(3_000_000) }, longer: { value: ['y'.repeat(3_000_000)] } };
    expect(await read(JSON.stringify({ version: 4, outputs }), 65_536)).toMatchObject({
      resources: 0,
      outputs: undefined,
    });
  });
});

describe('a state of format 3', () => {
  it('counts the instances of all modules and has the outputs of the root module', async () => {
    expect(await read(JSON.stringify(version3))).toMatchObject({
      format: 3,
      lineage: version3.lineage,
      terraformVersion: '0.11.14',
      resources: 3,
      outputs: [
        { name: 'address', sensitive: false, type: 'string', value: '10.0.0.1' },
        { name: 'all', sensitive: true, type: null, value: ['a', 'b'] },
      ],
    });
  });
});

describe('content that cannot be read', () => {
  const encrypted = {
    serial: 4,
    lineage: 'l-1',
    meta: { 'key_provider.pbkdf2.k': 'c2FsdA==' },
    encrypted_data: 'x',
    encryption_version: 'v0',
  };

  it('has -1 resources and the known lineage if the state is encrypted', async () => {
    expect(await read(JSON.stringify(encrypted))).toMatchObject({ resources: -1, lineage: 'l-1', outputs: [] });
  });

  it.each([
    '',
    'garbage',
    'null',
    '[]',
    '4',
    '{}',
    '{"version":4',
    '{"version":4,"resources":[}',
    '{"version":4,}',
    '{"version":4}{"version":4}',
    '{"version" 4}',
    '{"version":4,"resources":[,]}',
    '{"version":5,"resources":[]}',
    '{"version":"4","resources":[]}',
    `{"version":4,"encrypted_data":"x"}`,
    `{"version":4,"deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe]),
  ])('has -1 resources: %j', async (text) => {
    expect(await read(text)).toMatchObject({
      resources: -1,
      outputs: [],
      md5: md5(text),
      size: Buffer.byteLength(text),
    });
  });
});

describe('any JSON', () => {
  it('can be read exactly if JSON.parse reads it as a state', async () => {
    const text = fc.oneof(
      fc.json().map((json) => `{"version":4,"a":${json}}`),
      fc.json(),
      fc.tuple(fc.json(), fc.nat()).map(([json, at]) => `{"version":4,"a":${json.slice(0, at % (json.length + 1))}}`),
      fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...',:[]{}"0n ')).map(([json, at, other]) => {
        const index = at % json.length;
        return `{"version":4,"a":${json.slice(0, index)}${other}${json.slice(index + 1)}}`;
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (json, size) => {
        const { resources } = await read(json, size);
        let isState = false;
        try {
          const parsed = JSON.parse(json);
          isState = parsed !== null && parsed.version === 4 && !Object.hasOwn(parsed, 'encrypted_data');
        } catch {}
        expect(resources >= 0).toBe(isState);
      }),
      bounded(400),
    );
  });
});
