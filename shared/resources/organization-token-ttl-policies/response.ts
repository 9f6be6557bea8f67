import type { Organization } from '../../domain/directory/records.ts';
import {
  DEFAULT_MAX_TTL,
  type LimitedTokenType,
  limitedTokenTypes,
  type TokenTtlPolicy,
} from '../../domain/directory/token-ttl-policies.ts';
import { computedId } from '../../domain/ids.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** A limit of an organization, also one that it has not set. */
interface Row extends TokenTtlPolicy {
  readonly type: LimitedTokenType;
  readonly organization: Pick<Organization, 'externalId' | 'createdAt'>;
}

/** Lists the limits of an organization, one for each type of tokens, in a fixed order. */
export const tokenTtlPolicyRows = (
  organization: Row['organization'] & Pick<Organization, 'tokenTtlPolicies'>,
): readonly Row[] =>
  limitedTokenTypes.map((type) => ({
    maxTtlMs: DEFAULT_MAX_TTL,
    updatedAt: organization.createdAt,
    ...organization.tokenTtlPolicies?.[type],
    type,
    organization,
  }));

/** Builds the resource of a limit. The limits exist as long as their organization. */
export const tokenTtlPolicyResource = ({ type, maxTtlMs, updatedAt, organization }: Row): Resource => {
  const values: ComputedValues<typeof attributes> = {
    'token-type': type,
    'max-ttl-ms': maxTtlMs,
    'created-at': timestamp(organization.createdAt),
    'updated-at': timestamp(updatedAt),
  };
  const id = computedId('tokenTtlPolicy', organization.externalId, type);
  return { id, type: 'organization-token-ttl-policies', attributes: values };
};
