import { computed } from './ids.ts';

/**
 * Source from which a workspace or a state version was imported, as the client that created it said (WS-50). No rule reads it, except
 * that it never changes. Members without a value are absent.
 */
export interface ImportedFrom {
  /** Host of the source, or name of the bucket or computer. */
  readonly host: string;
  readonly organization?: string;
  /** Id or path at the source. */
  readonly id: string;
  /** Name of the workspace at the source. */
  readonly name?: string;
  /** Time of the creation at the source, as a timestamp in UTC. */
  readonly createdAt?: string;
  readonly createdBy?: string;
  /** Commit that the state version belongs to. */
  readonly commit?: string;
}

/** Computes the part of a source key that stands for a host. */
export const hostKey = (host: string): string => computed('imported-from/host', host);

/** Computes the part of a source key that stands for an id. */
export const importedIdKey = (id: string): string => computed('imported-from/id', id);

/**
 * Computes the key by which lists find a source, from its host and id. It always has 32 characters, because each lock writes the
 * row of the workspace in the index again (STORE-31).
 */
export const sourceKey = ({ host, id }: Pick<ImportedFrom, 'host' | 'id'>): string => hostKey(host) + importedIdKey(id);
