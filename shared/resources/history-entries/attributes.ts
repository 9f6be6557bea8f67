import { historyActions } from '../../domain/history/history-actions.ts';
import { anything, count, flag, list, nullable, object, oneOf, optional, text, time } from '../../schemas/schema.ts';
import { actorSchema } from '../actor.ts';
import type { AttributeTable } from '../attribute-table.ts';

const change = object({
  attribute: text('Name of the attribute.'),
  member: optional(text('Member of an attribute that is a map: the key of a tag, or the id of a team or variable.')),
  old: anything('Value before the change; null for none. A large value is an object with its length and fingerprint.'),
  new: anything('Value after the change; null for none.'),
  'value-unchanged': optional(
    flag('Whether the change left the value of a sensitive variable the same. Absent if this is not known.'),
  ),
  withheld: optional(flag('True if the caller may not see the values, or a part of them.')),
});

/** The attributes of an entry of the history (HIST-1). */
export const attributes = {
  sequence: { response: count('Number of the change of this resource, from 1 without a gap.', { minimum: 1 }) },
  'created-at': { response: time('When the change was made.') },
  action: { response: oneOf(historyActions, 'Type of the change, as in events.') },
  actor: { response: actorSchema('Who made the change.') },
  'resource-name': { response: nullable(text('Name of the resource at the time of the change.')) },
  'request-id': { response: text('Id of the request.') },
  'bulk-job-id': { response: nullable(text('Id of the bulk job that made the change; null for a single request.')) },
  'token-id': { response: nullable(text('Id of the token; for owners and workspace admins.')) },
  'source-address': { response: nullable(text('IP address of the request; for owners and workspace admins.')) },
  changes: { response: list(change, 'The attributes that changed.') },
  details: { response: anything('Details that the attributes do not show, as in events.') },
} as const satisfies AttributeTable;
