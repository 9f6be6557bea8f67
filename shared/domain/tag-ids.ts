import { createHmac } from 'node:crypto';
import { BASE58, prefixes } from './ids.ts';

/**
 * Ids of tags and bindings are not stored, they follow from what they name: the same whoever computes them, and another
 * in every organization. `organization` is its external id, so that an organization that takes the name of a deleted
 * one has tags of its own.
 */
const computed = (organization: string, text: string): string => {
  const base = BigInt(BASE58.length);
  let number = BigInt(`0x${createHmac('sha256', organization).update(text).digest('hex')}`);
  let id = '';
  for (let length = 0; length < 16; length++) {
    id += BASE58[Number(number % base)];
    number /= base;
  }
  return id;
};

export const tagId = (organization: string, name: string): string => prefixes.tag + computed(organization, name);

/** `holder` is the id of the workspace or project; neither names nor keys have a slash, so no two texts are the same. */
export const bindingId = (organization: string, holder: string, key: string): string =>
  prefixes.tagBinding + computed(organization, `${holder}/${key}`);

/** Of a binding that is in force on a workspace, own or inherited; these ids have no prefix (contract 1.9). */
export const effectiveBindingId = (organization: string, workspace: string, key: string): string =>
  computed(organization, `${workspace}/effective/${key}`);
