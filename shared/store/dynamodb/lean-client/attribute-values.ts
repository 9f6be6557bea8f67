import { convertToNative } from '@aws-sdk/util-dynamodb';
import { fromBase64, toBase64 } from '@smithy/core/serde';

/** Value in the form of DynamoDB's JSON: an object with one property, named by the type, such as `{"S": "text"}`. */
type AttributeValue = Readonly<Record<string, unknown>>;

/** Thrown for a value that the SDK marshalls or rejects: a set, a BigInt, NaN, an instance of a class. */
export class UnusualValue extends Error {}

/**
 * Marshalls a value to DynamoDB's JSON. Undefined elements and properties are left out.
 * @throws UnusualValue
 */
export const toAttributeValue = (value: unknown): AttributeValue => {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'number':
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
      break;
    case 'object':
      if (value === null) return { NULL: true };
      if (Array.isArray(value)) return { L: value.filter((element) => element !== undefined).map(toAttributeValue) };
      if (value instanceof Uint8Array) return { B: toBase64(value) };
      if (value.constructor === Object) return { M: mapValues(value, toAttributeValue) };
  }
  throw new UnusualValue();
};

/** Converts DynamoDB's JSON back to a value. */
export const fromAttributeValue = (attribute: AttributeValue): unknown => {
  for (const type in attribute) {
    const value = attribute[type];
    switch (type) {
      case 'S':
      case 'BOOL':
        return value;
      case 'M':
        return mapValues(value as Record<string, AttributeValue>, fromAttributeValue);
      case 'L':
        return (value as AttributeValue[]).map(fromAttributeValue);
      case 'B':
        return fromBase64(value as string);
      case 'BS':
        return new Set((value as string[]).map(fromBase64));
    }
  }
  return convertToNative(attribute as never, {});
};

/**
 * Converts the properties of an object, in the order of their names. Undefined ones and methods are left out.
 *
 * DynamoDB does not promise an order of attributes, and the local engine returns each item in another one. V8 would create
 * hidden classes for each order, and code that reads such items would be slower.
 */
export const mapValues = <V, R>(values: object, convert: (value: V) => R): Record<string, R> => {
  const converted: Record<string, R> = {};
  for (const name of Object.keys(values).sort()) {
    const value = (values as Record<string, V>)[name] as V;
    if (value !== undefined && typeof value !== 'function') converted[name] = convert(value);
  }
  return converted;
};
