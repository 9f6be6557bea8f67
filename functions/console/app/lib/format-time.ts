/** Units with their length in seconds, and how many of them are shorter than the next unit. */
const units = [
  ['minute', 60, 60],
  ['hour', 3_600, 24],
  ['day', 86_400, 30],
  ['month', 2_592_000, 12],
  ['year', 31_536_000, Number.POSITIVE_INFINITY],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const thisYear = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Formats a time relative to now, such as "3 hours ago", rounded to the nearest unit. */
export const formatRelative = (time: Date, now: number): string => {
  const seconds = Math.round((time.getTime() - now) / 1_000);
  if (Math.abs(seconds) < 60) return seconds > 0 ? 'in less than a minute' : 'just now';
  const round = (length: number) => Math.sign(seconds) * Math.round(Math.abs(seconds) / length);
  const [unit, length] = units.find(([, size, limit]) => Math.abs(round(size)) < limit) ?? units[4];
  return relative.format(round(length), unit);
};

/** Formats a time in the zone of the reader, which it names. */
export const formatExact = (time: Date): string => exact.format(time);

/** Formats a time for a narrow column: without the zone, which the page names, and without the hour in another year. */
export const formatExactShort = (time: Date, now: number): string =>
  (time.getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(time);

/** Formats the time of day in the zone of the reader, such as "2:58 PM". */
export const formatClock = (time: Date): string => clock.format(time);

const DAY = 86_400_000;

/** Formats a day in the zone of the reader, such as "Today" or "Sunday, November 22, 2026". */
export const formatDay = (time: Date, now: number): string => {
  const day = time.toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  return day === new Date(now - DAY).toDateString() ? 'Yesterday' : wholeDay.format(time);
};

/** Returns the zone of the reader, such as `Europe/Berlin`. */
export const timeZone = (): string => exact.resolvedOptions().timeZone;

/** Formats a duration in milliseconds with at most two units, such as "2 min 5 s" or "5 min". */
export const formatDuration = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1_000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  const hoursAndMinutes = [
    [hours, 'h'],
    [minutes, 'min'],
  ] as const;
  const minutesAndSeconds = [
    [minutes, 'min'],
    [rest, 's'],
  ] as const;
  const parts = (hours > 0 ? hoursAndMinutes : minutesAndSeconds).filter(([count]) => count > 0);
  return parts.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s';
};
