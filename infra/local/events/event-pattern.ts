/** Says whether an event has what a pattern asks for. */
export type Matches = (event: unknown) => boolean;

type Scalar = string | number | boolean | null;
/** Whether one value of a field is wanted; undefined stands for a field that is not there. */
type Matcher = (value: Scalar | undefined) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Compiles an event pattern of EventBridge, which filters of event source mappings share: fields by name, nested; each
 * with a list of values or of `prefix`, `suffix`, `anything-but`, `exists`, `numeric`, `equals-ignore-case`, `wildcard`;
 * `$or` between patterns. All fields must match, by any of their list; an array of the event by any of its elements.
 *
 * @throws RangeError naming what is not understood: a pattern that silently matched nothing would lose events.
 */
export const compilePattern = (pattern: unknown): Matches => {
  if (!isObject(pattern)) throw new RangeError(`${JSON.stringify(pattern)} is no event pattern`);
  const fields = Object.entries(pattern).map(([name, wanted]): Matches => {
    if (name === '$or') {
      if (!Array.isArray(wanted)) throw new RangeError('$or needs a list of patterns');
      const patterns = wanted.map(compilePattern);
      return (event) => patterns.some((matches) => matches(event));
    }
    if (Array.isArray(wanted)) {
      const matchers = wanted.map(compileMatcher);
      return (event) => {
        const values = valuesOf(isObject(event) ? event[name] : undefined);
        return matchers.some((matcher) => values.some(matcher));
      };
    }
    const nested = compilePattern(wanted);
    return (event) => {
      const value = isObject(event) ? event[name] : undefined;
      return Array.isArray(value) ? value.some(nested) : nested(value);
    };
  });
  return (event) => fields.every((matches) => matches(event));
};

/** The values that a field offers: leaves only, and undefined where it has none. */
const valuesOf = (value: unknown): readonly (Scalar | undefined)[] => {
  const leaves = (Array.isArray(value) ? value : [value]).filter(isScalar);
  return leaves.length > 0 ? leaves : [undefined];
};

const compileMatcher = (wanted: unknown): Matcher => {
  if (isScalar(wanted)) return (value) => value === wanted;
  const [[operator, operand] = [], ...more] = isObject(wanted) ? Object.entries(wanted) : [];
  const compile = operator === undefined || more.length > 0 ? undefined : operators[operator];
  if (compile === undefined) throw new RangeError(`the matcher ${JSON.stringify(wanted)} is not understood here`);
  return compile(operand);
};

const ofText =
  (operand: unknown, test: (text: string, wanted: string) => boolean): Matcher =>
  (value) => {
    if (typeof value !== 'string') return false;
    if (isObject(operand)) return test(value.toLowerCase(), String(operand['equals-ignore-case']).toLowerCase());
    return test(value, String(operand));
  };

const operators: Readonly<Record<string, (operand: unknown) => Matcher>> = {
  prefix: (operand) => ofText(operand, (text, wanted) => text.startsWith(wanted)),
  suffix: (operand) => ofText(operand, (text, wanted) => text.endsWith(wanted)),
  'equals-ignore-case': (operand) => ofText(operand, (text, wanted) => text.toLowerCase() === wanted.toLowerCase()),
  wildcard: (operand) => {
    const parts = String(operand)
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const expression = new RegExp(`^${parts.join('.*')}$`, 's');
    return (value) => typeof value === 'string' && expression.test(value);
  },
  exists: (operand) => (value) => (value !== undefined) === (operand === true),
  'anything-but': (operand) => {
    const unwanted = (Array.isArray(operand) ? operand : [operand]).flatMap((each) =>
      isObject(each)
        ? Object.entries(each).flatMap(([name, given]) => [given].flat().map((one) => compileMatcher({ [name]: one })))
        : [compileMatcher(each)],
    );
    return (value) => value !== undefined && !unwanted.some((matcher) => matcher(value));
  },
  numeric: (operand) => {
    const terms = operand as readonly (string | number)[];
    const comparisons = Array.from({ length: Math.ceil(terms.length / 2) }, (_, i): ((n: number) => boolean) => {
      const [sign, limit] = [terms[2 * i], Number(terms[2 * i + 1])];
      const compare = typeof sign === 'string' ? comparisonsBySign[sign] : undefined;
      if (compare === undefined || Number.isNaN(limit))
        throw new RangeError(`numeric ${JSON.stringify(operand)} is not understood here`);
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
