import type { ImportedFrom } from '../imported-from.ts';

/**
 * A state version (STATE-1): what a client announces about a state before the upload and, once the content has been
 * read, what it contains. Times are milliseconds since the epoch.
 */
export interface StateVersion {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly serial: number;
  /** Null if neither the client nor the content gives it. */
  readonly lineage: string | null;
  /** MD5 of the raw bytes in hexadecimal. Content with another MD5 does not belong to this version (STATE-7). */
  readonly md5: string;
  /** `discarded`: a newer version replaced it before its content arrived. */
  readonly status: 'pending' | 'finalized' | 'discarded';
  /** Whether it becomes the current version only when its lock ends (STATE-8). */
  readonly intermediate: boolean;
  /** End of the wait for its content. */
  readonly until: number;
  readonly createdBy: { readonly kind: string; readonly id: string };
  /** The run that created it (STATE-17). */
  readonly run: string | null;
  /** Absent until it is finalized. */
  readonly content?: StateContent;
  /** Object version of its JSON form; absent until that has been uploaded. */
  readonly jsonObject?: string;
  /** Id of the state version whose content it has, if it was created by a rollback (STATE-21). */
  readonly rolledBackTo?: string;
  /** Absent unless it was imported. */
  readonly importedFrom?: ImportedFrom;
  /** Absent while the content is available (STATE-22). */
  readonly backingData?: Exclude<BackingData, 'available'>;
}

/** Status of the content of a finalized state version: a soft deletion can be undone, the other one cannot (STATE-22). */
export type BackingData = 'available' | 'soft-deleted' | 'deleted';

/** Returns the content of a version; undefined if it has not arrived or is deleted. */
export const availableContent = ({ content, backingData }: StateVersion): StateContent | undefined =>
  backingData === undefined ? content : undefined;

/** The results of reading the content of a state version (STATE-9). */
export interface StateContent {
  /** Size in bytes. */
  readonly size: number;
  /** Object version of the content. An object version that is uploaded later changes nothing. */
  readonly object: string;
  /** Number of managed resources; -1 if the content cannot be read. */
  readonly resources: number;
  /** Version of the state format; null if the content does not give it. */
  readonly format: number | null;
  readonly terraformVersion: string | null;
  readonly outputs: PackedOutputs;
}

/** The outputs of a state, compressed: in `packed` if they are small, otherwise in `chunks` items of their own. */
export interface PackedOutputs {
  /** Number of outputs; -1 if they are too large to be kept (STATE-16). */
  readonly count: number;
  readonly packed?: Uint8Array;
  readonly chunks?: number;
}

/** An output of a state. */
export interface StateOutput {
  readonly name: string;
  readonly sensitive: boolean;
  /** The type as in the state, such as `"string"` or `["list","string"]`; null if it is not known. */
  readonly type: unknown;
  readonly value: unknown;
}

/** Copy of a finalized state version that is stored on its workspace. */
export interface FinalizedStateVersion {
  readonly id: string;
  readonly serial: number;
  /** Number of managed resources; -1 if the content cannot be read, so that it never equals 0. */
  readonly resources: number;
  /** Creation of the state version. */
  readonly at: number;
}

/** Copy of a pending state version that is stored on its workspace. */
export interface PendingStateVersion {
  readonly id: string;
  readonly serial: number;
  /** Creation of the state version. */
  readonly at: number;
  /** Id of the lock under which it was created. */
  readonly lock: string;
  /** Whether it becomes the current version only when that lock ends. */
  readonly intermediate: boolean;
  /** End of the wait for its content. */
  readonly until: number;
}

/** A write on the item of a state version, in the same transaction as the write on its workspace. */
export type StateVersionWrite =
  | { readonly kind: 'discard'; readonly id: string; readonly at: number }
  | {
      readonly kind: 'finalize';
      readonly id: string;
      readonly at: number;
      readonly lineage: string | null;
      readonly content: StateContent;
    };

/** Lifetime of upload URLs in seconds (STATE-6). */
export const UPLOAD_SECONDS = 60 * 60;
/** Additional milliseconds for uploads that began in time (STATE-6). */
const UPLOAD_GRACE = 5 * 60_000;

/** Computes the end of the wait for the content of a state version that is created at `at`. */
export const waitedForUntil = (at: number): number => at + UPLOAD_SECONDS * 1_000 + UPLOAD_GRACE;

/** Computes the status at a time: a version whose content did not arrive in time counts as discarded. */
export const statusAt = ({ status, until }: StateVersion, at: number): StateVersion['status'] =>
  status === 'pending' && until < at ? 'discarded' : status;

/**
 * Tells whether a pending state version can be ignored: its upload time is over, and its content was looked for and not
 * found (LOCK-9, DEL-4).
 * @param checkedId id of the state version whose content the request has looked for.
 */
export const isGivenUp = ({ id, until }: PendingStateVersion, at: number, checkedId: string | undefined): boolean =>
  until < at && id === checkedId;

/** Creates the copy of a finalized state version for its workspace. */
export const toFinalizedStateVersion = (
  { id, serial, createdAt: at }: StateVersion,
  { resources }: StateContent,
): FinalizedStateVersion => ({ id, serial, resources, at });
