/** RFC 3339, as HTTP-9 shows it; whether there is such a day, `parseTimestamp` finds. */
export const TIMESTAMP =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$';
const form = new RegExp(TIMESTAMP);

/** 20 November 2286: the last moment of 13 digits, which is how many sort keys have for a time. */
export const LATEST = 9_999_999_999_999;

/** The milliseconds since the epoch that a timestamp stands for; undefined when it is none, or too far away. */
export const parseTimestamp = (text: string): number | undefined => {
  const date = text.slice(0, 10);
  const day = new Date(`${date}T00:00:00Z`);
  // A day past the end of its month would be taken for one of the next: the date must come out as it went in.
  if (!form.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined;
  const time = Date.parse(text);
  return time >= 0 && time <= LATEST ? time : undefined;
};
