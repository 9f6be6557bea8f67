import type { GroupMapping } from '../sessions.ts';
import type { Effect } from './plan.ts';

/** Plans the mapping of a group at identity providers to a new team. Null, an empty text and undefined are no group. */
export const mapGroup = (
  { organization, team }: Omit<GroupMapping, 'group'>,
  group: string | null | undefined,
): Effect[] => (group ? [{ kind: 'map-group', mapping: { group, organization, team } }] : []);

/** Plans the end of the mapping of a group to a team. */
export const unmapGroup = (
  { organization, team }: Omit<GroupMapping, 'group'>,
  group: string | null | undefined,
): Effect[] => (group ? [{ kind: 'unmap-group', mapping: { group, organization, team } }] : []);

/**
 * Plans a change of the group at identity providers whose people are the members of a team (SESSION-7). A group that stays is
 * mapped again, because an earlier release may have stored it without a mapping.
 * @param before the present group.
 * @param after the group in the request; undefined if the request names none.
 */
export const changeMapping = (
  mapped: Omit<GroupMapping, 'group'>,
  before: string | null | undefined,
  after: string | null | undefined,
): Effect[] =>
  after === undefined ? [] : [...(before === after ? [] : unmapGroup(mapped, before)), ...mapGroup(mapped, after)];
