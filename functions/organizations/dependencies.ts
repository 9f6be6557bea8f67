import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';

/** Dependencies of the operations on organizations, memberships, users and tokens. */
export interface OrganizationDependencies extends WithDirectory<Dependencies> {
  /** Whether every user may create organizations, and not only site administrators (ORG-2). */
  readonly usersMayCreateOrganizations: boolean;
}
