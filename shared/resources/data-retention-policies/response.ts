import { policyAsRevised, type RetentionPolicy } from '../../domain/state-versions/retention-policy.ts';
import { type Document, REVISED, type Relationship, type ResourceIdentifier, toOne } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

const linkOf = ({ type, id }: ResourceIdentifier): string =>
  `${BASE_PATH}/${type}/${id}/relationships/data-retention-policy`;

const daysValues = (days: number): ComputedValues<typeof attributes> => ({ 'delete-older-than-n-days': days });

/** Builds the document of the policy of a workspace, or of the default policy of an organization (RET-1, RET-4). */
export const retentionPolicyDocument = (policy: RetentionPolicy, target: ResourceIdentifier): Document => {
  const { id, type, deleteOlderThanDays } = policy;
  return {
    data: {
      id,
      [REVISED]: policyAsRevised(policy),
      type,
      attributes: deleteOlderThanDays === null ? {} : daysValues(deleteOlderThanDays),
      relationships: { target: { data: target } },
      links: { self: linkOf(target) },
    },
  };
};

/** Builds the relationship to the own policy of a workspace or organization. Clients check here whether there is one. */
export const retentionRelationship = (policy: RetentionPolicy | undefined, target: ResourceIdentifier): Relationship =>
  policy === undefined ? { data: null } : toOne(policy.type, policy.id, linkOf(target));
