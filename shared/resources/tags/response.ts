import type { Organization } from '../../domain/directory/records.ts';
import type { EffectiveBinding, Tag } from '../../domain/tags/tag.ts';
import { bindingId, effectiveBindingId, tagId } from '../../domain/tags/tag-ids.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, bindingAttributes } from './attributes.ts';

type Owner = Pick<Organization, 'name' | 'externalId'>;

/** How many workspaces have a flat tag, and since when the first of them has had it. */
export interface TagUse {
  readonly count: number;
  readonly since: number;
}

/** A flat tag, the same wherever it is shown (TAG-10). */
export const tagResource = ({ name: owner, externalId }: Owner, name: string, { count, since }: TagUse): Resource => {
  const values: ComputedValues<typeof attributes> = {
    name,
    'created-at': timestamp(since),
    'instance-count': count,
  };
  return {
    id: tagId(externalId, name),
    type: 'tags',
    attributes: values,
    relationships: { organization: toOne('organizations', owner) },
  };
};

/** A tag is shown with an empty value: clients take a value for a text. */
const bindingValues = ({ key, value = '', at }: Tag): ComputedValues<typeof bindingAttributes> => ({
  key,
  value,
  'created-at': timestamp(at),
});

/** A binding of a workspace or a project, as `target` says where (TAG-17). */
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

/** A binding that is in force on a workspace, its own or its project's. */
export const effectiveBindingResource = (
  { externalId }: Owner,
  workspace: string,
  { inheritedFrom, ...tag }: EffectiveBinding,
): Resource => ({
  id: effectiveBindingId(externalId, workspace, tag.key),
  type: 'effective-tag-bindings',
  attributes: bindingValues(tag),
  links: inheritedFrom === undefined ? {} : { 'inherited-from': `${BASE_PATH}/projects/${inheritedFrom}` },
});
