import { isDeepStrictEqual } from 'node:util';
import { ConditionFailed, NoResponse } from './errors.ts';
import { type ItemSchemas, isOtherVersion, toCurrentVersion } from './item-schemas.ts';
import type { Item } from './keys.ts';
import type { Write } from './requests.ts';

/**
 * Conditional writes on items of another schema version. Expressions are written for the form that this release writes.
 * An update of an item in another form is rejected because of its version, as is any write whose condition fails on
 * such an item. The stored item is then converted, and the write is sent again. Items in the current form cost
 * nothing.
 */

/**
 * Creates the function that adds to an update the condition that the item has the version of this release, for types
 * with several versions. The condition is built once, not for every write.
 */
export const createVersionGuard = (schemas: ItemSchemas): ((write: Write) => Write) => {
  const migrated = Object.entries(schemas).filter(([, { migrations }]) => migrations.length > 0);
  if (migrated.length === 0) return (write) => write;
  const clauses = migrated.map((_, position) => `(#itemType <> :type${position} OR #version = :version${position})`);
  const versions = Object.fromEntries(
    migrated.flatMap(([type, { version }], position) => [
      [`:type${position}`, type],
      [`:version${position}`, version],
    ]),
  );
  return (write) => {
    if (write.kind !== 'update') return write;
    return {
      ...write,
      // A rendered condition with several parts has parentheses already. DynamoDB rejects a second pair.
      ConditionExpression: [write.ConditionExpression, ...clauses]
        .filter((clause) => clause !== undefined)
        .join(' AND '),
      ExpressionAttributeNames: { ...write.ExpressionAttributeNames, '#itemType': 'ty', '#version': 'v' },
      ExpressionAttributeValues: {
        ...write.ExpressionAttributeValues,
        ...versions,
      },
    };
  };
};

/** Builds the write that converts a stored item, if the item has not changed since it was read. */
const conversionWrite = (stored: Item, schemas: ItemSchemas): Write => {
  const { pk, sk, ...before } = stored;
  const { pk: _, sk: __, ...after } = toCurrentVersion(stored, schemas);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const conditions: string[] = [];
  const assignments: string[] = [];
  const removals: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [position, name] of names.entries()) {
    const [attribute, old, converted] = [`#${position}`, `:old${position}`, `:new${position}`];
    if (before[name] === undefined) conditions.push(`attribute_not_exists(${attribute})`);
    else {
      conditions.push(`${attribute} = ${old}`);
      values[old] = before[name];
    }
    if (after[name] === undefined) removals.push(attribute);
    else if (!isDeepStrictEqual(before[name], after[name])) {
      assignments.push(`${attribute} = ${converted}`);
      values[converted] = after[name];
    }
  }
  return {
    kind: 'update',
    key: { pk: String(pk), sk: String(sk) },
    ConditionExpression: conditions.join(' AND '),
    // The version always changes.
    UpdateExpression: `SET ${assignments.join(', ')}${removals.length > 0 ? ` REMOVE ${removals.join(', ')}` : ''}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name, position) => [`#${position}`, name])),
    ExpressionAttributeValues: values,
  };
};

/**
 * Sends writes. If a write fails on an item of another version, converts that item and sends the writes again.
 * @param most how many items may have to be converted: the number of writes.
 * @throws ConditionFailed with an image in the current version; NoResponse
 */
export const sendConverting = async <T>(
  most: number,
  schemas: ItemSchemas,
  send: () => Promise<T>,
  convert: (conversion: Write) => Promise<unknown>,
): Promise<T> => {
  for (let conversions = 0; ; conversions++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || error.image === undefined) throw error;
      if (!isOtherVersion(error.image, schemas)) throw error;
      if (conversions === most) throw new NoResponse('Items keep changing their version', { mayBeApplied: false });
      await convert(conversionWrite(error.image, schemas)).catch((rejected: unknown) => {
        // Another writer changed or converted the item. The write is tried again on the current item.
        if (!(rejected instanceof ConditionFailed)) throw rejected;
      });
    }
  }
};
