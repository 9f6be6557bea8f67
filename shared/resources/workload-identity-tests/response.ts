import type { TokenCheck } from '../../domain/workload-identities/check-claims.ts';
import type { Resource } from '../../jsonapi/document.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Result of a test of an identity token. */
interface TestedToken {
  /** Why an exchange would be refused; null if it would succeed. */
  readonly message: string | null;
  readonly checks: readonly TokenCheck[];
}

/** Builds the resource of a test of an identity token (WI-13). @param id id of the workload identity. */
export const workloadIdentityTestResource = (id: string, { message, checks }: TestedToken): Resource => ({
  id,
  type: 'workload-identity-tests',
  attributes: {
    accepted: message === null,
    message,
    checks: checks.map(({ subject, isMet, expected, actual }) => ({ subject, met: isMet, expected, actual })),
  } satisfies ComputedValues<typeof attributes>,
});
