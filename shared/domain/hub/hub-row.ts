/** Account and region in which an event was sent. EventBridge sets both, so a member cannot write the rows of another. */
export interface Member {
  readonly account: string;
  readonly region: string;
}

/** A lock as readers of the hub see it. Times are milliseconds since the epoch. */
export interface HubLock {
  readonly id: string;
  readonly kind: string;
  /** Id of the user, team or run that holds it. */
  readonly holder: string;
  readonly name?: string;
  readonly reason: string;
  readonly since: number;
  /** End of its lease; absent for a lock without one. */
  readonly expiresAt?: number;
}

/** The part of a workspace that readers of the hub see (HUB-5). */
export interface HubContent {
  readonly organization: string;
  readonly name: string;
  /** Id of its project. */
  readonly project: string;
  /** Version of the infrastructure tool. */
  readonly version: string;
  readonly tags: readonly { readonly key: string; readonly value: string | null }[];
  readonly lock: HubLock | null;
}

/** A range of sequence numbers, both ends included. */
export type SequenceRange = readonly [first: number, last: number];

/** The row of a workspace in the table of the hub. Times are milliseconds since the epoch. */
export interface HubRow {
  readonly id: string;
  /** Name of the deployment; null in events of releases that did not send it. */
  readonly deployment: string | null;
  /** Sequence number of the newest event. */
  readonly sequence: number;
  /** Time of the newest change. */
  readonly changedAt: number;
  /** Time of the newest change, or start of the newest snapshot that contained the workspace if that is later. */
  readonly confirmedAt: number;
  /** Events that have not arrived although later ones have (HUB-3), in ascending order. */
  readonly missing: readonly SequenceRange[];
  /** Null for a deleted workspace, whose row is a tombstone (HUB-4). */
  readonly content: HubContent | null;
}

/** State of a workspace in an event. The lock lacks `since` in events of releases that did not send it. */
export interface HubEvent extends Pick<HubRow, 'id' | 'deployment' | 'sequence' | 'changedAt'> {
  /** Start of the snapshot that the event belongs to; absent for the event of a change. */
  readonly snapshotAt?: number;
  readonly content:
    | (Omit<HubContent, 'lock'> & { readonly lock: (Omit<HubLock, 'since'> & { readonly since?: number }) | null })
    | null;
}

/** Maximum number of ranges. Beyond it, the two oldest ranges become one, which a snapshot clears. */
export const MAX_RANGES = 20;

const withRange = (missing: readonly SequenceRange[], [first, last]: SequenceRange): readonly SequenceRange[] => {
  if (first > last) return missing;
  const [oldest, second, ...others] = [...missing, [first, last] as const];
  return others.length + 2 > MAX_RANGES && oldest && second
    ? [[oldest[0], second[1]], ...others]
    : [...missing, [first, last]];
};

const withoutNumber = (missing: readonly SequenceRange[], number: number): readonly SequenceRange[] =>
  missing.flatMap(([first, last]): SequenceRange[] => {
    if (number < first || number > last) return [[first, last]];
    const parts: SequenceRange[] = [
      [first, number - 1],
      [number + 1, last],
    ];
    return parts.filter(([from, until]) => from <= until);
  });

/** Removes the numbers up to `number`. */
const withoutNumbersUpTo = (missing: readonly SequenceRange[], number: number): readonly SequenceRange[] =>
  missing.flatMap(([first, last]): SequenceRange[] => (last <= number ? [] : [[Math.max(first, number + 1), last]]));

/** Determines since when a lock is held: as the event reports, else as an earlier event of the same lock does. */
const withLockTime = (content: HubEvent['content'], row: HubRow | undefined, changedAt: number): HubContent | null => {
  if (content?.lock == null) return content && { ...content, lock: null };
  const { lock } = content;
  const known = row?.content?.lock?.id === lock.id ? row.content.lock.since : changedAt;
  return { ...content, lock: { ...lock, since: lock.since ?? known } };
};

/**
 * Applies an event to the row of its workspace. The highest sequence number wins, so repeated, late and reordered events
 * lead to the same row (HUB-2).
 * @param row the stored row; undefined if there is none.
 * @returns the new row; undefined if the event changes nothing.
 */
export const applyEvent = (row: HubRow | undefined, event: HubEvent): HubRow | undefined => {
  const { id, deployment, sequence, changedAt, snapshotAt, content } = event;
  const confirmedAt = Math.max(row?.confirmedAt ?? 0, snapshotAt ?? changedAt);
  if (row === undefined || sequence > row.sequence || (sequence === row.sequence && snapshotAt !== undefined)) {
    const isChange = row !== undefined && snapshotAt === undefined;
    const missing = isChange ? withRange(row.missing, [row.sequence + 1, sequence - 1]) : [];
    const shown = withLockTime(content, row, changedAt);
    return { id, deployment, sequence, changedAt, confirmedAt, missing, content: shown };
  }
  const missing =
    snapshotAt === undefined ? withoutNumber(row.missing, sequence) : withoutNumbersUpTo(row.missing, sequence);
  const isUnchanged = JSON.stringify(missing) === JSON.stringify(row.missing);
  return isUnchanged ? undefined : { ...row, missing };
};

/**
 * Time in milliseconds that a workspace may be missing from a snapshot that began later: the index that a snapshot reads is
 * eventually consistent, and clocks differ.
 */
const SNAPSHOT_TOLERANCE = 5 * 60_000;

/**
 * Returns whether the newest complete snapshot of the deployment no longer contained the workspace: then the event of its
 * deletion was lost (HUB-7).
 * @param snapshots start of the newest complete snapshot, by deployment.
 */
export const isOutdated = (
  { deployment, confirmedAt }: Pick<HubRow, 'deployment' | 'confirmedAt'>,
  snapshots: Readonly<Record<string, number>>,
): boolean => deployment !== null && confirmedAt + SNAPSHOT_TOLERANCE < (snapshots[deployment] ?? 0);

/** Returns the lock of a workspace, unless its lease has expired. */
export const currentLock = ({ lock }: HubContent, now: number): HubLock | null =>
  lock?.expiresAt !== undefined && lock.expiresAt <= now ? null : lock;
