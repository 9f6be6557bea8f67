import { authorizeAuditTrail } from '../../shared/access/authorize/audit-trail.ts';
import type { HistoryEntry } from '../../shared/domain/history/history-entry.ts';
import { type Operation, PlainDocument } from '../../shared/http/operation.ts';
import { readPage } from '../../shared/jsonapi/pagination.ts';
import { timestamp } from '../../shared/lib/clock.ts';
import { readTime } from './filters.ts';
import type { TrailDependencies } from './organization-trail.ts';

/** Number of entries on a page if the request does not state it, and the largest one. */
const PAGE_SIZE = 1_000;

/** Actions whose name in the audit trail of the original differs from the last part of the type of the change. */
const actions: Readonly<Record<string, string>> = {
  created: 'create',
  updated: 'update',
  deleted: 'destroy',
  revoked: 'destroy',
  locked: 'lock',
  unlocked: 'unlock',
  'force-unlocked': 'force_unlock',
  moved: 'move',
};

/** Kinds of resources that the original names in another way. */
const kinds: Readonly<Record<string, string>> = {
  token: 'authentication_token',
  'vcs-connection': 'oauth_client',
  'app-installation': 'github_app_installation',
  'variable-set': 'varset',
  variable: 'var',
};

const snakeCase = (text: string): string => text.replaceAll('-', '_');

/**
 * Returns what a change was about, and what was done: `workspace.variable-created` is the creation of a variable, while
 * `workspace.tags-changed` is an action on the workspace.
 */
const describe = ({ type, resource, details }: HistoryEntry) => {
  const [kind = '', change = ''] = type.split('.');
  const { variable, reservedTagKey, stateVersion, team } = details;
  const [, part = '', verb = ''] = /^(variable|reserved-tag-key|state-version)-(\w+)$/.exec(change) ?? [];
  const parts: Readonly<Record<string, string | undefined>> = {
    variable: variable?.id,
    'reserved-tag-key': reservedTagKey?.id,
    'state-version': stateVersion?.id,
  };
  const id = parts[part];
  const subject = id === undefined ? { id: resource.id, kind, verb: change } : { id, kind: part, verb };
  const isAccess = change === 'access-changed' && team !== undefined;
  const access = team?.access === null ? 'remove_team' : 'update_team_permissions';
  return {
    id: subject.id,
    type: kinds[subject.kind] ?? snakeCase(subject.kind),
    action: isAccess ? access : (actions[subject.verb] ?? snakeCase(subject.verb)),
  };
};

/** Builds an entry in the form of the original, without values: names of attributes only. */
const originalEntry = (entry: HistoryEntry, organizationId: string) => {
  const { id, at, actor, request, type, sequence, changes } = entry;
  return {
    id,
    version: '0',
    type: 'Resource',
    timestamp: timestamp(at),
    auth: {
      accessor_id: actor.id,
      description: actor.name ?? actor.id,
      type: actor.kind === 'service' ? 'System' : 'Client',
      impersonator_id: null,
      organization_id: organizationId,
    },
    request: { id: request },
    resource: {
      ...describe(entry),
      meta: { event: type, sequence, changed: [...new Set(changes.map(({ attribute }) => attribute))] },
    },
  };
};

/**
 * `GET /organization/audit-trail` (HIST-13): the audit trail of the organization of the token, in the form of the
 * original.
 */
export const listOriginalTrail: Operation<'audit-trail.list', TrailDependencies> = async (
  { digest, query },
  { store, trail },
) => {
  const since = readTime(query, 'since');
  const page = readPage(query, PAGE_SIZE, PAGE_SIZE);
  const { name, externalId } = await authorizeAuditTrail(store, digest);
  const { entries, total } = await trail.findNumberedPage(name, since, page);
  const pages = Math.max(1, Math.ceil(total / page.size));
  return new PlainDocument({
    data: entries.map(({ entry }) => originalEntry(entry, externalId)),
    pagination: {
      current_page: page.number,
      prev_page: page.number > 1 ? Math.min(page.number - 1, pages) : null,
      next_page: page.number < pages ? page.number + 1 : null,
      total_pages: pages,
      total_count: total,
    },
  });
};
