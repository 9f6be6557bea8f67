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
