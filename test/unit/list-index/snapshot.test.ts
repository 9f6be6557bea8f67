import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { SNAPSHOT_FORMAT_VERSION } from '../../../shared/list-index/columns.ts';
import { createListIndex, type ListIndex } from '../../../shared/list-index/list-index.ts';
import type { DeletedRow, ProjectRow, Row } from '../../../shared/list-index/row.ts';
import type { Direction, Order } from '../../../shared/list-index/selection.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../shared/list-index/snapshot.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** A list index as bytes, and back. */

const TAGS = ['a', 'b', 'constructor', '__proto__', 'ü'];
const tag = fc.record({
  key: fc.constantFrom(...TAGS),
  value: fc.option(fc.constantFrom('', 'b', 'ä\u{1F600}'), { nil: undefined }),
  at: fc.nat({ max: 3 }),
});
const IDS = Array.from('abcdefghijkl', (letter) => `ws-${letter}`);
const row = fc
  .record({
    id: fc.constantFrom(...IDS),
    name: fc.constantFrom('alpha', 'Alpha', 'bravo', 'délta'),
    project: fc.constantFrom('prj-1', 'prj-2'),
    access: fc.dictionary(fc.constantFrom('team-a', 'team-b'), fc.constantFrom('read', 'admin')),
    tags: fc.uniqueArray(tag, { selector: ({ key }) => key, maxLength: 4 }),
    runStatus: fc.option(fc.constantFrom('applied', 'errored')),
    runAt: fc.option(fc.nat()),
    createdAt: fc.nat(),
    latestChangeAt: fc.nat(),
    lockedAt: fc.option(fc.nat()),
    lockExpiresAt: fc.option(fc.nat()),
    lockedBy: fc.option(fc.constantFrom('user-a', 'run-b')),
    executionMode: fc.option(fc.constantFrom('remote', 'agent')),
    infraVersion: fc.option(fc.constantFrom('latest', '1.9.8')),
    deletionProtection: fc.option(fc.boolean()),
    importedFrom: fc.option(fc.constantFrom('key-1', 'key-2')),
    hasVariables: fc.boolean(),
    hasLongText: fc.boolean(),
    listedAt: fc.nat({ max: 50 }),
    isDeleted: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
  })
  .map(
    ({ tags, ...rest }): Row => ({
      ...rest,
      access: { ...rest.access } as Row['access'],
      tags: tags.map(({ key, value, at }) => ({ key, ...(value !== undefined && { value }), at })),
    }),
  );
const project = fc
  .record({ id: fc.constantFrom('prj-1', 'prj-2'), listedAt: fc.nat({ max: 9 }), isDeleted: fc.boolean() })
  .map(
    (given): ProjectRow => ({
      ...given,
      name: `Project ${given.listedAt}`,
      organization: 'acme',
      access: {},
      bindings: [{ key: 'env', value: 'prod', at: 1 }],
      defaultExecutionMode: null,
      defaultAgentPool: null,
    }),
  );
const deletion = fc
  .record({ id: fc.constantFrom(...IDS), listedAt: fc.nat({ max: 50 }), deletedAt: fc.nat({ max: 9 }) })
  .map(
    ({ deletedAt, ...given }): DeletedRow => ({
      ...given,
      isDeleted: true,
      restorable: { deletedAt, purgeAt: 20, project: 'prj-1', access: {} },
    }),
  );
const changes = fc.array(
  fc.oneof({ weight: 5, arbitrary: row }, { weight: 1, arbitrary: deletion }, { weight: 1, arbitrary: project }),
  { maxLength: 60 },
);

const apply = (listIndex: ListIndex, to: readonly (Row | DeletedRow | ProjectRow)[]): void => {
  for (const one of to) {
    if ('bindings' in one) listIndex.applyProject(one);
    else listIndex.apply(one);
  }
};

const orders: readonly Order[] = ['name', 'runAt', 'latestChangeAt', 'lockedAt'];
const directions: readonly Direction[] = ['ascending', 'descending'];
const reading = { everything: true, project: () => true, grants: () => true };

/** Everything that a list index can be asked. */
const contentsOf = (listIndex: ListIndex) => ({
  size: listIndex.size(),
  rows: listIndex.byName(),
  known: IDS.filter(listIndex.knows),
  restorable: listIndex.restorable(10),
  uses: [...listIndex.tagUses()].sort(),
  times: [...listIndex.tagTimes(TAGS)].sort(),
  projects: ['prj-1', 'prj-2'].map((id) => [listIndex.project(id), listIndex.workspacesIn(id)]),
  lists: orders.flatMap((order) =>
    directions.map((direction) => listIndex.select({ reading, order, direction, from: 0, to: 100 })),
  ),
});

const whose = { organization: 'acme', externalId: 'org-1', at: 1_750_000_000_000 };
const bytesOf = (listIndex: ListIndex): Uint8Array => encodeSnapshot({ ...whose, contents: listIndex.contents() });

/** One row of each kind: with and without a run, tags with one time and with several, deleted; and both projects. */
const frozenRow: Row = {
  id: 'ws-a',
  name: 'network',
  project: 'prj-1',
  access: { 'team-a': 'write' },
  tags: [
    { key: 'env', value: 'prod', at: 1 },
    { key: 'ü', at: 2 },
  ],
  runStatus: 'applied',
  runAt: 3,
  createdAt: 2,
  latestChangeAt: 4,
  lockedAt: 7,
  lockExpiresAt: 8,
  lockedBy: 'user-a',
  executionMode: 'agent',
  infraVersion: '1.9.8',
  deletionProtection: true,
  importedFrom: 'key-1',
  hasVariables: true,
  hasLongText: false,
  listedAt: 5,
  isDeleted: false,
};
const frozenProject: ProjectRow = {
  id: 'prj-1',
  organization: 'acme',
  name: 'Platform',
  access: { 'team-a': 'admin' },
  bindings: [{ key: 'env', value: 'prod', at: 1 }],
  defaultExecutionMode: 'agent',
  defaultAgentPool: 'apool-1',
  listedAt: 6,
  isDeleted: false,
};
const frozenRows: readonly (Row | DeletedRow | ProjectRow)[] = [
  frozenProject,
  { ...frozenProject, id: 'prj-2', name: 'Closed', isDeleted: true },
  frozenRow,
  {
    ...frozenRow,
    id: 'ws-b',
    name: 'Déjà',
    tags: [],
    runStatus: null,
    runAt: null,
    lockedAt: null,
    lockExpiresAt: null,
    lockedBy: null,
    hasLongText: true,
  },
  { ...frozenRow, id: 'ws-c', isDeleted: true },
  {
    id: 'ws-d',
    isDeleted: true,
    listedAt: 7,
    restorable: { deletedAt: 8, purgeAt: 9, project: 'prj-1', access: { 'team-a': 'write' } },
  },
];

describe('a snapshot of a list index', () => {
  test.prop([changes, changes], bounded(200))(
    'contains the whole list index, which then accepts changes as before',
    (before, after) => {
      const listIndex = createListIndex();
      apply(listIndex, before);
      const { contents, ...rest } = decodeSnapshot(bytesOf(listIndex)) ?? { contents: undefined };
      expect(rest).toEqual(whose);
      const again = createListIndex(contents);
      expect(contentsOf(again)).toEqual(contentsOf(listIndex));
      for (const one of [listIndex, again]) apply(one, after);
      expect(contentsOf(again)).toEqual(contentsOf(listIndex));
      expect(bytesOf(again).length).toBe(bytesOf(listIndex).length);
    },
  );

  test.prop([changes, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })])(
    'is rejected when it is truncated',
    (before, part) => {
      const listIndex = createListIndex();
      apply(listIndex, before);
      const bytes = bytesOf(listIndex);
      expect(decodeSnapshot(bytes.subarray(0, Math.floor(part * bytes.length)))).toBeUndefined();
    },
  );

  test.prop([changes, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 })], {
    ...bounded(400),
  })('never breaks what reads it, whatever its bytes became', (before, damage) => {
    const listIndex = createListIndex();
    apply(listIndex, before);
    const bytes = bytesOf(listIndex);
    for (const [place, byte] of damage) bytes[place % bytes.length] = byte;
    expect(() => {
      const contents = decodeSnapshot(bytes)?.contents;
      if (contents !== undefined) contentsOf(createListIndex(contents));
    }).not.toThrow();
  });

  test.prop([fc.uint8Array({ maxLength: 300 })])('is rejected when it consists of random bytes', (bytes) => {
    expect(decodeSnapshot(bytes)).toBeUndefined();
  });

  it('encodes and decodes the current format version exactly as the frozen file', () => {
    const file = new URL(`../../fixtures/snapshots/format-${SNAPSHOT_FORMAT_VERSION}.bin`, import.meta.url);
    const listIndex = createListIndex();
    apply(listIndex, frozenRows);
    if (!existsSync(file)) {
      writeFileSync(file, bytesOf(listIndex));
      expect.fail(`${file.pathname} was missing. It has been created: commit it with the new format version.`);
    }
    const frozen = new Uint8Array(readFileSync(file));
    const message = 'The encoding has changed: increase SNAPSHOT_FORMAT_VERSION in shared/list-index/columns.ts';
    expect(bytesOf(listIndex), message).toEqual(frozen);
    expect(decodeSnapshot(frozen), message).toEqual({ ...whose, contents: listIndex.contents() });
  });

  it('is much smaller than its rows as JSON', () => {
    const listIndex = createListIndex();
    for (let index = 0; index < 2_000; index++) {
      listIndex.apply({
        id: `ws-${String(index).padStart(16, '1')}`,
        name: `network-production-${index}`,
        project: 'prj-1',
        access: { 'team-a': 'write' },
        tags: [{ key: 'env', value: 'prod', at: index }],
        runStatus: 'applied',
        runAt: index,
        createdAt: 0,
        latestChangeAt: index,
        lockedAt: null,
        lockExpiresAt: null,
        lockedBy: null,
        executionMode: null,
        infraVersion: '1.9.8',
        deletionProtection: null,
        importedFrom: null,
        hasVariables: true,
        hasLongText: false,
        listedAt: index,
        isDeleted: false,
      });
    }
    expect(bytesOf(listIndex).length).toBeLessThan(JSON.stringify(listIndex.byName()).length / 2);
  });
});
