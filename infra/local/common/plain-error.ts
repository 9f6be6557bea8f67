/** An error that the user at the terminal can fix. It is printed in one line, without a stack trace. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** Returns the first line of the message of any thrown value. A failed connection may have an error code only. */
export const messageFrom = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return (error.message || code || error.name).split('\n', 1)[0] ?? '';
};
