import { expect, test } from 'vitest';
import { repeatedTestNames, testFiles } from '../../support/checks/test-names.ts';

test('reports test files in different folders that have the same base name', () => {
  const paths = ['test/unit/lock.test.ts', 'test/store/unlock.test.ts', 'test/store/lock.test.ts'];
  expect(repeatedTestNames(paths)).toEqual(['lock.test.ts: test/unit/lock.test.ts, test/store/lock.test.ts']);
});

test('finds no base name twice among the test files of the repository', () => {
  expect(testFiles()).toContain('test/unit/checks/test-names.test.ts');
  expect(repeatedTestNames(testFiles())).toEqual([]);
});
