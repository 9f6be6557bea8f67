/**
 * What is told of a thing's life, by reports that come late, twice and in any order. Everything here is a maximum, a
 * minimum or a union of what was told: so it makes no difference in which order it was, or how often.
 */

/** A status, and since when; in milliseconds since the epoch. */
export interface Moment<S extends string> {
  readonly status: S;
  readonly at: number;
}

/** When each status was reached first, as far as has been told. */
export type Timeline<S extends string> = { readonly [K in S]?: number };

/** Which of two moments is later: the order of the life decides between those of one time. */
export const byTime =
  <S extends string>(life: readonly S[]) =>
  (one: Moment<S>, other: Moment<S>): number =>
    one.at - other.at || life.indexOf(one.status) - life.indexOf(other.status);

export const addMoment = <S extends string>(timeline: Timeline<S>, { status, at }: Moment<S>): Timeline<S> => ({
  ...timeline,
  [status]: Math.min(at, timeline[status] ?? at),
});

export const listMoments = <S extends string>(timeline: Timeline<S>): Moment<S>[] =>
  Object.entries(timeline).map(([status, at]) => ({ status: status as S, at: at as number }));

/** The last of some moments. */
export const latestMoment = <S extends string>(
  life: readonly S[],
  moments: readonly Moment<S>[],
): Moment<S> | undefined => moments.toSorted(byTime(life)).at(-1);

/** What a report says beside its status, and of when that is. */
export interface Described<S extends string, D> {
  readonly description: D;
  readonly described: Moment<S>;
}

/** The description of the later report; of two of one moment it does not matter which, if it is always the same. */
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

/** The same for equal descriptions, whatever order their attributes are in. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Creation, then id: which of two runs, or configuration versions, is the newer one. */
export interface Created {
  readonly id: string;
  readonly createdAt: number;
}
export const isNewer = (one: Created, other: Created): boolean =>
  one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id);
