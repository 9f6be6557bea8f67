/**
 * Serializes a value with sorted keys, so that equal values have equal texts: DynamoDB does not keep the order of the members of
 * a map.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
