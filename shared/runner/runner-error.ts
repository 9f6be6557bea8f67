import type { RunnerErrorCode } from './types.ts';

/** Error of the runner library (RUNNER-4). Neither the message nor the cause contains a value. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError';
  readonly code: RunnerErrorCode;

  constructor(code: RunnerErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
