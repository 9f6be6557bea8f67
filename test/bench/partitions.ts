/**
 * A model of what DynamoDB does with a load of keys, by what AWS publishes of it, second by second:
 *
 * - a partition takes 1,000 write and 3,000 read units a second, whatever the table takes
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
 * - what it does not use is kept for a burst, for 5 minutes at most, and is promised to nobody
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
 * - a new table or index on demand takes 4,000 write and 12,000 read units a second, and then twice its previous peak,
 *   unless it more than doubles within 30 minutes
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
 * - a partition is split when it is hot or holds 10 GB, also within an item collection, and never merged. Splitting helps
 *   neither a single item nor the end of a collection whose sort keys only grow
 *   https://aws.amazon.com/blogs/database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat-impact-performance/
 * - an index has partitions of its own, and a write that one of them rejects is rejected to the table's writer
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
 *
 * Pure: the same load gives the same result. What is rejected is not asked for again.
 */
export const limits = {
  /** Capacity units per second of a partition. */
  writeUnits: 1_000,
  readUnits: 3_000,
  burstSeconds: 300,
  /** Partitions of a new table, and of each new index. */
  partitions: 4,
  partitionBytes: 10 * 2 ** 30,
  peakSeconds: 30 * 60,
} as const;

/** The table or one of its indexes. Each has its own partitions. */
export type Space = 'table' | 'list' | 'due';

/** Capacity that a request needs of one item collection. */
export interface Part {
  readonly space: Space;
  readonly key: string;
  /**
   * Position in the item collection of the key: a number from 0 to 1 for the sort key, or `end` for sort keys that only
   * grow and for collections that are assumed not to be split.
   */
  readonly place: number | 'end';
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** Request with parts that are granted together. If one part is throttled, the request is. */
export interface Request {
  readonly name: string;
  readonly parts: readonly Part[];
  /** Called with the outcome. */
  readonly answered?: (isGranted: boolean) => void;
}

export interface Load {
  readonly seconds: number;
  readonly requestsAt: (second: number) => Iterable<Request>;
  /** Initial number of partitions, which divide the hash space equally. */
  readonly partitions?: { readonly [S in Space]?: number };
  /** Burst capacity: maximum seconds of unused capacity, and how many are available at the start. */
  readonly burst?: { readonly seconds: number; readonly atStart: number };
  /**
   * Consecutive seconds above 90 % of the capacity after which a partition is split. AWS says "sustained" without a
   * number. 0 disables splits.
   */
  readonly heatSeconds?: number;
  /** Seconds of the same load before the measurement. After them, all splits for heat have happened. */
  readonly settlingSeconds?: number;
}

interface Tally {
  readonly requested: number;
  readonly throttled: number;
}

export interface HotPartition {
  /** Average requested write capacity as a fraction of a partition's capacity. Above 1, requests are throttled. */
  readonly writes: number;
  readonly reads: number;
  /** Key with the largest part of the load. */
  readonly key: string;
}

export interface Simulated {
  readonly seconds: number;
  /** Fraction of the requests that were throttled. */
  readonly throttled: number;
  readonly byName: Readonly<Record<string, Tally>>;
  /** First measured second with a throttled request; undefined if there was none. */
  readonly firstRejection: number | undefined;
  /** Throttled requests by key, in descending order. A request counts for the first key that throttled it. */
  readonly refusals: readonly { readonly key: string; readonly count: number }[];
  readonly spaces: Readonly<Record<Space, { readonly partitions: number; readonly hottest: HotPartition }>>;
}

/** Positions have 32 bits of the partition key's hash, followed by 20 bits of the position in the collection. */
const PLACES = 2 ** 20;
const POSITIONS = 2 ** 52;
const END = PLACES - 1;

/** Hashes a key evenly. The hash function of DynamoDB is not published. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** Computes the position of a sort key in its collection, from 0 to 1. */
export const placeOf = (sortKey: string): number => hashOf(sortKey) / 2 ** 32;

const positionOf = (key: string, place: Part['place']): number =>
  hashOf(key) * PLACES + (place === 'end' ? END : Math.floor(place * END));

/** Number of recent parts that a partition stores to find the position that halves its load. */
const SAMPLES = 512;

interface Partition {
  readonly start: number;
  /** Capacity left in this second, including burst capacity. */
  writes: number;
  reads: number;
  /** Capacity requested in this second, and in all measured seconds. */
  requestedWrites: number;
  requestedReads: number;
  totalWrites: number;
  totalReads: number;
  hotSeconds: number;
  /**
   * Position, key and weight of recent parts, in lists of their own: the garbage collector would spend more time on an
   * object for each part than the simulation takes.
   */
  readonly samples: { readonly positions: number[]; readonly keys: string[]; readonly weights: number[] };
  sampled: number;
}

const partitionFrom = (start: number, kept = 0): Partition => ({
  start,
  writes: kept * limits.writeUnits,
  reads: kept * limits.readUnits,
  requestedWrites: 0,
  requestedReads: 0,
  totalWrites: 0,
  totalReads: 0,
  hotSeconds: 0,
  samples: { positions: [], keys: [], weights: [] },
  sampled: 0,
});

/** Computes the fraction of a partition's capacity per second. Read and write capacity are independent. */
const shareOf = ({ writeUnits, readUnits }: Pick<Part, 'writeUnits' | 'readUnits'>): number =>
  writeUnits / limits.writeUnits + readUnits / limits.readUnits;

const inEqualParts = (count: number, kept: number): Partition[] =>
  Array.from({ length: count }, (_, index) => partitionFrom(Math.floor((index * POSITIONS) / count), kept));

/** Finds the partition of a position. */
const find = (partitions: readonly Partition[], position: number): Partition => {
  let [low, high] = [0, partitions.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((partitions[middle] as Partition).start <= position) low = middle;
    else high = middle - 1;
  }
  return partitions[low] as Partition;
};

/** Finds the position that divides the load most evenly; undefined if all of the load has one position. */
const halfOf = ({ start, samples }: Partition): number | undefined => {
  const sorted = samples.positions
    .map((position, index) => ({ position, weight: samples.weights[index] as number }))
    .filter(({ position }) => position >= start)
    .sort((a, b) => a.position - b.position);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  let best: { at: number; distance: number } | undefined;
  let before = 0;
  for (const [index, { position, weight }] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous !== undefined && previous.position < position) {
      const distance = Math.abs(before - total / 2);
      if (best === undefined || distance < best.distance) best = { at: position, distance };
    }
    before += weight;
  }
  return best?.at;
};

const spaces = ['table', 'list', 'due'] as const satisfies readonly Space[];

/** Simulates a load second by second. */
export const simulate = ({
  seconds,
  requestsAt,
  partitions: initial = {},
  burst = { seconds: 0, atStart: 0 },
  heatSeconds = 0,
  settlingSeconds = 0,
}: Load): Simulated => {
  const all = Object.fromEntries(
    spaces.map((space) => [space, inEqualParts(initial[space] ?? limits.partitions, burst.atStart)]),
  ) as Record<Space, Partition[]>;
  const peaks = Object.fromEntries(spaces.map((space) => [space, { writes: 0, reads: 0 }])) as Record<
    Space,
    { writes: number; reads: number }
  >;
  const byName = new Map<string, { requested: number; throttled: number }>();
  const refusals = new Map<string, number>();
  let firstRejection: number | undefined;

  const split = (partitions: Partition[], index: number, at: number): void => {
    const partition = partitions[index] as Partition;
    const later = partitionFrom(at);
    for (const list of Object.values(partition.samples)) list.length = 0;
    partition.sampled = 0;
    partition.hotSeconds = 0;
    partitions.splice(index + 1, 0, later);
  };

  const refill = (): void => {
    for (const space of spaces) {
      for (const partition of all[space]) {
        partition.writes = Math.min(partition.writes, burst.seconds * limits.writeUnits) + limits.writeUnits;
        partition.reads = Math.min(partition.reads, burst.seconds * limits.readUnits) + limits.readUnits;
        partition.requestedWrites = 0;
        partition.requestedReads = 0;
      }
    }
  };

  /** Partitions of the parts of the present request. */
  const places: Partition[] = [];
  /**
   * Takes the capacity of a request. @returns the part that throttles the request; undefined if the request is granted.
   */
  const take = (request: Request): Part | undefined => {
    let rejected: Part | undefined;
    places.length = 0;
    for (const part of request.parts) {
      const position = positionOf(part.key, part.place);
      const partition = find(all[part.space], position);
      places.push(partition);
      partition.requestedWrites += part.writeUnits;
      partition.requestedReads += part.readUnits;
      const { positions, keys, weights } = partition.samples;
      const index = partition.sampled++ % SAMPLES;
      positions[index] = position;
      keys[index] = part.key;
      weights[index] = shareOf(part);
      const isRejected =
        (part.writeUnits > 0 && partition.writes < part.writeUnits) ||
        (part.readUnits > 0 && partition.reads < part.readUnits);
      if (isRejected) rejected ??= part;
    }
    request.answered?.(rejected === undefined);
    if (rejected !== undefined) return rejected;
    for (let index = 0; index < places.length; index++) {
      const partition = places[index] as Partition;
      partition.writes -= (request.parts[index] as Part).writeUnits;
      partition.reads -= (request.parts[index] as Part).readUnits;
    }
    return undefined;
  };

  /** Splits hot partitions, and regularly grows each space to twice its peak. */
  const adapt = (second: number, patience: number): void => {
    for (const space of spaces) {
      const partitions = all[space];
      const peak = peaks[space];
      peak.writes = Math.max(
        peak.writes,
        partitions.reduce((sum, { requestedWrites }) => sum + requestedWrites, 0),
      );
      peak.reads = Math.max(
        peak.reads,
        partitions.reduce((sum, { requestedReads }) => sum + requestedReads, 0),
      );
      if (patience > 0) {
        for (let index = partitions.length - 1; index >= 0; index--) {
          const partition = partitions[index] as Partition;
          const isHot =
            partition.requestedWrites > 0.9 * limits.writeUnits || partition.requestedReads > 0.9 * limits.readUnits;
          partition.hotSeconds = isHot ? partition.hotSeconds + 1 : 0;
          const at = partition.hotSeconds >= patience ? halfOf(partition) : undefined;
          if (at !== undefined) split(partitions, index, at);
        }
      }
      if ((second + 1) % limits.peakSeconds === 0) grow(partitions, peak);
    }
  };

  /** Grows a space to twice its peak by splitting the widest partitions. */
  const grow = (partitions: Partition[], { writes, reads }: { writes: number; reads: number }): void => {
    const wanted = Math.ceil(2 * Math.max(writes / limits.writeUnits, reads / limits.readUnits));
    while (partitions.length < wanted) {
      const width = (index: number) =>
        (partitions[index + 1]?.start ?? POSITIONS) - (partitions[index] as Partition).start;
      const widest = partitions.reduce((best, _, index) => (width(index) > width(best) ? index : best), 0);
      const middle = (partitions[widest] as Partition).start + Math.floor(width(widest) / 2);
      split(partitions, widest, middle);
    }
  };

  for (let second = 0; second < settlingSeconds; second++) {
    refill();
    for (const request of requestsAt(second - settlingSeconds)) take(request);
    adapt(second, 1);
  }
  if (settlingSeconds > 0) {
    for (const space of spaces) {
      all[space] = all[space].map(({ start }) => partitionFrom(start, burst.atStart));
    }
  }

  for (let second = 0; second < seconds; second++) {
    refill();
    for (const request of requestsAt(second)) {
      const tally = byName.get(request.name) ?? { requested: 0, throttled: 0 };
      byName.set(request.name, tally);
      tally.requested++;
      const rejected = take(request);
      if (rejected === undefined) continue;
      tally.throttled++;
      refusals.set(rejected.key, (refusals.get(rejected.key) ?? 0) + 1);
      firstRejection ??= second;
    }
    for (const space of spaces) {
      for (const partition of all[space]) {
        partition.totalWrites += partition.requestedWrites;
        partition.totalReads += partition.requestedReads;
      }
    }
    adapt(second, heatSeconds);
  }

  const tallies = [...byName.values()];
  const requested = tallies.reduce((sum, tally) => sum + tally.requested, 0);
  const rejected = tallies.reduce((sum, tally) => sum + tally.throttled, 0);
  return {
    seconds,
    throttled: requested === 0 ? 0 : rejected / requested,
    byName: Object.fromEntries(byName),
    firstRejection,
    refusals: [...refusals].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count),
    spaces: Object.fromEntries(
      spaces.map((space) => [space, { partitions: all[space].length, hottest: hottestOf(all[space], seconds) }]),
    ) as Simulated['spaces'],
  };
};

const hottestOf = (partitions: readonly Partition[], seconds: number): HotPartition => {
  const heatOf = ({ totalWrites, totalReads }: Partition): number =>
    Math.max(totalWrites / limits.writeUnits, totalReads / limits.readUnits);
  const hottest = partitions.reduce((best, partition) => (heatOf(partition) > heatOf(best) ? partition : best));
  const weights = new Map<string, number>();
  for (const [index, key] of hottest.samples.keys.entries())
    weights.set(key, (weights.get(key) ?? 0) + (hottest.samples.weights[index] as number));
  const [key = ''] = [...weights].sort(([, a], [, b]) => b - a)[0] ?? [];
  return {
    writes: hottest.totalWrites / seconds / limits.writeUnits,
    reads: hottest.totalReads / seconds / limits.readUnits,
    key,
  };
};

/** Computes the number of partitions from the stored bytes and the peak capacity. */
export const partitionsOf = (bytes: number, writeUnits: number, readUnits: number): number =>
  Math.max(
    limits.partitions,
    Math.ceil(bytes / limits.partitionBytes),
    // On-demand capacity allows twice the previous peak.
    Math.ceil((2 * writeUnits) / limits.writeUnits),
    Math.ceil((2 * readUnits) / limits.readUnits),
  );
