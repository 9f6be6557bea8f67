import { useEffect, useState } from 'react';

/** Returns a value once it has not changed for some time, in milliseconds. */
export const useDebounced = <T>(value: T, delay = 200): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
};
