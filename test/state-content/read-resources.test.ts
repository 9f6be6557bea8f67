import { expect, it } from 'vitest';
import { limits } from '../../shared/domain/limits.ts';
import { readResources } from '../../shared/state-content/read-resources.ts';

const instancesOf = (instances: string, module = '') =>
  `{${module}"mode":"managed","type":"aws_instance","name":"web","provider":"provider[\\"registry.example.com/hashicorp/aws\\"]","instances":[${instances}]}`;
const read = (...resources: readonly string[]) =>
  readResources([Buffer.from(`{"version":4,"resources":[${resources.join(',')}]}`)]);

it.each([
  ['a number that JSON writes otherwise', '{"index_key":1.0}', [1]],
  ['no key', '{"index_key":null}', [null]],
  ['a flag', '{"index_key":true}', [null]],
  [
    'an empty mark of a deposed instance',
    '{"index_key":"a","deposed":""},{"index_key":"b","deposed":null}',
    ['a', 'b'],
  ],
  ['a deposed instance', '{"index_key":0,"deposed":"1f2e"}', []],
])('reads every resource of a state that has an instance with %s', async (_, instances, expected) => {
  const found = await read(instancesOf('{}'), instancesOf(instances), instancesOf('{}'));
  expect(found?.map(({ index }) => index)).toEqual([null, ...expected, null]);
});

it('reads a resource whose type and name are not text', async () => {
  const odd = '{"mode":"managed","type":1.0,"name":{},"provider":1e400,"instances":[{}]}';
  expect(await read(odd)).toEqual([{ module: 'root', type: '', name: '', provider: '', index: null }]);
});

it('shortens the names of modules, but not their keys', async () => {
  const inModule = (module: string) => instancesOf('{}', `"module":${JSON.stringify(module)},`);
  const found = await read(inModule('module.a["x.module.y"].module.b'), inModule('module.a["x.y"]'));
  expect(found?.map(({ module }) => module)).toEqual(['a["x.module.y"].b', 'a["x.y"]']);
});

it('returns nothing for a state with more instances than the limit', async () => {
  const many = (count: number) => read(instancesOf(Array(count).fill('{}').join(',')));
  expect(await many(limits.listedInstances)).toHaveLength(limits.listedInstances);
  expect(await many(limits.listedInstances + 1)).toBeUndefined();
});
