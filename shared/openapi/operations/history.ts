import { prefixes } from '../../domain/ids.ts';
import { anything, count, exampleId, list, nullable, object, oneOf, text, time } from '../../schemas/schema.ts';
import { LARGE } from '../errors.ts';
import { cursorPage, type Group, plain } from '../operation.ts';
import { historyEntry } from '../resources.ts';

const query = {
  'filter[since]': time('Only changes at this time or later.'),
  'filter[until]': time('Only changes at this time or earlier.'),
  'filter[action]': text(
    'Comma-separated actions: the values of `action` in `HistoryEntry`, such as `workspace.deleted`.',
    { examples: ['workspace.locked,workspace.unlocked'] },
  ),
  'filter[actor]': text('Comma-separated ids of users, teams, runs or services: the `id` of `actor`, not the name.', {
    examples: [exampleId(prefixes.user)],
  }),
};

const originalEntry = object({
  id: text('Id of the change, as in events.'),
  version: oneOf(['0']),
  type: oneOf(['Resource']),
  timestamp: time('When the change was made.'),
  auth: object({
    accessor_id: text('Id of the user, team, organization, run or service.'),
    description: text('Name at the time of the change.'),
    // Not an enumeration: generated Go clients would name one of its constants `Client`, like their own type.
    type: text('`Client`, or `System` if the change was made by a service.', { examples: ['Client'] }),
    impersonator_id: nullable(text('Always null.')),
    organization_id: text(undefined, { examples: ['org-4Bqc3EwJrwSFVBbN'] }),
  }),
  request: object({ id: text('Id of the request.') }),
  resource: object({
    id: text(),
    type: text(undefined, { examples: ['workspace'] }),
    action: text(undefined, { examples: ['lock'] }),
    meta: anything('Type of the change as in events, its sequence, and the names of the changed attributes.'),
  }),
});

const originalTrail = object({
  data: list(originalEntry, 'The newest change first.'),
  pagination: object({
    current_page: count(),
    prev_page: nullable(count()),
    next_page: nullable(count()),
    total_pages: count(),
    total_count: count('At most 10,000.'),
  }),
});

export const history = {
  name: 'History',
  description: 'Who changed what, from which value to which.',
  operations: {
    'workspaces.history': {
      summary: 'List the changes of a workspace',
      description:
        'Returns the newest change first. Each entry is reduced to what the caller may see now. A page can have fewer entries than requested, even none, and still a next page.',
      rule: 'HIST-8',
      query,
      response: cursorPage(historyEntry),
    },
    'organizations.audit-trail': {
      summary: 'List the changes in an organization',
      description:
        'Returns the changes of the organization and of everything in it, the newest first, for owners and for teams with the permission `read-audit-trail`. Each entry is reduced to what the caller may see now. A page can have fewer entries than requested, even none, and still a next page.',
      rule: 'HIST-12',
      query,
      response: cursorPage(historyEntry),
    },
    'audit-trail.list': {
      summary: 'List the changes in an organization, in the form of HCP Terraform',
      description: 'Only the token of the audit trails of an organization is accepted. The body is plain JSON.',
      rule: 'HIST-13',
      query: {
        since: time('Only changes at this time or later.'),
        'page[number]': count('Number of the page, from 1.', { minimum: 1 }),
        'page[size]': count('Number of entries on a page; 1,000 by default and at most.', { minimum: 1 }),
      },
      errors: { 404: 'The token is not that of the audit trails of an organization.', 422: LARGE },
      response: plain('The audit trail.', originalTrail),
    },
  },
} satisfies Group;
