/** Pattern of an RFC 3339 timestamp (HTTP-9). `parseTimestamp` also checks that the day exists. */
export const TIMESTAMP =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$';
const form = new RegExp(TIMESTAMP);

/** Latest time in milliseconds: sort keys have 13 digits for a time. It is on 20 November 2286. */
export const LATEST = 9_999_999_999_999;

/** Parses a timestamp. @returns milliseconds since the epoch; undefined if it is invalid or out of range. */
export const parseTimestamp = (text: string): number | undefined => {
  const date = text.slice(0, 10);
  const day = new Date(`${date}T00:00:00Z`);
  // JavaScript accepts 31 April as 1 May, so the date must be unchanged after parsing.
  if (!form.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const time = Date.parse(text);
  return time >= 0 && time <= LATEST ? time : undefined;
};

/** Returns the day of a time in milliseconds, in UTC, such as `2026-11-28`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
