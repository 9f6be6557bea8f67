/** Storage of the browser, and the memory of this page where the browser forbids it or has no space left. */

type Area = 'sessionStorage' | 'localStorage';

const memory = new Map<string, string>();

/** Reads a text; null if there is none. */
export const readText = (area: Area, key: string): string | null => {
  const kept = memory.get(key);
  if (kept !== undefined) return kept;
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
};

/** Writes a text. Null removes it. */
export const writeText = (area: Area, key: string, value: string | null): void => {
  memory.delete(key);
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, value);
  } catch {
    if (value !== null) memory.set(key, value);
  }
};
