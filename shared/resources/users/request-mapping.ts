import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { AccountAttributes, attributes as table } from './attributes.ts';

/** Attributes of an account in a request. Absent ones keep their values. */
interface AccountRequest {
  readonly username?: string;
  readonly email?: string;
}

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, AccountRequest> = {
  username: (username) => ({ username }),
  email: (email) => ({ email }),
};

/** Maps the attributes of a request to a change of the account. An omitted attribute is absent from the result. */
export const accountRequest = (attributes: AccountAttributes): AccountRequest => mapRequest(mappings, attributes);
