import type { RetentionPolicy } from '../../domain/state-versions/retention-policy.ts';
import { type Document, type Relationship, type ResourceIdentifier, toOne } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

const linkOf = ({ type, id }: ResourceIdentifier): string =>
  `${BASE_PATH}/${type}/${id}/relationships/data-retention-policy`;

const daysValues = (days: number): ComputedValues<typeof attributes> => ({ 'delete-older-than-n-days': days });

/** A policy of a workspace, or of an organization for all that have none (RET-1, RET-4). */
export const retentionPolicyDocument = (
  { id, type, deleteOlderThanDays }: RetentionPolicy,
  target: ResourceIdentifier,
): Document => ({
  data: {
    id,
    type,
    attributes: deleteOlderThanDays === null ? {} : daysValues(deleteOlderThanDays),
    relationships: { target: { data: target } },
    links: { self: linkOf(target) },
  },
});

/** What a workspace or an organization shows of its own policy: clients look here whether there is one. */
export const retentionRelationship = (policy: RetentionPolicy | undefined, target: ResourceIdentifier): Relationship =>
  policy === undefined ? { data: null } : toOne(policy.type, policy.id, linkOf(target));
