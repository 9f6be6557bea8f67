import { type ReactNode, useState } from 'react';
import { Button } from '../../../components/button.tsx';

interface Shown<T> {
  readonly shown: readonly T[];
  /** Button that shows more; null if all elements are shown. */
  readonly more: ReactNode;
}

/** Limits a long list. @param step number of elements that are shown first, and that each click adds. */
export const useShown = <T,>(elements: readonly T[], step = 200): Shown<T> => {
  const [count, setCount] = useState(step);
  const more =
    elements.length > count ? (
      <div>
        <Button onClick={() => setCount(count + step)}>
          Show more of {(elements.length - count).toLocaleString()}
        </Button>
      </div>
    ) : null;
  return { shown: elements.slice(0, count), more };
};
