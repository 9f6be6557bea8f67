import { isDeepStrictEqual } from 'node:util';
import type { ChangeRecordBase } from '../changes/change-context.ts';
import type { Details, RefusedExchange, RejectedRequest, VariableSetDetails } from '../changes/change-records.ts';
import type { OrganizationChangeDetails } from '../changes/organization-changes.ts';
import type { HistoryAction } from './history-actions.ts';

/** An attribute of a resource that a change set, with its values before and after. Null stands for no value. */
export interface AttributeChange {
  /** Wire name of the attribute. */
  readonly attribute: string;
  /** Member of an attribute that is a map: the key of a tag, or the id of a team. */
  readonly member?: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Stands for a value of more than `LARGE_VALUE` bytes (HIST-5). */
export interface LargeValue {
  /** Length in bytes. */
  readonly length: number;
  /** Keyed fingerprint of the value. */
  readonly fingerprint: string;
}

/** The long text of a workspace before or after a change: its values, or the revision of the item that has them. */
export type TextReference = Readonly<Record<string, unknown>> | number;

/** A set of remote state consumers after a change, by which the ids that the change added or removed are found. */
export interface ConsumersReference {
  readonly generation: string;
  readonly chunks: number;
  /** Number of the change of the set. 0 stands for the chunks of a new generation, which have all ids. */
  readonly change: number;
}

/**
 * One change of a resource (HIST-1). Values of variables and long text are stored apart from it, see
 * docs/reference/history.md.
 */
export interface HistoryEntry extends ChangeRecordBase<HistoryAction> {
  readonly organization: string;
  readonly resource: {
    /** Type on the wire, such as `workspaces`. */
    readonly type: string;
    readonly id: string;
    readonly name: string | null;
    /** The team of a membership or of a workload identity, or as which a token acts. Entries of earlier releases lack the owner. */
    readonly team?: string;
  };
  /** Number of the change of this resource, from 1 without a gap. */
  readonly sequence: number;
  readonly details: Details &
    Pick<OrganizationChangeDetails, 'reservedTagKey' | 'presented' | 'signIn' | 'teams'> &
    Pick<VariableSetDetails, 'assignments'> & {
      readonly refusal?: RejectedRequest;
      readonly exchange?: RefusedExchange;
    };
  readonly changes: readonly AttributeChange[];
  /** Set if the long text changed and one of both is stored apart. */
  readonly text?: { readonly old: TextReference; readonly new: TextReference };
  /** Set if remote state consumers changed whose ids are stored apart. */
  readonly consumers?: ConsumersReference;
}

/** Maximum number of ids of remote state consumers that the history stores of a change. */
export const HISTORY_CONSUMERS = 1_000;

/** Maximum size, in bytes, of a value that the history stores. */
export const LARGE_VALUE = 2_048;

/** Returns the size of a value in bytes, as JSON unless it is a text. */
export const sizeOfValue = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** An attribute, or a member of one, with its value. */
export interface AttributeValue extends Pick<AttributeChange, 'attribute' | 'member'> {
  readonly value: unknown;
}

/** Lists the attributes in which two lists of values differ. A value that is absent or undefined counts as null. */
export const compareValues = (
  before: readonly AttributeValue[],
  after: readonly AttributeValue[],
): AttributeChange[] => {
  const identify = ({ attribute, member }: AttributeValue) => JSON.stringify([attribute, member]);
  const old = new Map(before.map((value) => [identify(value), value]));
  const current = new Map(after.map((value) => [identify(value), value]));
  return [...new Map([...old, ...current])].flatMap(([identity, { attribute, member }]) => {
    const change = { old: old.get(identity)?.value ?? null, new: current.get(identity)?.value ?? null };
    if (isDeepStrictEqual(change.old, change.new)) return [];
    return [{ attribute, ...(member !== undefined && { member }), ...change }];
  });
};
