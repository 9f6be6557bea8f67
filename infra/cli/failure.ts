/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  /** The service or the network failed after retries. */
  failed: 1,
  /** An unknown flag, a missing argument, or a question that nobody can answer. */
  usage: 2,
  /** The resource does not exist, or the caller lacks a permission. */
  notFound: 3,
  /** No token, or a token that the service rejects. */
  notAuthenticated: 4,
  /** Locked, taken, or changed by somebody else. */
  conflict: 5,
  /** The service rejected the input. */
  rejected: 6,
  /** Finished, but some items failed or differ. */
  partial: 7,
  /** The time of `--wait` is over. */
  timedOut: 8,
  /** `exec` failed before the program started. */
  notStarted: 125,
  /** The program of `exec` cannot be executed. */
  notExecutable: 126,
  /** The program of `exec` is not found. */
  commandNotFound: 127,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitName = keyof typeof exitCodes;
export type ExitCode = number;

/** The meaning of each exit code, for help and the reference page. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  done: 'Done, also if nothing had to change or the list is empty.',
  failed: 'The service or the network failed, also after retries.',
  usage: 'Wrong usage: an unknown flag, a missing argument, or a question without a terminal.',
  notFound: 'Not found, or not permitted.',
  notAuthenticated: 'Not authenticated: no token, or a token that the service rejects.',
  conflict: 'Conflict: locked, taken, or changed by somebody else.',
  rejected: 'The service rejected the input.',
  partial: 'Finished, but some items failed or differ.',
  timedOut: 'Timed out while waiting.',
  notStarted:
    '`exec` failed before the program started. Otherwise `exec` has the exit code of the program, or 128 plus the number of its signal.',
  notExecutable: 'The program of `exec` cannot be executed.',
  commandNotFound: 'The program of `exec` is not found.',
  interrupted: 'Interrupted by Ctrl-C.',
};

interface FailureDetails {
  /** Next step for the user, as a sentence. */
  readonly hint?: string | undefined;
  /** Status of the response. */
  readonly status?: number | undefined;
  /** JSON pointer or parameter to which the service objects. */
  readonly pointer?: string | undefined;
  /** Facts of the service about the error, such as the holder of a lock. */
  readonly meta?: unknown;
  /** Method and path of the failed request. */
  readonly request?: string | undefined;
  readonly cause?: unknown;
}

/** An error that ends a command with its exit code. The message is a sentence for the user. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exit: ExitName;
  readonly details: FailureDetails;

  constructor(exit: ExitName, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.exit = exit;
    this.details = details;
  }
}

/** Creates the error of a command that was called in a wrong way. */
export const usageError = (message: string, hint?: string): Failure => new Failure('usage', message, { hint });

/** Replaces the sentence of a response with status 404. @throws Failure `notFound` with the sentence. */
export const explainNotFound = async <T>(response: Promise<T>, sentence: string): Promise<T> => {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof Failure) || error.details.status !== 404) throw error;
    throw new Failure('notFound', sentence, error.details);
  }
};
