import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Tag } from '../domain/tags/tag.ts';
import type { ProjectRow } from './row.ts';

/** A column of numbers. */
export type NumberColumn = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A tag without its time: the key, and the value of a binding. */
export type TagLabel = Pick<Tag, 'key' | 'value'>;

/**
 * Rows as columns without gaps. Columns of repeated values contain numbers: positions in the pools, which contain every
 * value once.
 */
export interface PackedRows {
  readonly ids: string[];
  readonly names: string[];
  readonly listedAt: Float64Array<ArrayBuffer>;
  readonly latestChangeAt: Float64Array<ArrayBuffer>;
  /** Creation of the current run; infinity without one. */
  readonly runAt: Float64Array<ArrayBuffer>;
  /** Time of all tags of the row; NaN if they have different times, which are then in `tagTimes`. */
  readonly taggedAt: Float64Array<ArrayBuffer>;
  readonly project: Uint32Array<ArrayBuffer>;
  readonly access: Uint32Array<ArrayBuffer>;
  readonly runStatus: Uint32Array<ArrayBuffer>;
  readonly labels: Uint32Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  /** Times of the tags of rows whose tags have different times, in the order of the rows. */
  readonly tagTimes: readonly (readonly [row: number, times: readonly number[]])[];
  readonly pools: {
    readonly projects: readonly string[];
    readonly accesses: readonly Grants<WorkspaceGrant>[];
    readonly runStatuses: readonly (string | null)[];
    readonly labels: readonly TagLabel[];
    /** Positions in `labels`. */
    readonly labelSets: readonly (readonly number[])[];
  };
}

/** The complete contents of a list index, from which another one can be created. */
export interface ListIndexContents {
  /** Ordered by name; ties are broken by id. */
  readonly rows: PackedRows;
  /** Ids of deleted workspaces. */
  readonly deleted: readonly string[];
  readonly projects: readonly ProjectRow[];
}

/** Creates packed rows without a row. */
export const emptyRows = (): PackedRows => ({
  ids: [],
  names: [],
  listedAt: new Float64Array(),
  latestChangeAt: new Float64Array(),
  runAt: new Float64Array(),
  taggedAt: new Float64Array(),
  project: new Uint32Array(),
  access: new Uint32Array(),
  runStatus: new Uint32Array(),
  labels: new Uint32Array(),
  flags: new Uint8Array(),
  tagTimes: [],
  pools: { projects: [], accesses: [], runStatuses: [], labels: [], labelSets: [] },
});
