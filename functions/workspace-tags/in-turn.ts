/** How many are under way at once. */
const AT_ONCE = 16;

/**
 * Does something with each element, a few at a time. After a failure nothing more is begun, and what is under way ends
 * before it is thrown: a function that has answered may be frozen in the middle.
 */
export const inTurn = async <T>(elements: readonly T[], act: (element: T) => Promise<unknown>): Promise<void> => {
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
