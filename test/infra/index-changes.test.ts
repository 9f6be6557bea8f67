import { expect, test } from 'vitest';
import { findIndexProblems, presentIndexes, releasedIndexes } from '../support/upgrade/index-changes.ts';

const index = (IndexName: string, NonKeyAttributes: readonly string[] = []) => ({
  IndexName,
  KeySchema: [{ AttributeName: 'l', KeyType: 'HASH' }],
  Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes },
});

test('the indexes of the table differ from the last release by at most one index', async () => {
  expect(findIndexProblems(releasedIndexes(), await presentIndexes())).toEqual([]);
});

test.each([
  ['a created index', [index('list')], [index('list'), index('list2')]],
  ['a deleted index', [index('list'), index('due')], [index('list')]],
])('accepts %s', (_, before, after) => {
  expect(findIndexProblems(before, after)).toEqual([]);
});

test.each([
  ['a changed projection', [index('list')], [index('list', ['name'])], 'The index list cannot change'],
  ['an index that replaces another', [index('list')], [index('list2')], 'one index: list2, list'],
  ['two created indexes', [], [index('list'), index('due')], 'one index: list, due'],
])('rejects %s', (_, before, after, problem) => {
  expect(findIndexProblems(before, after)).toEqual([expect.stringContaining(problem)]);
});
