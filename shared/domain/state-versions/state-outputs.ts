import { fromBase58, isId, prefixes, toBase58 } from '../ids.ts';

/**
 * The id of an output is made of the first characters of its state version's, and of its position in that: so it leads
 * to where it lies without an item of its own.
 */
const STEM = 11;
const POSITION = 5;

/** What ids of outputs and of their state version have in common: `sv-` and 64 bits. */
export const outputIdStem = (id: string): string =>
  prefixes.stateVersion + id.slice(id.indexOf('-') + 1).slice(0, STEM);

export const outputId = (stateVersion: string, position: number): string =>
  prefixes.stateOutput + outputIdStem(stateVersion).slice(prefixes.stateVersion.length) + toBase58(position, POSITION);

/** Where in its state version an output stands; undefined for what is no id of one. */
export const parseOutputPosition = (id: string): number | undefined =>
  isId('stateOutput', id) ? fromBase58(id.slice(-POSITION)) : undefined;
