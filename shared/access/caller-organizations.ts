import type { Caller, CallerMembership, Organization, Principal } from '../domain/directory/records.ts';
import { belongsTo } from './rights.ts';

/** Reads of the memberships of users; the store provides them. */
export interface MembershipReader {
  readonly identities: {
    /** Finds the memberships of a user by the names of the organizations that the user belongs to. */
    readonly findMemberships: (user: string, consistent: boolean) => Promise<ReadonlyMap<string, CallerMembership>>;
  };
}

interface Reader extends MembershipReader {
  readonly organizations: { readonly findAll: (names: readonly string[]) => Promise<readonly Organization[]> };
}

export interface Belonging {
  readonly organization: Organization;
  readonly caller: Caller;
}

/** Finds the organizations that a principal belongs to, with the caller in each of them. */
export const organizationsOf = async (reader: Reader, principal: Principal): Promise<readonly Belonging[]> => {
  switch (principal.kind) {
    case 'user': {
      const memberships = await reader.identities.findMemberships(principal.id, false);
      const organizations = await reader.organizations.findAll([...memberships.keys()]);
      return organizations
        .map((organization) => ({
          organization,
          caller: { principal, teams: [], member: true, ...memberships.get(organization.name) },
        }))
        .filter(({ organization, caller }) => belongsTo(caller, organization));
    }
    case 'team':
    case 'organization': {
      const organizations = await reader.organizations.findAll([principal.organization]);
      const teams = principal.kind === 'team' ? [principal.id] : [];
      return organizations.map((organization) => ({ organization, caller: { principal, teams } }));
    }
    case 'site':
    case 'run':
      return [];
  }
};
