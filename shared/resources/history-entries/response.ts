import { jobOfRequest } from '../../domain/bulk-jobs/bulk-job.ts';
import type { AttributeChange, HistoryEntry } from '../../domain/history/history-entry.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { VisibleActor } from '../actor.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** A change of an attribute as a caller sees it. */
export interface VisibleChange extends AttributeChange {
  readonly withheld?: true;
  /** Whether the change left a sensitive value the same. */
  readonly 'value-unchanged'?: boolean;
}

/** An entry as a caller sees it: without what the caller may not see. */
export interface VisibleEntry
  extends Pick<HistoryEntry, 'id' | 'sequence' | 'at' | 'type' | 'request' | 'token' | 'address' | 'resource'> {
  readonly actor: VisibleActor;
  readonly changes: readonly VisibleChange[];
  readonly details: Readonly<Record<string, unknown>>;
}

const valuesOf = (entry: VisibleEntry): ComputedValues<typeof attributes> => ({
  sequence: entry.sequence,
  'created-at': timestamp(entry.at),
  action: entry.type,
  actor: entry.actor,
  'resource-name': entry.resource.name,
  'request-id': entry.request,
  'bulk-job-id': jobOfRequest(entry.request) ?? null,
  'token-id': entry.token ?? null,
  'source-address': entry.address ?? null,
  changes: [...entry.changes],
  details: entry.details,
});

/** Builds the resource of an entry of the history (HIST-1). */
export const historyEntryResource = (entry: VisibleEntry): Resource => ({
  id: entry.id,
  type: 'history-entries',
  attributes: valuesOf(entry),
  relationships: { resource: { data: { type: entry.resource.type, id: entry.resource.id } } },
});
