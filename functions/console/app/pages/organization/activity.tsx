import { Link, linkOptions } from '@tanstack/react-router';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { RunBars } from '../../components/run-bars.tsx';
import { moveAmong } from '../../lib/move-among.ts';
import { formatCount } from '../../lib/words.ts';

/** Numbers of a day, such as `2026-11-28`. */
export type ActivityDay = NonNullable<Schemas['OrganizationStatistics']['attributes']['activity']>[number];

const DAY = 86_400_000;
const WEEK = 7;
/** Weeks of the heat map, and days of the chart of runs. */
const WEEKS = 53;
const RUN_DAYS = 30;

const inUtc = { timeZone: 'UTC' } as const;
const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric', ...inUtc });
const shortFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', ...inUtc });
const monthFormat = new Intl.DateTimeFormat('en', { month: 'short', ...inUtc });

const toDate = (time: number): string => new Date(time).toISOString().slice(0, 10);
const toTime = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** Formats a time for the fields of the filters, in the zone of the reader. */
const toField = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 23);

/** Returns the address of the changes of a day in the audit trail. */
const addressOf = (organization: string, date: string) =>
  linkOptions({
    to: '/$organization/audit-trail',
    params: { organization },
    search: { since: toField(toTime(date)), until: toField(toTime(date) + DAY - 1) },
  });

/** Lists consecutive days up to today, with their numbers if they have been counted. */
const lastDays = (days: readonly ActivityDay[], count: number, today: number) => {
  const known = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: count }, (_, index) => {
    const date = toDate(today - (count - 1 - index) * DAY);
    return { date, day: known.get(date) };
  });
};

interface ActivityProps {
  readonly organization: string;
  readonly days: readonly ActivityDay[];
  /** Time of the numbers, in milliseconds. */
  readonly now: number;
}

/** Returns the shade of a number, from 0 for none to 4. */
const levelOf = (count: number, most: number): number => (count === 0 ? 0 : Math.ceil(4 * Math.sqrt(count / most)));

/** Shows the changes of each day of a year as shades. Each day leads to the audit trail of that day. */
export const HeatMap = ({ organization, days, now }: ActivityProps) => {
  const today = toTime(toDate(now));
  // Columns are weeks that begin on Monday.
  const weekday = (new Date(today).getUTCDay() + 6) % WEEK;
  const shown = lastDays(days, (WEEKS - 1) * WEEK + weekday + 1, today);
  const most = Math.max(1, ...days.map((day) => day['change-count']));
  const last = shown.findLastIndex(({ day }) => (day?.['change-count'] ?? 0) > 0);
  const months = Array.from({ length: WEEKS }, (_, week) => {
    const month = monthFormat.format(toTime(shown[week * WEEK]?.date ?? ''));
    const former = shown[(week - 1) * WEEK];
    const isNew = former === undefined || monthFormat.format(toTime(former.date)) !== month;
    // A label takes three columns.
    return isNew && week < WEEKS - 2 && week > 0 ? month : '';
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="heat-map-scroller" tabIndex={0} aria-label="Changes by day">
      <div className="heat-map-months" aria-hidden="true">
        {months.map((month, week) => (
          <span key={shown[week * WEEK]?.date}>{month}</span>
        ))}
      </div>
      <ol className="heat-map" onKeyDown={(event) => moveAmong(event, WEEK)}>
        {shown.map(({ date, day }, index) => {
          if (day === undefined) return <li key={date} className="heat-none" aria-hidden="true" />;
          const count = day['change-count'];
          const label = `${dayFormat.format(toTime(date))}: ${formatCount(count, 'change')}`;
          return (
            <li key={date} className={`heat-${levelOf(count, most)}`}>
              {count === 0 ? (
                <span className="visually-hidden">{label}</span>
              ) : (
                <Link
                  {...addressOf(organization, date)}
                  className="heat-day"
                  aria-label={label}
                  title={label}
                  tabIndex={index === last ? 0 : -1}
                />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
};

/** Explains the shades of the heat map. */
export const HeatMapLegend = () => (
  <span className="heat-legend" aria-hidden="true">
    Less
    {[0, 1, 2, 3, 4].map((level) => (
      <span key={level} className={`heat-${level}`} />
    ))}
    More
  </span>
);

/** Adds a number over days. */
export const total = (days: readonly ActivityDay[], name: Exclude<keyof ActivityDay, 'date'>): number =>
  days.reduce((sum, day) => sum + day[name], 0);

/** Returns the days of the chart of runs that have been counted. */
export const runDays = (days: readonly ActivityDay[], now: number): readonly ActivityDay[] =>
  lastDays(days, RUN_DAYS, toTime(toDate(now))).flatMap(({ day }) => day ?? []);

/** Shows the runs of the last days as bars, with the failed ones at the bottom. Each leads to the audit trail of that day. */
export const RunDays = ({ organization, days, now }: ActivityProps) => (
  <RunBars
    label="Runs by day"
    bars={lastDays(days, RUN_DAYS, toTime(toDate(now))).map(({ date, day }) => {
      const [runs, failed] = [day?.['run-count'] ?? 0, day?.['failed-run-count'] ?? 0];
      return {
        key: date,
        label: `${dayFormat.format(toTime(date))}: ${formatCount(runs, 'run')}, ${failed.toLocaleString()} failed`,
        succeeded: runs - failed,
        failed,
        address: addressOf(organization, date),
      };
    })}
    from={shortFormat.format(now - (RUN_DAYS - 1) * DAY)}
    to={shortFormat.format(now)}
  />
);
