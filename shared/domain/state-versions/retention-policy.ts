import { canonicalJson, type Revised } from '../changes/entity-tags.ts';
import { type DomainError, notFound } from '../errors.ts';

/**
 * Types of data retention policies on the wire (RET-4). The third is the older name of the first. A response has the
 * type that the request used.
 */
export const retentionPolicyTypes = [
  'data-retention-policy-delete-olders',
  'data-retention-policy-dont-deletes',
  'data-retention-policies',
] as const;

/** Rule that says how long state versions are kept that are not current. */
export interface RetentionRule {
  readonly type: (typeof retentionPolicyTypes)[number];
  /** Null: nothing is deleted. */
  readonly deleteOlderThanDays: number | null;
}

/** Data retention policy of a workspace, or the default of an organization. */
export interface RetentionPolicy extends RetentionRule {
  /** `drp-…`; does not change when the rule changes. */
  readonly id: string;
}

/** Returns a policy as a resource with a revision: its rule. */
export const policyAsRevised = ({ id, type, deleteOlderThanDays }: RetentionPolicy): Revised => ({
  id,
  revision: canonicalJson([type, deleteOlderThanDays]),
});

/**
 * Sets the rule of a policy (RET-2).
 * @param id id for a policy that does not exist yet.
 */
export const withRule = (policy: RetentionPolicy | undefined, rule: RetentionRule, id: string): RetentionPolicy => ({
  id: policy?.id ?? id,
  ...rule,
});

/** Creates the 404 error for a missing policy (RET-1). */
export const noRetentionPolicy = (): DomainError => notFound('There is no data retention policy.');

const DAY = 86_400_000;

/**
 * Computes the creation time from which state versions are kept (RET-7). The policy of the workspace applies, else the
 * default of the organization.
 * @returns milliseconds since the epoch; undefined if all versions are kept.
 */
export const retainedFrom = (
  { retentionPolicy: own }: { readonly retentionPolicy?: RetentionPolicy },
  organizationDefault: RetentionPolicy | undefined,
  now: number,
): number | undefined => {
  const days = (own ?? organizationDefault)?.deleteOlderThanDays ?? undefined;
  return days === undefined ? undefined : now - days * DAY;
};
