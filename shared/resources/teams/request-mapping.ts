import type { TeamSettings } from '../../domain/directory/records.ts';
import { mapRequest, type RequestMappings, readSettings } from '../attribute-table.ts';
import { type TeamAttributes, attributes as table } from './attributes.ts';

/** Attributes of a team in a request. Absent ones keep their values. */
interface TeamRequest extends Partial<TeamSettings> {
  readonly name?: string;
  /** The organization permissions that change: true grants one, false revokes it. */
  readonly organizationAccess?: NonNullable<TeamAttributes['organization-access']>;
}

/** Maps the attributes that have rules. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, TeamRequest> = {
  name: (name) => ({ name }),
  'organization-access': (organizationAccess) => ({ organizationAccess }),
};

/** Maps the attributes of a request to a change of a team. An omitted attribute is absent from the result. */
export const teamRequest = (attributes: TeamAttributes): TeamRequest => ({
  ...readSettings(table, attributes),
  ...mapRequest(mappings, attributes),
});
