/** A fault that the person at the terminal can do something about: told in one line, without a stack trace. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** What any thrown value has to say, in one line; a failed connection has a code only. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return (error.message || code || error.name).split('\n', 1)[0] ?? '';
};
