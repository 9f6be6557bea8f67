import type { Organization, OrganizationSettings } from '../../domain/directory/records.ts';
import { mapRequest, type RequestMappings, readSettings } from '../attribute-table.ts';
import { type OrganizationAttributes, attributes as table } from './attributes.ts';

/** Attributes of an organization in a request. Absent ones keep their values. */
interface OrganizationRequest
  extends Partial<Pick<Organization, 'name' | 'email' | 'defaultExecutionMode'>>,
    Partial<OrganizationSettings> {
  /** Username of the first owner. */
  readonly owner?: string;
  readonly assessmentsEnforced?: boolean | null;
  /** Id of the pool; null or empty: none. */
  readonly defaultAgentPool?: string | null;
}

/** Maps the attributes that have rules. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, OrganizationRequest> = {
  name: (name) => ({ name }),
  email: (email) => ({ email }),
  owner: (owner) => ({ owner }),
  'default-execution-mode': (defaultExecutionMode) => ({ defaultExecutionMode }),
  'default-agent-pool-id': (defaultAgentPool) => ({ defaultAgentPool }),
  'assessments-enforced': (assessmentsEnforced) => ({ assessmentsEnforced }),
};

/** Maps the attributes of a request to a change of an organization. An omitted attribute is absent from the result. */
export const organizationRequest = (attributes: OrganizationAttributes): OrganizationRequest => ({
  ...readSettings(table, attributes),
  ...mapRequest(mappings, attributes),
});
