import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { AgentPoolAttributes, attributes as table } from './attributes.ts';

/** Attributes of an agent pool in a request. */
interface AgentPoolRequest {
  readonly name?: string;
}

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, AgentPoolRequest> = { name: (name) => ({ name }) };

/** Maps the attributes of a request to those of an agent pool. An omitted attribute is absent from the result. */
export const agentPoolRequest = (attributes: AgentPoolAttributes): AgentPoolRequest => mapRequest(mappings, attributes);
