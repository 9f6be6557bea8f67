import type { VariableSetSettings } from '../../domain/variable-sets/variable-set.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { attributes as table, VariableSetAttributes } from './attributes.ts';

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, VariableSetSettings> = {
  name: (name) => ({ name }),
  description: (description) => ({ description: description ?? '' }),
  global: (global) => ({ global }),
  priority: (priority) => ({ priority }),
};

/** Maps the attributes of a request to settings of a variable set. An omitted attribute is absent from the result. */
export const variableSetRequest = (attributes: VariableSetAttributes): Partial<VariableSetSettings> =>
  mapRequest(mappings, attributes);
