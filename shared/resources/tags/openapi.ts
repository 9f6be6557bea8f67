import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { count, id, optional, path, text, time } from '../../schemas/schema.ts';

/** A flat tag (TAG-10). */
export const tag = resource('Tag', {
  type: 'tags',
  description: 'A name that workspaces are grouped and found by. It is there for as long as a workspace has it.',
  id: id(prefixes.tag, 'Computed from the name; another one in every organization.'),
  attributes: {
    name: text(undefined, { examples: ['network'] }),
    'created-at': time('Since when the first of the workspaces that have it has had it.'),
    'instance-count': count('How many workspaces of the organization have it.', { minimum: 1 }),
  },
  relationships: { organization: toOne('organizations') },
});

const attributes = {
  key: text(undefined, { examples: ['env'] }),
  value: text('Empty for a flat tag.', { examples: ['prod'] }),
  'created-at': time('When the key came.'),
};

/** A binding of a workspace or a project (TAG-17). */
export const tagBinding = resource('TagBinding', {
  type: 'tag-bindings',
  description: 'A key with a value, or a flat tag, of one workspace or project.',
  id: id(prefixes.tagBinding),
  attributes,
  links: { target: path() },
});

export const effectiveTagBinding = resource('EffectiveTagBinding', {
  type: 'effective-tag-bindings',
  description: "A tag or binding in force on a workspace: its own, or its project's under a key that it does not have.",
  id: id(''),
  attributes,
  links: { 'inherited-from': optional(path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`)) },
});
