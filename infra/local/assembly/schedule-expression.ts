/** Returns the next time of a schedule after a time, in milliseconds since the epoch; undefined when there is none. */
export type NextTime = (after: number) => number | undefined;

const unitMillis: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Parses a schedule expression of EventBridge: `rate(5 minutes)` or
 * `cron(minutes hours day-of-month month day-of-week year)`, in UTC.
 * @throws RangeError when the expression is not supported.
 */
export const parseSchedule = (expression: string): NextTime => {
  const [, number, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const every = Number(number) * (unitMillis[unit] ?? 0);
  if (every > 0) return (after) => after + every;
  const [, fields] = /^cron\((.*)\)$/.exec(expression) ?? [];
  if (fields !== undefined) return parseCron(fields.trim().split(/\s+/));
  throw new RangeError(`${expression} is neither rate(5 minutes) nor cron(0 2 * * ? *)`);
};

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** The range of a field, and the names of its values: `names[0]` stands for `min`. */
interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const minuteField: Field = { min: 0, max: 59 };
const hourField: Field = { min: 0, max: 23 };
const dayField: Field = { min: 1, max: 31 };
const monthField: Field = { min: 1, max: 12, names: monthNames };
const weekdayField: Field = { min: 1, max: 7, names: weekdayNames };
const yearField: Field = { min: 1970, max: 2199 };

const parseField = (text: string, { min, max, names = [] }: Field): ReadonlySet<number> => {
  const parseNumber = (word: string): number => {
    const named = names.indexOf(word.toUpperCase());
    const number = named >= 0 ? named + min : Number(word);
    if (!/^\w+$/.test(word) || !Number.isInteger(number) || number < min || number > max)
      throw new RangeError(`${word} is not from ${min} to ${max}`);
    return number;
  };
  return new Set(
    text.split(',').flatMap((part) => {
      const [range = '', step] = part.split('/');
      const [from = '', to] = range.split('-');
      const first = range === '*' ? min : parseNumber(from);
      const last = range === '*' || (to === undefined && step !== undefined) ? max : parseNumber(to ?? from);
      const by = step === undefined ? 1 : parseNumber(step);
      return Array.from({ length: Math.max(0, Math.floor((last - first) / by) + 1) }, (_, i) => first + i * by);
    }),
  );
};

/** Compiles the two fields for days. `L`, the last day of the month, is supported; `W` and `#` are not. */
const compileDays = (dayOfMonth: string, dayOfWeek: string): ((date: Date) => boolean) => {
  if ((dayOfMonth === '?') === (dayOfWeek === '?'))
    throw new RangeError('either the day of the month or the day of the week must be ?');
  if (dayOfMonth === 'L') return (date) => new Date(date.getTime() + 86_400_000).getUTCDate() === 1;
  const days = dayOfMonth === '?' ? undefined : parseField(dayOfMonth, dayField);
  const weekdays = dayOfWeek === '?' ? undefined : parseField(dayOfWeek, weekdayField);
  return (date) => days?.has(date.getUTCDate()) ?? weekdays?.has(date.getUTCDay() + 1) ?? false;
};

/** Number of days to search. The next 29 February may be eight years away. */
const SEARCH_DAYS = 9 * 366;

const parseCron = (fields: readonly string[]): NextTime => {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*', ...more] = fields;
  if (fields.length < 6 || more.length > 0) throw new RangeError(`cron(${fields.join(' ')}) must have six fields`);
  const minutes = [...parseField(minute, minuteField)].sort((a, b) => a - b);
  const hours = [...parseField(hour, hourField)].sort((a, b) => a - b);
  const [inMonths, inYears] = [parseField(month, monthField), parseField(year, yearField)];
  const isDay = compileDays(dayOfMonth, dayOfWeek);
  return (after) => {
    const midnight = new Date(after);
    midnight.setUTCHours(0, 0, 0, 0);
    for (let days = 0; days <= SEARCH_DAYS; days++) {
      const date = new Date(midnight.getTime() + days * 86_400_000);
      if (!inYears.has(date.getUTCFullYear()) || !inMonths.has(date.getUTCMonth() + 1) || !isDay(date)) continue;
      for (const h of hours)
        for (const m of minutes) {
          const time = date.getTime() + h * 3_600_000 + m * 60_000;
          if (time > after) return time;
        }
    }
    return undefined;
  };
};
