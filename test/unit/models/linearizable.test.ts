import { expect, it } from 'vitest';
import { type Call, isLinearizable } from '../../support/models/locks/linearizable.ts';

/** A register that is written and read. */
const write = (begun: number, ended: number | undefined, value: number): Call<number> => ({
  begun,
  ended,
  act: () => value,
});
const read = (begun: number, ended: number, value: number): Call<number> => ({
  begun,
  ended,
  act: (state) => (state === value ? state : undefined),
});
const explained = (...calls: readonly Call<number>[]) => isLinearizable(calls, 0, String);

it('accepts a history that has a sequential order', () => {
  expect(explained()).toBe(true);
  expect(explained(write(1, 2, 5), read(3, 4, 5))).toBe(true);
  expect(explained(write(1, 4, 5), read(2, 3, 0))).toBe(true);
  expect(explained(write(1, 4, 5), read(2, 3, 5))).toBe(true);
  expect(explained(write(1, undefined, 5), read(2, 3, 0), read(4, 5, 5))).toBe(true);
  expect(explained(write(1, undefined, 5), read(2, 3, 0))).toBe(true);
});

it('rejects a history that has no sequential order', () => {
  expect(explained(read(1, 2, 5))).toBe(false);
  expect(explained(write(1, 2, 5), read(3, 4, 0))).toBe(false);
  expect(explained(write(1, 6, 5), read(2, 3, 5), read(4, 5, 0))).toBe(false);
  expect(explained(write(3, undefined, 5), read(1, 2, 5))).toBe(false);
  expect(explained(write(1, undefined, 5), read(2, 3, 5), read(4, 5, 0))).toBe(false);
});
