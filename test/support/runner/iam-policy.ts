/** A statement of an IAM policy as a template contains it, without intrinsic functions in what is evaluated. */
export interface PolicyStatement {
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A request as IAM evaluates it. Condition keys that the request does not have are absent. */
export interface AuthorizedRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, readonly string[]>>;
}

const listOf = (value: unknown): readonly string[] => [value].flat() as readonly string[];

const isLike = (value: string, pattern: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+^${}()|[\]\\?]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value);
};

const comparisons: Readonly<Record<string, (value: string, expected: string) => boolean>> = {
  StringEquals: (value, expected) => value === expected,
  StringLike: isLike,
};

/** Evaluates one condition operator with one key, as IAM does. @throws Error for an operator that is not implemented. */
const holds = (operator: string, values: readonly string[] | undefined, expected: readonly string[]): boolean => {
  if (operator === 'Null') return expected.includes(String(values === undefined));
  const forAll = operator.startsWith('ForAllValues:');
  const ifExists = operator.endsWith('IfExists');
  const compare = comparisons[operator.replace('ForAllValues:', '').replace('IfExists', '')];
  if (compare === undefined) throw new Error(`The operator ${operator} is not implemented`);
  if (values === undefined) return forAll || ifExists;
  const matches = (value: string): boolean => expected.some((one) => compare(value, one));
  return forAll ? values.every(matches) : values.length === 1 && values.every(matches);
};

/** Returns whether a policy allows a request: one statement must allow it alone. */
export const isAllowed = (
  statements: readonly PolicyStatement[],
  { action, resource, context }: AuthorizedRequest,
): boolean =>
  statements.some(
    ({ Action, Resource, Condition = {} }) =>
      listOf(Action).includes(action) &&
      listOf(Resource).includes(resource) &&
      Object.entries(Condition).every(([operator, keys]) =>
        Object.entries(keys).every(([key, expected]) => holds(operator, context[key], listOf(expected))),
      ),
  );
