import { computed, computedId } from '../ids.ts';

/**
 * Ids of tags and bindings are not stored, they follow from what they name. `organization` is its external id, so that
 * an organization that takes the name of a deleted one has tags of its own.
 */
export const tagId = (organization: string, name: string): string => computedId('tag', organization, name);

/**
 * `holder` is the id of the workspace or project; neither names nor keys have a slash, so no two texts are the same.
 */
export const bindingId = (organization: string, holder: string, key: string): string =>
  computedId('tagBinding', organization, `${holder}/${key}`);

/** Of a binding that is in force on a workspace, own or inherited; these ids have no prefix (HTTP-10). */
export const effectiveBindingId = (organization: string, workspace: string, key: string): string =>
  computed(organization, `${workspace}/effective/${key}`);
