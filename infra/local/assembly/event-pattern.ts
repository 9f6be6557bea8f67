import { isObject } from '../../settings/is-object.ts';

/** Reports whether an event matches a pattern. */
export type Matches = (event: unknown) => boolean;

type Scalar = string | number | boolean | null;
/** Reports whether the value of a field matches. A missing field has the value undefined. */
type Matcher = (value: Scalar | undefined) => boolean;

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Compiles an event pattern of EventBridge. Filters of event source mappings have the same form. Fields may be nested.
 * The list of a field contains values, or matchers: `prefix`, `suffix`, `anything-but`, `exists`, `numeric`,
 * `equals-ignore-case` and `wildcard`. `$or` combines patterns. An event matches if each field matches an element of its
 * list. An array in the event matches if one of its elements matches.
 * @example
 * compilePattern({ source: ['aws.s3'], detail: { object: { key: [{ prefix: 'states/' }] } } })(event);
 * @throws RangeError when a part is not supported. A pattern that never matches would lose events without notice.
 */
export const compilePattern = (pattern: unknown): Matches => {
  if (!isObject(pattern)) throw new RangeError(`${JSON.stringify(pattern)} is not an event pattern`);
  const fields = Object.entries(pattern).map(([name, expected]): Matches => {
    if (name === '$or') {
      if (!Array.isArray(expected)) throw new RangeError('$or needs a list of patterns');
      const patterns = expected.map(compilePattern);
      return (event) => patterns.some((matches) => matches(event));
    }
    if (Array.isArray(expected)) {
      const matchers = expected.map(compileMatcher);
      return (event) => {
        const values = leafValues(isObject(event) ? event[name] : undefined);
        return matchers.some((matcher) => values.some(matcher));
      };
    }
    const nested = compilePattern(expected);
    return (event) => {
      const value = isObject(event) ? event[name] : undefined;
      return Array.isArray(value) ? value.some(nested) : nested(value);
    };
  });
  return (event) => fields.every((matches) => matches(event));
};

/** Returns the scalar values of a field, or undefined if it has none. */
const leafValues = (value: unknown): readonly (Scalar | undefined)[] => {
  const leaves = (Array.isArray(value) ? value : [value]).filter(isScalar);
  return leaves.length > 0 ? leaves : [undefined];
};

const compileMatcher = (expected: unknown): Matcher => {
  if (isScalar(expected)) return (value) => value === expected;
  const [[operator, operand] = [], ...more] = isObject(expected) ? Object.entries(expected) : [];
  const compile = operator === undefined || more.length > 0 ? undefined : operators[operator];
  if (compile === undefined) throw new RangeError(`the matcher ${JSON.stringify(expected)} is not supported`);
  return compile(operand);
};

const textMatcher =
  (operand: unknown, test: (text: string, expected: string) => boolean): Matcher =>
  (value) => {
    if (typeof value !== 'string') return false;
    if (isObject(operand)) return test(value.toLowerCase(), String(operand['equals-ignore-case']).toLowerCase());
    return test(value, String(operand));
  };

const operators: Readonly<Record<string, (operand: unknown) => Matcher>> = {
  prefix: (operand) => textMatcher(operand, (text, expected) => text.startsWith(expected)),
  suffix: (operand) => textMatcher(operand, (text, expected) => text.endsWith(expected)),
  'equals-ignore-case': (operand) =>
    textMatcher(operand, (text, expected) => text.toLowerCase() === expected.toLowerCase()),
  wildcard: (operand) => {
    const parts = String(operand)
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const expression = new RegExp(`^${parts.join('.*')}$`, 's');
    return (value) => typeof value === 'string' && expression.test(value);
  },
  exists: (operand) => (value) => (value !== undefined) === (operand === true),
  'anything-but': (operand) => {
    const excluded = (Array.isArray(operand) ? operand : [operand]).flatMap((each) =>
      isObject(each)
        ? Object.entries(each).flatMap(([name, values]) =>
            [values].flat().map((one) => compileMatcher({ [name]: one })),
          )
        : [compileMatcher(each)],
    );
    return (value) => value !== undefined && !excluded.some((matcher) => matcher(value));
  },
  numeric: (operand) => {
    const terms = operand as readonly (string | number)[];
    const comparisons = Array.from({ length: Math.ceil(terms.length / 2) }, (_, i): ((n: number) => boolean) => {
      const [sign, limit] = [terms[2 * i], Number(terms[2 * i + 1])];
      const compare = typeof sign === 'string' ? comparisonsBySign[sign] : undefined;
      if (compare === undefined || Number.isNaN(limit))
        throw new RangeError(`numeric ${JSON.stringify(operand)} is not supported`);
      return (n) => compare(n, limit);
    });
    return (value) => typeof value === 'number' && comparisons.every((compare) => compare(value));
  },
};

const comparisonsBySign: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};
