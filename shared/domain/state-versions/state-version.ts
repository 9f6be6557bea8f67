import type { FinalizedStateVersion } from '../workspace/workspace-record.ts';

/**
 * A state version (STATE-1): what a client says of a state that it is about to upload and, once the content has
 * arrived and was read, what is in it. Times are milliseconds since the epoch.
 */
export interface StateVersion {
  readonly id: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly serial: number;
  /** Null where neither the client said it nor the content does. */
  readonly lineage: string | null;
  /** Of the raw bytes, in hexadecimal: content with another one is not this version's. */
  readonly md5: string;
  /** `discarded`: a newer one took its place before its content arrived. */
  readonly status: 'pending' | 'finalized' | 'discarded';
  /** Whether it is to become the current one only when its lock ends. */
  readonly intermediate: boolean;
  /** From then on no content is waited for. */
  readonly until: number;
  readonly createdBy: { readonly kind: string; readonly id: string };
  /** The run that it came out of, as the client says. */
  readonly run: string | null;
  /** Absent until it is finalized. */
  readonly content?: StateContent;
  /** Which version of the object of its JSON form counts; absent until that has arrived. */
  readonly jsonObject?: string;
}

/** What was read of a state version's content. */
export interface StateContent {
  /** In bytes. */
  readonly size: number;
  /** Which version of the object it is: one that is uploaded later changes nothing. */
  readonly object: string;
  /** Managed ones; -1 where the content cannot be read. */
  readonly resources: number;
  /** Of the state's own format; null where the content does not say. */
  readonly format: number | null;
  readonly terraformVersion: string | null;
  readonly outputs: PackedOutputs;
}

/** How many outputs there are, and where: compressed beside them when few, else in so many chunks. */
export interface PackedOutputs {
  /** -1 where they are too large to be kept. */
  readonly count: number;
  readonly packed?: Uint8Array;
  readonly chunks?: number;
}

/** One output of a state. */
export interface StateOutput {
  readonly name: string;
  readonly sensitive: boolean;
  /** The type as the state writes it: `"string"`, `["list","string"]`; null where that is not known. */
  readonly type: unknown;
  readonly value: unknown;
}

/** A write on the item of a state version, beside that of its workspace. */
export type StateVersionWrite =
  | { readonly kind: 'discard'; readonly id: string; readonly at: number }
  | {
      readonly kind: 'finalize';
      readonly id: string;
      readonly at: number;
      readonly lineage: string | null;
      readonly content: StateContent;
    };

/** For how long the URLs of an upload are good, in seconds. */
export const UPLOAD_SECONDS = 60 * 60;
/** An upload that began in time may take some longer, in milliseconds. */
const UPLOAD_GRACE = 5 * 60_000;

/** Until when content is waited for, of a version that is created at a time. */
export const waitedForUntil = (at: number): number => at + UPLOAD_SECONDS * 1_000 + UPLOAD_GRACE;

/** The status at a time: a version whose content did not come is as good as discarded. */
export const statusAt = ({ status, until }: StateVersion, at: number): StateVersion['status'] =>
  status === 'pending' && until < at ? 'discarded' : status;

/** What a workspace knows of a version that is finalized. */
export const finalizedOf = (
  { id, serial, createdAt: at }: StateVersion,
  { resources }: StateContent,
): FinalizedStateVersion => ({ id, serial, resources, at });
