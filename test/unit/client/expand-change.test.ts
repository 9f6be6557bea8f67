import { expect, it } from 'vitest';
import { expandChange } from '../../../shared/client/compare.ts';

it.each([
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, [{ name: 'tags b', old: 2, new: 3 }]],
  [null, { a: 1 }, [{ name: 'tags a', old: undefined, new: 1 }]],
  [null, {}, [{ name: 'tags', old: null, new: {} }]],
  ['x', { a: 1 }, [{ name: 'tags', old: 'x', new: { a: 1 } }]],
])('a change from %j to %j is split into what differs, and never lost', (old, current, expected) => {
  expect(expandChange({ name: 'tags', old, new: current })).toEqual(expected);
});
