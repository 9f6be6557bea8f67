/** Attribute values as DynamoDB sends and takes them. */
type Item = Readonly<Record<string, { readonly S?: string }>>;

/** Parts of the requests of all operations. */
interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Item[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

/** Outputs of reads that no later write can have changed, by request. The functions of one API share them. */
const outputs = new Map<string, Promise<unknown>>();

/** Requests of the outputs that a write to a place may change. */
const readersOf = new Map<string, Set<string>>();

/** Any item of any table. The outputs of queries of indexes depend on it, because an index contains items of all partitions. */
const ANYWHERE = 'anywhere';

const partition = (pk: string | undefined): string => `partition ${pk}`;
const item = ({ pk, sk }: Item): string => `item ${JSON.stringify([pk?.S, sk?.S])}`;

/** Returns the places that a read depends on, or undefined for any other operation. */
const placesRead = (operation: string, input: Input): readonly string[] | undefined => {
  switch (operation) {
    case 'GetItem':
      return [item(input.Key ?? {})];
    case 'BatchGetItem':
      return Object.values(input.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys.map(item));
    case 'Query':
      // One of the values is the partition key.
      return input.IndexName === undefined
        ? Object.values(input.ExpressionAttributeValues ?? {}).map(({ S }) => partition(S))
        : [ANYWHERE];
    default:
      return undefined;
  }
};

/** Returns the places that a write may change, or undefined if it may change any. */
const placesWritten = (operation: string, input: Input): readonly string[] | undefined => {
  switch (operation) {
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem': {
      const key = input.Key ?? input.Item ?? {};
      return [ANYWHERE, partition(key['pk']?.S), item(key)];
    }
    case 'TransactWriteItems':
      return (input.TransactItems ?? [])
        .flatMap(Object.entries<Input>)
        .flatMap(([kind, part]) => (kind === 'ConditionCheck' ? [] : (placesWritten(`${kind}Item`, part) ?? [])));
    default:
      return undefined;
  }
};

const forget = (places: readonly string[] | undefined): void => {
  if (places === undefined) {
    outputs.clear();
    readersOf.clear();
    return;
  }
  for (const place of places) {
    for (const request of readersOf.get(place) ?? []) outputs.delete(request);
    readersOf.delete(place);
  }
};

/** Freezes a value with its content, because several requests get it. */
const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
};

/**
 * Runs an operation, unless the same read ran after the last write to what it read began and ended.
 *
 * @param target value of `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`
 * @param body JSON
 */
export const runUnlessCached = async (target: string, body: string, run: () => Promise<unknown>): Promise<unknown> => {
  // The engine has no stale reads, so the output of a consistent read is the same.
  const request = `${target} ${body.replace('"ConsistentRead":true', '"ConsistentRead":false')}`;
  const known = outputs.get(request);
  if (known !== undefined) return known;
  const operation = target.split('.')[1] ?? '';
  const input = JSON.parse(body) as Input;
  const read = placesRead(operation, input);
  if (read === undefined) {
    const written = placesWritten(operation, input);
    forget(written);
    return run().finally(() => forget(written));
  }
  const output = run().then(deepFreeze);
  outputs.set(request, output);
  for (const place of read) readersOf.set(place, (readersOf.get(place) ?? new Set()).add(request));
  return output;
};
