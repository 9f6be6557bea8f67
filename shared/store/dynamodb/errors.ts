import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isTransientError } from '../../lib/transient-errors.ts';
import type { Item } from './keys.ts';

/** A condition did not hold; nothing was written. `image` is the item at that moment, undefined if there was none. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  // Private, so that no log that writes the properties of an error shows the content of the table.
  readonly #image: Item | undefined;
  /** Position of the failed write in its transaction; 0 for a single write. */
  readonly index: number;

  constructor(image: Item | undefined, index = 0) {
    super('The condition of a write does not hold');
    this.#image = image;
    this.index = index;
  }

  get image(): Item | undefined {
    return this.#image;
  }
}

/** Waits for a conditional write. @returns false if its condition did not hold. */
export const conditionHolds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/** Error of a write whose outcome is unknown, or that DynamoDB rejected for a transient reason. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  /** False where DynamoDB reported that it did not try: throttled, or in conflict with another transaction. */
  readonly mayBeApplied: boolean;

  constructor(message: string, { mayBeApplied = true, cause }: { mayBeApplied?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.mayBeApplied = mayBeApplied;
  }
}

/** Errors with which DynamoDB turns a write away before it tries it. */
const untried = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
]);

// The document client does not unmarshall the items inside errors.
const imageFrom = (item: unknown): Item | undefined =>
  item === undefined || Object.keys(item as object).length === 0 ? undefined : unmarshall(item as never);

/** Translates an error of the SDK into ConditionFailed or NoResponse; any other error is returned unchanged. */
export const writeErrorFrom = (error: unknown): unknown => {
  if (error instanceof ConditionalCheckFailedException) return new ConditionFailed(imageFrom(error.Item));
  if (error instanceof TransactionCanceledException) {
    const reasons: readonly CancellationReason[] = error.CancellationReasons ?? [];
    const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
    if (index >= 0) return new ConditionFailed(imageFrom(reasons[index]?.Item), index);
    const isInvalid = reasons.some(({ Code }) => Code === 'ValidationError');
    if (!isInvalid) return new NoResponse(error.message, { mayBeApplied: false, cause: error });
  }
  if (!isTransientError(error)) return error;
  const { name, message } = error;
  return new NoResponse(message, { mayBeApplied: !untried.has(name), cause: error });
};
