import type { Change, Condition } from '../../domain/changes/conditions.ts';

/** The expressions of a request, with an alias for every name and value. */
export interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/** Stored names, or paths, and encodings of attributes, by the first part of their path in the domain. */
export interface Attributes {
  readonly names: ReadonlyMap<string, string>;
  readonly encode?: (name: string, value: unknown) => unknown;
}

/** DynamoDB cannot express a condition that always holds: it is left out, with the names and values it would declare. */
const isAlwaysTrue = (condition: Condition): boolean =>
  condition.kind === 'all'
    ? condition.of.every(isAlwaysTrue)
    : condition.kind === 'any' && condition.of.some(isAlwaysTrue);

const plain: Attributes = { names: new Map() };

/**
 * Renders a condition and a change as expressions. Hundreds of words are reserved in DynamoDB's expressions, `name` and
 * `lock` among them, so every name has an alias, nested ones too.
 * @example
 * render({ condition: absent('closing'), change: { set: { name: 'network' } } });
 * // { ConditionExpression: 'attribute_not_exists(#0)', UpdateExpression: 'SET #1 = :0', ... }
 */
export const render = (
  { condition, change }: { condition?: Condition | undefined; change?: Change | undefined },
  attributes: Attributes = plain,
): Expressions => {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};

  const name = (path: string): string =>
    path
      .split('.')
      .flatMap((key, level) => (level === 0 ? (attributes.names.get(key) ?? key).split('.') : [key]))
      .map((key) => {
        const alias = names.get(key) ?? `#${names.size}`;
        names.set(key, alias);
        return alias;
      })
      .join('.');
  const stored = (of: unknown): string => {
    const alias = `:${Object.keys(values).length}`;
    values[alias] = of;
    return alias;
  };
  const value = (path: string, of: unknown): string => stored(attributes.encode?.(path, of) ?? of);

  const join = (parts: readonly Condition[], by: string): string =>
    parts.length === 1 ? parts.map(conditionOf).join() : `(${parts.map(conditionOf).join(by)})`;
  const never = (): string => `(attribute_exists(${name('pk')}) AND attribute_not_exists(${name('pk')}))`;

  const conditionOf = (of: Condition): string => {
    switch (of.kind) {
      case 'exists':
        return `attribute_exists(${name(of.path)})`;
      case 'absent':
        return `attribute_not_exists(${name(of.path)})`;
      case 'equals':
        return `${name(of.path)} = ${value(of.path, of.value)}`;
      case 'differs':
        return `${name(of.path)} <> ${value(of.path, of.value)}`;
      case 'below':
        return `${name(of.path)} < ${value(of.path, of.value)}`;
      case 'atLeast':
        return `${name(of.path)} >= ${value(of.path, of.value)}`;
      case 'all':
        return join(
          of.of.filter((part) => !isAlwaysTrue(part)),
          ' AND ',
        );
      case 'any':
        return of.of.length === 0 ? never() : join(of.of, ' OR ');
    }
  };

  const updateOf = ({ set = {}, add = {}, count = [], remove = [] }: Change): string => {
    const assignments = [
      ...Object.entries(set).map(([path, to]) => `${name(path)} = ${value(path, to)}`),
      ...Object.entries(add).map(([path, by]) => `${name(path)} = ${name(path)} + ${value(path, by)}`),
    ];
    return [
      assignments.length > 0 ? `SET ${assignments.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.map(name).join(', ')}` : '',
      count.length > 0 ? `ADD ${count.map((one) => `${name(one)} ${stored(1)}`).join(', ')}` : '',
    ]
      .filter((clause) => clause !== '')
      .join(' ');
  };

  const conditionExpression = condition === undefined || isAlwaysTrue(condition) ? '' : conditionOf(condition);
  const updateExpression = change === undefined ? '' : updateOf(change);
  return {
    ...(conditionExpression !== '' && { ConditionExpression: conditionExpression }),
    ...(updateExpression !== '' && { UpdateExpression: updateExpression }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map(([key, alias]) => [alias, key])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
};
