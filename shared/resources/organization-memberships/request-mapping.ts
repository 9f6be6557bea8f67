import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { MembershipAttributes, attributes as table } from './attributes.ts';

/** The user whom a request adds to an organization. */
interface MembershipRequest {
  readonly username?: string;
  readonly email?: string;
}

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, MembershipRequest> = {
  username: (username) => ({ username }),
  email: (email) => ({ email }),
};

/** Maps the attributes of a request to the user whom it names. An omitted attribute is absent from the result. */
export const membershipRequest = (attributes: MembershipAttributes): MembershipRequest =>
  mapRequest(mappings, attributes);
