import { canonicalJson, type Revised } from '../changes/entity-tags.ts';
import { DomainError, invalid } from '../errors.ts';
import { bindingKeyProblem, type Tags } from './tag.ts';

/** A tag key that an organization reserves (TAG-20). Times are milliseconds since the epoch. */
export interface ReservedTagKey {
  /** `rtk-…` */
  readonly id: string;
  readonly key: string;
  /** Whether workspaces must not override the binding of their project with this key. */
  readonly disableOverrides: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Checks a key that is to be reserved. @throws DomainError 422. */
export const checkReservedKey = (key: string): void => {
  const problem = bindingKeyProblem(key);
  if (problem !== undefined) throw invalid('key', `Key is invalid: it ${problem}`);
};

/** The reserved tag keys of an organization. */
interface Reserving {
  readonly reservedTagKeys?: readonly ReservedTagKey[];
}

/**
 * Lists the tags that override a binding of the project whose key is reserved without overrides (TAG-21). A tag with the
 * value of the project overrides nothing.
 */
export const findOverrides = (
  tags: Tags,
  { reservedTagKeys = [] }: Reserving,
  project: { readonly bindings: Tags },
): Tags => {
  const fixed = reservedTagKeys.filter(({ disableOverrides }) => disableOverrides).map(({ key }) => key);
  const differs = ({ key, value }: Tags[number]): boolean =>
    project.bindings.some((binding) => binding.key === key && binding.value !== value);
  return fixed.length === 0 ? [] : tags.filter((tag) => fixed.includes(tag.key) && differs(tag));
};

/**
 * Returns the tags of a workspace after a change, if the change overrides no binding of the project whose key is reserved
 * without overrides (TAG-21).
 * @param before tags that the workspace had in this project, which are kept; none for a workspace that is new there.
 * @param pointer JSON pointer to the list of tags or bindings in the request, or to the move.
 * @throws DomainError 422 that names the key.
 */
export const withoutOverrides = (
  before: Tags,
  after: Tags,
  organization: Reserving,
  project: { readonly bindings: Tags },
  pointer: string,
): Tags => {
  const isNew = ({ key, value }: Tags[number]): boolean =>
    !before.some((tag) => tag.key === key && tag.value === value);
  const override = findOverrides(after, organization, project).find(isNew);
  if (override === undefined) return after;
  throw new DomainError(
    'unprocessable',
    `The tag key ${override.key} is reserved, and a workspace cannot override the binding of its project. Leave it out, or use the value that the project has.`,
    { source: { pointer } },
  );
};

/** Returns a reserved tag key as a resource with a revision: its content. */
export const reservedTagKeyAsRevised = ({ id, key, disableOverrides }: ReservedTagKey): Revised => ({
  id,
  revision: canonicalJson([key, disableOverrides]),
});
