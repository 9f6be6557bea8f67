import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import './loaded.css';
import { ErrorNotice } from './notice.tsx';

/** Shows gray lines in place of content that is not loaded yet. Fast responses show nothing in between. */
export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading</span>
      {isVisible &&
        Array.from({ length: lines }, (_, line) => `line ${line}`).map((key) => (
          <div key={key} className="skeleton-line" />
        ))}
    </div>
  );
};

/** Shows the data of a query: a skeleton before, an error with a way to try again, and both if only a refresh failed. */
export const Loaded = <T,>({
  query,
  lines,
  children,
}: {
  readonly query: UseQueryResult<T, unknown>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}) => {
  const { data, error, refetch } = query;
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {data !== undefined ? children(data) : error === null && <Skeleton {...(lines !== undefined && { lines })} />}
    </>
  );
};
