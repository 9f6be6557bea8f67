import { expect, test } from 'vitest';
import { checkCitations, citationsElsewhere } from '../../support/checks/rule-citations.ts';

// A prefix that no page of the repository uses: these files are not checked together with the real ones.
const page = { path: `docs/reference/${'demo'}.md`, text: '# Demo\n\n**DEMO-1** One.\n\n**DEMO-2** Two, as DEMO-1.\n' };

test('accepts citations of defined rules and ignores names that only look like ids', () => {
  const code = { path: 'shared/a.ts', text: '/** Locks once (DEMO-2). Uses SHA-256. */' };
  expect(checkCitations([page, code])).toEqual({ rules: 2, citations: 2, violations: [] });
});

test('reports a citation of a rule that does not exist, with its line', () => {
  const code = { path: 'shared/a.ts', text: '\n// See DEMO-3.\n' };
  expect(checkCitations([page, code]).violations).toEqual(['shared/a.ts:2: there is no rule DEMO-3']);
});

test('reports a rule that is defined twice', () => {
  const copy = { path: `docs/reference/${'copy'}.md`, text: '**DEMO-2** Again.\n' };
  expect(checkCitations([page, copy]).violations).toEqual([`DEMO-2 is defined 2 times: ${page.path}, ${copy.path}`]);
});

test('does not take an id in bold outside of the reference for a definition', () => {
  const readme = { path: 'README.md', text: '**DEMO-3** is missing.' };
  expect(checkCitations([page, readme]).violations).toEqual(['README.md:1: there is no rule DEMO-3']);
});

test('reports a citation of a page or of a decision record that does not exist', () => {
  const record = { path: `docs/decisions/${'0001'}-decide.md`, text: '# Decide' };
  const [known, unknown] = [1, 2].map((number) => `docs/decisions/${String(number).padStart(4, '0')}`);
  const code = {
    path: 'shared/a.ts',
    text: `/** See ${page.path} and ${known}.\n * See ${unknown} and docs/${'no'}.md. */`,
  };
  expect(checkCitations([page, record, code]).violations).toEqual([
    `shared/a.ts:2: there is no page ${unknown}`,
    `shared/a.ts:2: there is no page docs/${'no'}.md`,
  ]);
});

test.each([`spec ${4}.1`, `Contract ${8}`, `decisions.${'md'}`])('reports the citation of %s', (citation) => {
  const code = { path: 'shared/a.ts', text: `/** Shows one (${citation}). */` };
  expect(citationsElsewhere([code])).toEqual([
    `shared/a.ts:1: ${citation} is not a document of this repository; cite a rule of docs/reference`,
  ]);
});

test('reports no citation in ordinary uses of words such as contract, table and spec', () => {
  const code = {
    path: 'shared/a.ts',
    text: '// The contract of a caller; table 2 of the page; a-table.md; openapi spec.',
  };
  expect(citationsElsewhere([code])).toEqual([]);
});
