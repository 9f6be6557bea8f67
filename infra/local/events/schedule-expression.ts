/** When a schedule is due next, after a time: milliseconds since the epoch. Undefined: never again. */
export type NextTime = (after: number) => number | undefined;

const unitMillis: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads `rate(5 minutes)` or `cron(minutes hours day-of-month month day-of-week year)`, in UTC, as EventBridge does.
 * @throws RangeError when it is neither.
 */
export const parseSchedule = (expression: string): NextTime => {
  const [, number, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const every = Number(number) * (unitMillis[unit] ?? 0);
  if (every > 0) return (after) => after + every;
  const [, fields] = /^cron\((.*)\)$/.exec(expression) ?? [];
  if (fields !== undefined) return parseCron(fields.trim().split(/\s+/));
  throw new RangeError(`${expression} is neither rate(5 minutes) nor cron(0 2 * * ? *)`);
};

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Numbers that a field may be, with names for them where there are any: `names[0]` is the least. */
interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const minuteField: Field = { least: 0, most: 59 };
const hourField: Field = { least: 0, most: 23 };
const dayField: Field = { least: 1, most: 31 };
const monthField: Field = { least: 1, most: 12, names: months };
const weekdayField: Field = { least: 1, most: 7, names: weekdays };
const yearField: Field = { least: 1970, most: 2199 };

const parseField = (text: string, { least, most, names = [] }: Field): ReadonlySet<number> => {
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toUpperCase());
    const number = named >= 0 ? named + least : Number(word);
    if (!/^\w+$/.test(word) || !Number.isInteger(number) || number < least || number > most)
      throw new RangeError(`${word} is not from ${least} to ${most}`);
    return number;
  };
  return new Set(
    text.split(',').flatMap((part) => {
      const [range = '', step] = part.split('/');
      const [from = '', to] = range.split('-');
      const first = range === '*' ? least : numberOf(from);
      const last = range === '*' || (to === undefined && step !== undefined) ? most : numberOf(to ?? from);
      const by = step === undefined ? 1 : numberOf(step);
      return Array.from({ length: Math.max(0, Math.floor((last - first) / by) + 1) }, (_, i) => first + i * by);
    }),
  );
};

/** Whether a day of a month is meant; `L`, the last one, is understood, `W` and `#` are not. */
const dayTest = (dayOfMonth: string, dayOfWeek: string): ((date: Date) => boolean) => {
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) throw new RangeError('one of the two kinds of day must be ?');
  if (dayOfMonth === 'L') return (date) => new Date(date.getTime() + 86_400_000).getUTCDate() === 1;
  const days = dayOfMonth === '?' ? undefined : parseField(dayOfMonth, dayField);
  const ofWeek = dayOfWeek === '?' ? undefined : parseField(dayOfWeek, weekdayField);
  return (date) => days?.has(date.getUTCDate()) ?? ofWeek?.has(date.getUTCDay() + 1) ?? false;
};

/** Nothing that is ever due is due later than this: 29 February may be eight years away. */
const FARTHEST_DAYS = 9 * 366;

const parseCron = (fields: readonly string[]): NextTime => {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*', ...more] = fields;
  if (fields.length < 6 || more.length > 0) throw new RangeError(`cron(${fields.join(' ')}) needs six fields`);
  const minutes = [...parseField(minute, minuteField)].sort((a, b) => a - b);
  const hours = [...parseField(hour, hourField)].sort((a, b) => a - b);
  const [inMonths, inYears] = [parseField(month, monthField), parseField(year, yearField)];
  const isDay = dayTest(dayOfMonth, dayOfWeek);
  return (after) => {
    const midnight = new Date(after);
    midnight.setUTCHours(0, 0, 0, 0);
    for (let days = 0; days <= FARTHEST_DAYS; days++) {
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
