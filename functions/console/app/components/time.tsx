import { useEffect, useState } from 'react';
import { formatExact, formatExactShort, formatRelative } from '../lib/format-time.ts';
import { timeFormat } from '../lib/preferences.ts';
import { useStore } from '../lib/store.ts';

const MINUTE = 60_000;

/** Returns the present time in milliseconds, and renders again every minute. */
const useNow = (): number => {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), MINUTE);
    return () => clearInterval(timer);
  }, []);
  // Read in each render: a time that has just been loaded is not in the future.
  return Date.now();
};

/**
 * Shows a time relative to now, or exactly if the user has chosen that. The exact time is in the tooltip.
 * `isFull` shows both. `isShort` shortens the exact time for narrow columns, on pages that name the zone.
 */
export const Time = ({
  value,
  isFull = false,
  isShort = false,
}: {
  readonly value: string;
  readonly isFull?: boolean;
  readonly isShort?: boolean;
}) => {
  const now = useNow();
  const format = useStore(timeFormat);
  const time = new Date(value);
  const relative = formatRelative(time, now);
  const exact = isShort ? formatExactShort(time, now) : formatExact(time);
  return (
    <time dateTime={value} title={formatExact(time)} className={isFull ? 'time-full' : undefined}>
      {isFull ? (
        <>
          {relative} <span className="time-exact">({exact})</span>
        </>
      ) : format === 'exact' ? (
        exact
      ) : (
        relative
      )}
    </time>
  );
};
