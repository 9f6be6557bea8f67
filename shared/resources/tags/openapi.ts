import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, bindingAttributes } from './attributes.ts';

/** A flat tag (TAG-10). */
export const tag = resource('Tag', {
  type: 'tags',
  description: 'A name that groups workspaces. It exists as long as a workspace has it.',
  id: id(prefixes.tag, 'Computed from the organization and the name.'),
  attributes: responseProperties(attributes),
  relationships: { organization: toOne('organizations') },
});

/** A binding of a workspace or a project (TAG-17). */
export const tagBinding = resource('TagBinding', {
  type: 'tag-bindings',
  description: 'A key with a value, or a flat tag, of one workspace or project.',
  id: id(prefixes.tagBinding),
  attributes: responseProperties(bindingAttributes),
  links: { target: path() },
});

export const effectiveTagBinding = resource('EffectiveTagBinding', {
  type: 'effective-tag-bindings',
  description:
    "An effective binding of a workspace: its own, without `links`, or its project's under a key that the workspace does not have.",
  id: id(''),
  attributes: responseProperties(bindingAttributes),
  optionalLinks: { 'inherited-from': path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`) },
});
