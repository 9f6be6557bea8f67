import type { Organization, Project } from '../../domain/directory/records.ts';
import type { EffectiveBinding, Tag } from '../../domain/tags/tag.ts';
import { bindingId, effectiveBindingId, tagId } from '../../domain/tags/tag-ids.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, bindingAttributes } from './attributes.ts';

type Owner = Pick<Organization, 'name' | 'externalId'>;

/** Number of workspaces with a flat tag, and the time at which the first of them received it. */
export interface TagUse {
  readonly count: number;
  readonly since: number;
}

/** Builds the resource of a flat tag (TAG-10). */
export const tagResource = ({ name: owner, externalId }: Owner, name: string, { count, since }: TagUse): Resource => ({
  id: tagId(externalId, name),
  type: 'tags',
  attributes: {
    name,
    'created-at': timestamp(since),
    'instance-count': count,
  } satisfies ComputedValues<typeof attributes>,
  relationships: { organization: toOne('organizations', owner) },
});

/** Builds the attributes of a binding. A flat tag has an empty value, because clients expect a string. */
const bindingValues = ({ key, value = '', at }: Tag): ComputedValues<typeof bindingAttributes> => ({
  key,
  value,
  'created-at': timestamp(at),
});

/** Builds the resource of a binding of a workspace or project; its link `target` is the path of that holder (TAG-17). */
export const bindingResource = (
  { externalId }: Owner,
  holder: { readonly type: 'workspaces' | 'projects'; readonly id: string },
  tag: Tag,
): Resource => ({
  id: bindingId(externalId, holder.id, tag.key),
  type: 'tag-bindings',
  attributes: bindingValues(tag),
  links: { target: `${BASE_PATH}/${holder.type}/${holder.id}` },
});

/** Builds the resource of an effective binding of a workspace or project: its own, or inherited from the project. */
export const effectiveBindingResource = (
  { externalId }: Owner,
  holder: string,
  { inheritedFrom, ...tag }: EffectiveBinding,
): Resource => ({
  id: effectiveBindingId(externalId, holder, tag.key),
  type: 'effective-tag-bindings',
  attributes: bindingValues(tag),
  // Some clients take a binding without `links` as one of the resource itself, others one without the relationship.
  ...(inheritedFrom !== undefined && {
    relationships: { 'inherited-from': toOne('projects', inheritedFrom) },
    links: { 'inherited-from': `${BASE_PATH}/projects/${inheritedFrom}` },
  }),
});

/** Builds the resources of the effective bindings of a project: its own, because it inherits none (PROJECT-8). */
export const effectiveProjectBindings = (
  owner: Owner,
  { id, bindings }: Pick<Project, 'id' | 'bindings'>,
): Resource[] => bindings.map((tag) => effectiveBindingResource(owner, id, tag));
