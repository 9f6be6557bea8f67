import { canonicalJson } from '../changes/entity-tags.ts';

/**
 * Merging of status reports, which may arrive late, repeatedly and in any order (RUN-1). Every merge is a maximum, a
 * minimum or a union, so neither the order of the reports nor their repetition changes the result.
 */

/** A status and the time at which it was reached, in milliseconds since the epoch. */
export interface Moment<S extends string> {
  readonly status: S;
  readonly at: number;
}

/** Earliest reported time of each status. */
export type Timeline<S extends string> = { readonly [K in S]?: number };

/**
 * Compares moments by time, for sorting. The position in the life cycle breaks ties.
 * @param life all statuses in the order of the life cycle.
 */
export const byTime =
  <S extends string>(life: readonly S[]) =>
  (one: Moment<S>, other: Moment<S>): number =>
    one.at - other.at || life.indexOf(one.status) - life.indexOf(other.status);

/** Adds a moment to a timeline. A status that was reported before keeps its earliest time. */
export const addMoment = <S extends string>(timeline: Timeline<S>, { status, at }: Moment<S>): Timeline<S> => ({
  ...timeline,
  [status]: Math.min(at, timeline[status] ?? at),
});

/** Lists the moments of a timeline, in no particular order. */
export const listMoments = <S extends string>(timeline: Timeline<S>): Moment<S>[] =>
  Object.entries(timeline).map(([status, at]) => ({ status: status as S, at: at as number }));

/** Returns the latest moment; undefined if there is none. */
export const latestMoment = <S extends string>(
  life: readonly S[],
  moments: readonly Moment<S>[],
): Moment<S> | undefined => moments.toSorted(byTime(life)).at(-1);

/** A description and the moment of the report that contained it. */
export interface Described<S extends string, D> {
  readonly description: D;
  readonly described: Moment<S>;
}

/**
 * Returns the description of the later report. Ties are broken by content, so that every order of reports has the same
 * result.
 */
export const laterDescription = <S extends string, D>(
  life: readonly S[],
  one: Described<S, D>,
  other: Described<S, D>,
): Described<S, D> => {
  const order = byTime(life)(one.described, other.described);
  const isOther = order < 0 || (order === 0 && canonicalJson(one.description) < canonicalJson(other.description));
  const { description, described } = isOther ? other : one;
  return { description, described };
};

/** Identity and creation time of a run or configuration version. */
export interface Created {
  readonly id: string;
  readonly createdAt: number;
}
/** Tells whether one run or configuration version is newer than another. Ties are broken by id. */
export const isNewer = (one: Created, other: Created): boolean =>
  one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id);
