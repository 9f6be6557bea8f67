import { concealed, DomainError } from '../domain/errors.ts';

/** Rule of one action. `C` is the type of the input of the decision. */
export interface PolicyRule<C> {
  readonly allows: (context: C) => boolean;
  /** Name of the missing permission. It completes the error detail "This needs …." */
  readonly missing: string;
  /** Rejected with 403 instead of 404 if the caller can see the subject (HTTP-13). */
  readonly forbids?: true;
  /** Names of the action in the `permissions` of a response. */
  readonly permissions: readonly string[];
}

/** Creates the rule of an action, with its names in the `permissions` of a response. */
export const rule = <C>(
  allows: (context: C) => boolean,
  missing: string,
  ...permissions: readonly string[]
): PolicyRule<C> => ({ allows, missing, permissions });

/**
 * Decision on a request. `conceal` is a 404, as if the subject did not exist; its detail is only for callers who can see
 * the subject. `forbid` is a 403.
 */
export type Decision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'forbid'; readonly detail: string }
  | { readonly kind: 'conceal'; readonly detail?: string };

/** Decides on the actions of one table. */
export interface Policy<C, A extends string> {
  readonly decide: (context: C, action: A) => Decision;
  readonly allows: (context: C, action: A) => boolean;
  /** @throws DomainError 404, or 403 for an action that forbids. */
  readonly require: (context: C, action: A) => void;
  /** Creates the 404 for callers who can see the subject but lack the permission. */
  readonly lacking: (action: A) => DomainError;
  /** Names of all permissions that responses show. */
  readonly permissionNames: readonly string[];
  /** Builds the `permissions` of a response for this caller. */
  readonly permissions: (context: C) => Record<string, boolean>;
}

/**
 * Creates a policy from a table of rules.
 * @param isVisible whether the caller can see the subject; if not, every rejection is a 404 without a detail.
 * @param levels contexts of callers with an access level, in ascending order. A detail names the lowest one that suffices.
 * @example
 * const policy = createPolicy<Rights, 'project.read'>(
 *   { 'project.read': rule(canRead, 'read access', 'can-read') },
 *   canRead,
 * );
 * policy.require(rights, 'project.read');
 */
export const createPolicy = <C, A extends string>(
  rules: Readonly<Record<A, PolicyRule<C>>>,
  isVisible: (context: C) => boolean,
  levels: Readonly<Record<string, C>> = {},
): Policy<C, A> => {
  const detailOf = (action: A): string => {
    const { allows, missing } = rules[action];
    const [level] = Object.entries(levels).find(([, context]) => allows(context)) ?? [];
    const isNamed = level === undefined || missing.startsWith(`${level} access`);
    return `This needs ${missing}${isNamed ? '' : ` (${level} access or higher)`}.`;
  };
  const decide = (context: C, action: A): Decision => {
    if (rules[action].allows(context)) return { kind: 'allow' };
    if (!isVisible(context)) return { kind: 'conceal' };
    return { kind: rules[action].forbids ? 'forbid' : 'conceal', detail: detailOf(action) };
  };
  const named = Object.values<PolicyRule<C>>(rules).flatMap(({ permissions, allows }) =>
    permissions.map((name) => ({ name, allows })),
  );
  return {
    decide,
    allows: (context, action) => rules[action].allows(context),
    require: (context, action) => {
      const decision = decide(context, action);
      if (decision.kind === 'forbid') throw new DomainError('forbidden', decision.detail);
      if (decision.kind === 'conceal') throw concealed(decision.detail);
    },
    lacking: (action) => concealed(detailOf(action)),
    permissionNames: named.map(({ name }) => name),
    permissions: (context) => {
      const permissions: Record<string, boolean> = {};
      for (const { name, allows } of named) permissions[name] = allows(context);
      return permissions;
    },
  };
};
