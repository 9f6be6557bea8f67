import { expect, test } from 'vitest';
import { indexes } from '../../../shared/store/dynamodb/table-definition.ts';

test('the index behind lists projects the same attributes as when it was created', () => {
  expect(
    indexes.list.projected,
    'DynamoDB cannot change the projection of an index: the index must be replaced, see docs/operate/upgrade.md',
  ).toEqual([
    'id',
    'name',
    'prj',
    'tags',
    'acc',
    'rs',
    'ra',
    'ca',
    'la',
    'x',
    'hv',
    'lock',
    'ls',
    'gone',
    'pa',
    'ty',
    'defaults',
  ]);
});
