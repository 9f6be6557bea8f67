import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Project } from '../domain/directory/records.ts';
import type { Row } from './row.ts';

/** By what a list is sorted; what is equal in it goes by id, whichever the direction. */
export type Order = 'name' | 'runAt' | 'latestChangeAt';
export type Direction = 'ascending' | 'descending';

/** What a list is narrowed to: all of it has to hold; an empty part narrows nothing (LIST-3). */
export interface Filter {
  /** Parts of the name, whatever the case. */
  readonly names: readonly string[];
  /** Patterns of the whole name, whatever the case. */
  readonly wildcards: readonly string[];
  /** Flat tags, or keys of bindings, of the workspace itself. */
  readonly tags: readonly string[];
  /** None of these. */
  readonly excludedTags: readonly string[];
  readonly projects: readonly string[];
  /** One of these. */
  readonly runStatuses: readonly string[];
  /** Tags and bindings in force, also those that the project passes on; without `value` whatever the value, or none. */
  readonly tagged: readonly { readonly key: string; readonly value?: string }[];
}

/** Which workspaces may be read. */
export interface Reading {
  /** All of the organization. */
  readonly everything: boolean;
  /** All of a project. */
  readonly project: (project: Pick<Project, 'access'>) => boolean;
  /** Those with these grants. */
  readonly grants: (access: Grants<WorkspaceGrant>) => boolean;
}

export interface Selection {
  readonly reading: Reading;
  /** Everything, where absent. */
  readonly filter?: Filter;
  /** None but these, and not this one, by their ids. */
  readonly among?: readonly string[] | undefined;
  readonly except?: string | undefined;
  readonly order: Order;
  readonly direction: Direction;
  /** The rows wanted of those found: from one position up to, not including, another. */
  readonly from: number;
  readonly to: number;
}

export interface Found {
  /** Of all, not only of those wanted. */
  readonly count: number;
  /** How many of them have a current run, by its status. */
  readonly runStatuses: ReadonlyMap<string, number>;
  readonly rows: readonly Row[];
}
