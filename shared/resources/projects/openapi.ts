import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toManyLinked, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const project = resource('Project', {
  type: 'projects',
  description: 'A group of workspaces, which inherit from it.',
  id: id(prefixes.project),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    'default-agent-pool': toOneLinked('agent-pools'),
    'tag-bindings': linkOnly,
    'effective-tag-bindings': toManyLinked('effective-tag-bindings'),
  },
  links: { self: path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`) },
});
