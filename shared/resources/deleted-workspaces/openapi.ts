import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const deletedWorkspace = resource('DeletedWorkspace', {
  type: 'deleted-workspaces',
  description: 'A deleted workspace that can be restored. The project may have been deleted as well.',
  id: id(prefixes.workspace),
  attributes: responseProperties(attributes),
  relationships: { organization: toOne('organizations'), project: toOne('projects') },
  links: { self: path(`${BASE_PATH}/deleted-workspaces/ws-2jPTvTDXBPFzPGbT`) },
});
