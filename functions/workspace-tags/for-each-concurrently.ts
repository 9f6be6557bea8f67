/** Maximum number of calls at the same time. */
const AT_ONCE = 16;

/**
 * Calls a function for each element, a few at a time. After a failure no further call starts. The calls that are running
 * finish before the error is thrown, because Lambda may freeze the instance after the response.
 */
export const forEachConcurrently = async <T>(
  elements: readonly T[],
  act: (element: T) => Promise<unknown>,
): Promise<void> => {
  const left = elements.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const element of left) {
      if (failures.length > 0) return;
      await act(element).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0) throw failures[0];
};
