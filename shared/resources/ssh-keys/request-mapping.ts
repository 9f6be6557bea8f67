import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { SshKeyAttributes, attributes as table } from './attributes.ts';

/** Attributes of an SSH key in a request. */
interface SshKeyRequest {
  readonly name?: string;
  /** The private key, which must be encrypted before it is stored. */
  readonly value?: string;
}

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, SshKeyRequest> = {
  name: (name) => ({ name }),
  value: (value) => ({ value }),
};

/** Maps the attributes of a request to the attributes of an SSH key. An omitted attribute is absent from the result. */
export const sshKeyRequest = (attributes: SshKeyAttributes): SshKeyRequest => mapRequest(mappings, attributes);
