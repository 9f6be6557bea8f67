import type { RecordOf, RecordType } from '../../../shared/bundle/types.ts';
import type { Sorter } from '../bundle/sorter.ts';

/**
 * A state version at the source. It is a record of a bundle, of which some members are known only once the content was read: `sha256`
 * and `serial` are absent then. `sha256` of null: the source has deleted the content. `origin.id` identifies it at the source.
 */
export type SourceVersion = Omit<RecordOf<'state-versions'>, 'serial' | 'sha256' | 'origin'> & {
  readonly serial?: number;
  readonly sha256?: string | null;
  readonly origin: NonNullable<RecordOf<'state-versions'>['origin']> & { readonly id: string };
};

/** Why something at the source is not carried. */
export type NotCarriedReason =
  /** Holdfast has nothing like it. */
  | 'not-supported'
  /** No source returns it, such as a token or a private key. It needs no acceptance. */
  | 'unreadable'
  /** The token of the source may not read it. */
  | 'not-permitted'
  /** The source does not offer it: the whole endpoint does not exist. It needs no acceptance. */
  | 'not-offered'
  /** A state version without usable content: pending, discarded, or deleted. It needs no acceptance. */
  | 'no-content';

/** Something at the source that the import does not carry. */
export interface NotCarried {
  /** Kind of the object, in the words of the source, such as `run-triggers`. */
  readonly type: string;
  /** Name of the object, with that of its owner before it, such as `network/slack`. */
  readonly name: string;
  readonly reason: NotCarriedReason;
  /** Number of objects, if the line stands for several, such as all runs of a workspace. Default: 1. */
  readonly count?: number;
  /** Describes for people what it is, and what replaces it. */
  readonly detail: string;
}

/** A record of the inventory by its type. */
export type SourceRecord<T extends RecordType> = T extends 'state-versions' ? SourceVersion : RecordOf<T>;

/** Takes what a source contains, in any order. */
export interface InventoryWriter {
  readonly add: <T extends Exclude<RecordType, 'withheld'>>(type: T, record: SourceRecord<T>) => Promise<void>;
  readonly addNotCarried: (item: NotCarried) => Promise<void>;
  /** Creates a sorter for lines of the source that are not part of the inventory. */
  readonly createSorter: (name: string, keyOf: (line: string) => string) => Sorter;
}

/** Decides by its name whether a workspace belongs to the import. */
export type WorkspaceFilter = (name: string) => boolean;

/** Locks of workspaces at the source, for a cutover. */
export interface SourceLocks {
  /**
   * Locks a workspace. A lock that this import holds already is kept.
   * @param reason contains the id of the import, by which the lock is recognized.
   * @param isResumed whether the import has taken the lock before. It decides where the source does not say who holds a lock.
   * @throws Failure `conflict` if somebody else holds the lock, or a run is not final. Nothing is forced.
   */
  readonly acquire: (workspace: string, reason: string, isResumed?: boolean) => Promise<void>;
  /** Releases a lock that `acquire` took with this reason. Any other lock stays. */
  readonly release: (workspace: string, reason: string) => Promise<void>;
}

/** A place from which workspaces are imported. */
export interface Source {
  /** Names the place in `imported-from`: host, and organization if there is one. Without user, password, query and token. */
  readonly origin: { readonly host: string; readonly organization: string | null };
  /** Name of the organization whose records the inventory has. For sources without one: a name that is made of the address. */
  readonly organization: string;
  /** Reads everything but the content of states, of the workspaces that match. Sends nothing but reads. */
  readonly readInventory: (writer: InventoryWriter, includes: WorkspaceFilter) => Promise<void>;
  /** Yields the content of a state version. @throws Failure if it does not arrive completely. */
  readonly download: (version: SourceVersion) => AsyncGenerator<Uint8Array>;
  /** Absent where the source has no locks that others respect. */
  readonly locks?: SourceLocks;
  /**
   * Adds a state version at the source, which becomes the current one: for a rollback.
   * @throws Failure `conflict` if the source has changed, or somebody else holds the lock.
   */
  readonly push: (workspace: string, content: Uint8Array) => Promise<void>;
}
