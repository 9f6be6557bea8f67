import { computed, computedId } from '../ids.ts';

/**
 * Computes the id of a tag from its name. Ids of tags and bindings are not stored.
 * @param organization external id, so that a new organization with the name of a deleted one has other tag ids.
 */
export const tagId = (organization: string, name: string): string => computedId('tag', organization, name);

/**
 * Computes the id of a tag binding. Neither ids nor keys contain a slash, so different bindings have different ids.
 * @param organization external id.
 * @param holder id of the workspace or project.
 */
export const bindingId = (organization: string, holder: string, key: string): string =>
  computedId('tagBinding', organization, `${holder}/${key}`);

/**
 * Computes the id of an effective tag binding of a workspace. These ids have no prefix (HTTP-10).
 * @param organization external id.
 */
export const effectiveBindingId = (organization: string, workspace: string, key: string): string =>
  computed(organization, `${workspace}/effective/${key}`);
