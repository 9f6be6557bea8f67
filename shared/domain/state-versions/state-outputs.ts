import { fromBase58, isId, prefixes, toBase58 } from '../ids.ts';

/**
 * An output id consists of the first characters of its state version's id and the position of the output in that state
 * version. It can therefore be resolved without an item of its own.
 */
const STEM = 11;
const POSITION = 5;

/** Returns the part of a state version id that the ids of its outputs share: `sv-` and 64 bits. Also takes output ids. */
export const outputIdStem = (id: string): string =>
  prefixes.stateVersion + id.slice(id.indexOf('-') + 1).slice(0, STEM);

/** Creates the id of an output. @param position index of the output in its state version, from 0. */
export const outputId = (stateVersion: string, position: number): string =>
  prefixes.stateOutput + outputIdStem(stateVersion).slice(prefixes.stateVersion.length) + toBase58(position, POSITION);

/** Returns the index of an output in its state version; undefined for a text that is no output id. */
export const parseOutputPosition = (id: string): number | undefined =>
  isId('stateOutput', id) ? fromBase58(id.slice(-POSITION)) : undefined;
