import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../../infra/local/assembly/event-pattern.ts';

const event = {
  source: 'holdfast',
  'detail-type': 'workspace.locked',
  detail: {
    sequence: 7,
    final: false,
    nothing: null,
    workspace: { id: 'ws-1', tags: ['prod', 'Core'] },
    runs: [{ status: 'applied' }, { status: 'errored' }],
  },
};

describe('compilePattern', () => {
  test.each<[object, boolean]>([
    [{}, true],
    [{ source: ['holdfast'] }, true],
    [{ source: ['other', 'holdfast'] }, true],
    [{ source: ['other'] }, false],
    [{ source: ['holdfast'], 'detail-type': ['workspace.unlocked'] }, false],
    [{ detail: { sequence: [7] } }, true],
    [{ detail: { sequence: ['7'] } }, false],
    [{ detail: { final: [false], nothing: [null] } }, true],
    [{ detail: { workspace: { tags: ['prod'] } } }, true],
    [{ detail: { workspace: { tags: ['test'] } } }, false],
    [{ detail: { runs: { status: ['errored'] } } }, true],
    [{ detail: { runs: { status: ['planned'] } } }, false],
    [{ 'detail-type': [{ prefix: 'workspace.' }] }, true],
    [{ 'detail-type': [{ prefix: 'run.' }] }, false],
    [{ source: [{ prefix: { 'equals-ignore-case': 'HOLD' } }] }, true],
    [{ 'detail-type': [{ suffix: '.locked' }] }, true],
    [{ 'detail-type': [{ wildcard: 'work*.l*d' }] }, true],
    [{ 'detail-type': [{ wildcard: 'work*.u*d' }] }, false],
    [{ detail: { workspace: { tags: [{ 'equals-ignore-case': 'core' }] } } }, true],
    [{ source: [{ 'anything-but': 'other' }] }, true],
    [{ source: [{ 'anything-but': ['other', 'holdfast'] }] }, false],
    [{ source: [{ 'anything-but': { prefix: 'hold' } }] }, false],
    [{ source: [{ 'anything-but': { suffix: ['a', 'b'] } }] }, true],
    [{ detail: { missing: [{ 'anything-but': 'x' }] } }, false],
    [{ detail: { workspace: { id: [{ exists: true }], name: [{ exists: false }] } } }, true],
    [{ detail: { workspace: { name: [{ exists: true }] } } }, false],
    [{ missing: { deeper: [{ exists: false }] } }, true],
    [{ detail: { sequence: [{ numeric: ['>', 5, '<=', 7] }] } }, true],
    [{ detail: { sequence: [{ numeric: ['<', 7] }] } }, false],
    [{ $or: [{ source: ['other'] }, { detail: { sequence: [7] } }] }, true],
    [{ source: ['holdfast'], $or: [{ source: ['other'] }, { detail: { sequence: [8] } }] }, false],
  ])('reports whether %j matches the event: %s', (pattern, expected) => {
    expect(compilePattern(pattern)(event)).toBe(expected);
  });

  test.each([
    [{ source: 'holdfast' }],
    [{ source: [{ cidr: '10.0.0.0/8' }] }],
    [{ a: [{ prefix: 'x', suffix: 'y' }] }],
    [{ a: [{ numeric: ['~', 1] }] }],
  ])('throws for the unsupported pattern %j', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(RangeError);
  });
});
