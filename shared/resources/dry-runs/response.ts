import { isDeepStrictEqual } from 'node:util';
import type { Revised } from '../../domain/changes/entity-tags.ts';
import { isFlat, type Tags, tagNames } from '../../domain/tags/tag.ts';
import { type ErrorObject, REVISED, type Resource } from '../../jsonapi/document.ts';

/** Possible results of a dry run: the request would change the resource, leave it unchanged, delete it, or be rejected. */
export const dryRunOutcomes = ['changed', 'unchanged', 'deleted', 'refused'] as const;
export type DryRunOutcome = (typeof dryRunOutcomes)[number];

/** An attribute or relationship that would change. */
export interface DryRunChange {
  readonly old: unknown;
  readonly new: unknown;
}

interface DryRun {
  readonly outcome: DryRunOutcome;
  /** By the name of the attribute or relationship on the wire. */
  readonly changes?: Readonly<Record<string, DryRunChange>>;
  /** Error that the request would be rejected with. */
  readonly refusal?: ErrorObject;
  /** All that the result depends on, for the entity tag of the response (EDIT-10). */
  readonly revised?: Revised | undefined;
}

/**
 * Builds the resource of a dry run (EDIT-6).
 * @param id id of the request.
 */
export const dryRunResource = (id: string, { outcome, changes = {}, refusal, revised }: DryRun): Resource => ({
  id,
  type: 'dry-runs',
  attributes: { outcome, changes, refusal: refusal ?? null },
  ...(revised && { [REVISED]: revised }),
});

/** Attributes that follow from a change or from the caller. */
const derived = new Set(['updated-at', 'permissions']);

/** Returns the attributes, and the relationships with identifiers, by their names. */
const valuesOf = ({ attributes, relationships = {} }: Resource): Readonly<Record<string, unknown>> => ({
  ...attributes,
  ...Object.fromEntries(
    Object.entries(relationships).flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data]])),
  ),
});

/** Compares two versions of a resource and returns what differs, without the time of the change and the permissions. */
export const compareResources = (before: Resource, after: Resource): Readonly<Record<string, DryRunChange>> => {
  const [old, young] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(young)])].filter(
    (name) => !derived.has(name) && !isDeepStrictEqual(old[name], young[name]),
  );
  return Object.fromEntries(names.map((name) => [name, { old: old[name] ?? null, new: young[name] ?? null }]));
};

/** Returns the bindings with a value, which the resource of a workspace does not show. */
const bindingsOf = (tags: Tags) => tags.filter((tag) => !isFlat(tag)).map(({ key, value }) => ({ key, value }));

/** Compares the tags of a workspace before and after a change: the names of flat ones, and the bindings with a value. */
export const compareTags = (before: Tags, after: Tags): Readonly<Record<string, DryRunChange>> =>
  Object.fromEntries(
    Object.entries({
      'tag-names': { old: tagNames(before), new: tagNames(after) },
      'tag-bindings': { old: bindingsOf(before), new: bindingsOf(after) },
    }).filter(([, change]) => !isDeepStrictEqual(change.old, change.new)),
  );
