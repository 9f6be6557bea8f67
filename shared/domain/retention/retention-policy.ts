/**
 * The kinds of policies, by the types that they have on the wire (RET-4): state versions go after some days, or
 * are never deleted. The third is the first by its older name: who asked with it is answered with it.
 */
export const retentionPolicyTypes = [
  'data-retention-policy-delete-olders',
  'data-retention-policy-dont-deletes',
  'data-retention-policies',
] as const;

/** For how long state versions are kept that are not the current one. */
export interface RetentionRule {
  readonly type: (typeof retentionPolicyTypes)[number];
  /** Null: for ever. */
  readonly deleteOlderThanDays: number | null;
}

export interface RetentionPolicy extends RetentionRule {
  /** `drp-…`; stays when the rule changes. */
  readonly id: string;
}

/** What a policy is once a rule is set; `id` is for one that comes into being with it. */
export const withRule = (policy: RetentionPolicy | undefined, rule: RetentionRule, id: string): RetentionPolicy => ({
  id: policy?.id ?? id,
  ...rule,
});
