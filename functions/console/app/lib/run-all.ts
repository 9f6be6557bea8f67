/** Progress of work on several elements. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Number of requests at the same time. */
const CONCURRENCY = 6;

/**
 * Works on all elements, several at a time.
 * @param isStopped checked before each element; elements that have been started are completed.
 * @param onProgress called after each element.
 * @throws the first error of `work`. No further element is started then.
 */
export const runAll = async <T>(
  elements: readonly T[],
  work: (element: T) => Promise<void>,
  isStopped: () => boolean = () => false,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<void> => {
  let next = 0;
  let done = 0;
  const total = elements.length;
  onProgress({ done, total });
  const lane = async (): Promise<void> => {
    while (next < total && !isStopped()) {
      const element = elements[next] as T;
      next += 1;
      try {
        await work(element);
      } catch (error) {
        next = total;
        throw error;
      }
      done += 1;
      onProgress({ done, total });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
};
