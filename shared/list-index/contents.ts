import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Tag } from '../domain/tags/tag.ts';
import type { ProjectRow } from './row.ts';

export type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A tag without its time. */
export type Label = Pick<Tag, 'key' | 'value'>;

/** Rows column by column, without gaps; words are numbers of a pool in which every value comes once. */
export interface RowContents {
  readonly ids: string[];
  readonly names: string[];
  readonly listedAt: Float64Array<ArrayBuffer>;
  readonly latestChangeAt: Float64Array<ArrayBuffer>;
  /** Infinity without a run. */
  readonly runAt: Float64Array<ArrayBuffer>;
  /** When all its tags came; not a number where they came at different times, which then lie apart. */
  readonly taggedAt: Float64Array<ArrayBuffer>;
  readonly project: Uint32Array<ArrayBuffer>;
  readonly access: Uint32Array<ArrayBuffer>;
  readonly runStatus: Uint32Array<ArrayBuffer>;
  readonly labels: Uint32Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
  /** The times of a row's tags, in order of the rows. */
  readonly timesApart: readonly (readonly [row: number, times: readonly number[]])[];
  readonly pools: {
    readonly projects: readonly string[];
    readonly accesses: readonly Grants<WorkspaceGrant>[];
    readonly runStatuses: readonly (string | null)[];
    readonly labels: readonly Label[];
    /** Numbers of labels. */
    readonly labelSets: readonly (readonly number[])[];
  };
}

/** All that a list index knows, as another one can begin with it. */
export interface Contents {
  /** By name, equal names by id. */
  readonly rows: RowContents;
  /** The ids of workspaces that are deleted. */
  readonly gone: readonly string[];
  readonly projects: readonly ProjectRow[];
}

export const noRows = (): RowContents => ({
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
  timesApart: [],
  pools: { projects: [], accesses: [], runStatuses: [], labels: [], labelSets: [] },
});
