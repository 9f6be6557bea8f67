import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';
import type { Sessions } from '../../shared/store/directory/sign-in/sessions.ts';

/** Dependencies of the operations on organizations, memberships, users, sessions and tokens. */
export interface OrganizationDependencies extends WithDirectory<Dependencies> {
  readonly sessions: Sessions;
  /** Whether every user may create organizations, and not only site administrators (ORG-2). */
  readonly usersMayCreateOrganizations: boolean;
  /** Days for which a sign-in counts where an organization requires one (POLICY-1). */
  readonly freshnessDays: number;
}
