import { contentRevision, type Revised } from '../changes/entity-tags.ts';
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

/**
 * Returns the tags of a workspace after a change, if the change overrides no binding of the project whose key is reserved
 * without overrides (TAG-21). Tags that the workspace had before are kept.
 * @param pointer JSON pointer to the list of tags or bindings in the request.
 * @throws DomainError 422 that names the key.
 */
export const withoutOverrides = (
  before: Tags,
  after: Tags,
  { reservedTagKeys = [] }: { readonly reservedTagKeys?: readonly ReservedTagKey[] },
  project: { readonly bindings: Tags },
  pointer: string,
): Tags => {
  const isFixed = (key: string): boolean =>
    reservedTagKeys.some((reserved) => reserved.disableOverrides && reserved.key === key) &&
    project.bindings.some((binding) => binding.key === key);
  const isNew = ({ key, value }: Tags[number]): boolean =>
    !before.some((tag) => tag.key === key && tag.value === value);
  const override = reservedTagKeys.length === 0 ? undefined : after.find((tag) => isNew(tag) && isFixed(tag.key));
  if (override === undefined) return after;
  throw new DomainError(
    'unprocessable',
    `The tag key ${override.key} is reserved, and a workspace cannot override the binding of its project.`,
    { source: { pointer } },
  );
};

/** Returns a reserved tag key as a resource with a revision: its content. */
export const reservedTagKeyAsRevised = ({ id, key, disableOverrides }: ReservedTagKey): Revised => ({
  id,
  revision: contentRevision([key, disableOverrides]),
});
