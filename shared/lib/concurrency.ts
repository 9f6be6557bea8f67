/**
 * Maps elements asynchronously, a limited number of them at a time, each as soon as another one is done.
 * After a failure no further element is started. The returned promise settles only once nothing is under way any more:
 * Lambda may freeze a function in the middle of what it left running.
 * @param limit largest number of elements under way at once.
 * @returns the results, in the order of the elements.
 * @throws the first error of `map`.
 * @example
 * await mapWithConcurrency(workspaces, 16, (workspace) => store.workspaces.apply(workspace, transition, request));
 */
export const mapWithConcurrency = async <T, R>(
  elements: Iterable<T>,
  limit: number,
  map: (element: T) => Promise<R>,
): Promise<R[]> => {
  const queue = [...elements].entries();
  const results: R[] = [];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const [index, element] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await map(element);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
  return results;
};

/**
 * Processes a stream of elements, a limited number of them at a time. The next element is requested only once one is done, so that memory
 * does not grow with their number.
 * @param limit largest number of elements under way at once.
 * @throws the first error of `run` or of the stream, once nothing is under way any more.
 */
export const forEachOf = async <T>(
  elements: AsyncIterable<T>,
  limit: number,
  run: (element: T) => Promise<void>,
): Promise<void> => {
  const stream = elements[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  const nextOne = createSemaphore(1);
  const work = async (): Promise<void> => {
    while (failures.length === 0) {
      try {
        const { done, value } = await nextOne(() => stream.next());
        if (done) return;
        await run(value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length === 0) return;
  await stream.return?.();
  throw failures[0];
};

/** Runs a piece of work as soon as the semaphore has a free place. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a semaphore. Work that finds no free place waits, first come, first served; a failure frees the place as well.
 * @param places pieces of work under way at once; 1 makes it a mutex.
 * @example
 * const onePageAtATime = createSemaphore(1);
 * const page = await onePageAtATime(() => readPage(query));
 */
export const createSemaphore = (places: number): Semaphore => {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    if (underWay >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay++;
    try {
      return await work();
    } finally {
      // The place is passed to the first caller in the queue, so that a new caller cannot overtake it.
      const next = waiting.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };
};
