import { expandChange, isPlainObject, withoutRepetitions } from '../../../shared/client/compare.ts';
import { type HistoryEntry, type HistoryFilter, listAuditTrail, listHistory } from '../../../shared/client/history.ts';
import type { ApiRequest } from '../../../shared/client/request.ts';
import { timestamp } from '../../../shared/lib/clock.ts';
import { type CursorPage, readByCursor } from '../api.ts';
import { command, type Group } from '../command.ts';
import { usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten, type Json, live, type Row } from '../output/view.ts';
import { count, flag, text, time, type ValuesOf } from '../parameters.ts';
import { workspaceArgument } from './workspace-rows.ts';

const fields = [
  'id',
  'resource-type',
  'resource-id',
  'actor-kind',
  'actor-id',
  'changed',
  ...attributesOf<HistoryEntry>()(
    'sequence',
    'created-at',
    'action',
    'actor',
    'resource-name',
    'request-id',
    'bulk-job-id',
    'token-id',
    'source-address',
    'changes',
    'details',
  ),
];
const historyView = defineView(['created-at', 'action', 'actor', 'changed'], fields);
const auditView = defineView(['created-at', 'action', 'resource-name', 'actor', 'changed'], fields);

/** Members of objects that repeat what other members say. */
const repetitions: readonly string[] = ['id', 'kind', 'holder', 'lease-seconds'];

const isEmpty = (value: unknown): boolean =>
  (value ?? '') === '' || value === false || (Array.isArray(value) && value.length === 0);

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Describes what a change has changed, with the values before and after. Secrets and withheld values have only a name. */
const describeChange = ({
  attribute,
  member,
  old,
  new: current,
}: HistoryEntry['attributes']['changes'][number]): readonly string[] => {
  const present = [current, old].find(isPlainObject) ?? {};
  const name = member === undefined ? attribute : `${attribute} ${present['key'] ?? member}`;
  const parts = withoutRepetitions(expandChange({ name, old, new: current })).filter(
    (part) => !repetitions.includes(part.name.slice(name.length + 1)) && !(isEmpty(part.old) && isEmpty(part.new)),
  );
  if (parts.length > 0) return parts.map((part) => `${part.name}: ${show(part.old)} → ${show(part.new)}`);
  return old === null && current === null ? [name] : [];
};

const toRow = (entry: HistoryEntry): Row => {
  const { actor, changes, details } = entry.attributes;
  const { reason, stateVersion } = details as {
    readonly reason?: unknown;
    readonly stateVersion?: { readonly serial?: number; readonly rolledBackTo?: string };
  };
  return {
    ...(flatten(entry) as Row),
    'resource-type': entry.relationships.resource.data.type,
    actor: actor.name,
    'actor-kind': actor.kind,
    'actor-id': actor.id,
    changed: [
      ...changes.flatMap(describeChange),
      // A lock that is released by force has no other place for the reason, and a rollback none for the version that it copied.
      ...(typeof reason === 'string' ? [`reason: ${reason}`] : []),
      ...(stateVersion?.rolledBackTo
        ? [`rolled back to: ${stateVersion.rolledBackTo}, serial ${stateVersion.serial}`]
        : []),
    ],
    changes: changes as readonly unknown[] as Json,
  };
};

const flags = {
  since: time('Only entries from this time on: 1d (a day ago), 2026-11-22 or 2026-11-22T08:00:00Z.'),
  until: time('Only entries up to this time.'),
  action: text('Only these actions, such as workspace.locked, separated by commas.', 'ACTION'),
  actor: text('Only changes by these users, teams or runs, separated by commas.', 'ID'),
  limit: count('Print at most so many.'),
  follow: flag(
    'Print new entries as they are written, the oldest first, until Ctrl-C. --json then prints one object in each line.',
  ),
};

/** Describes the request of one page of a history. */
type PageRequest = (
  filter: HistoryFilter,
  after: string | undefined,
  size: number,
) => ApiRequest<CursorPage<HistoryEntry>>;

/** Reads the entries of a history, newest first. */
const read = ({ api }: Invocation, request: PageRequest, filter: HistoryFilter): AsyncGenerator<HistoryEntry> =>
  readByCursor(api.send, (after) => request(filter, after, 100));

const timeOf = ({ attributes }: HistoryEntry): number => Date.parse(attributes['created-at']);

/** Time for which an entry can appear after later ones, because entries are written after the changes, in milliseconds. */
const LATEST = 600_000;
/** Time between two requests, in milliseconds. */
const PAUSE = 5_000;

/**
 * Reads the entries that are written from now on, oldest first. Each request reads the last minutes again, because a late entry has a
 * place among former ones.
 * @param since earliest time of an entry; undefined reads only new ones.
 */
async function* follow(
  invocation: Invocation,
  request: PageRequest,
  filter: HistoryFilter,
  since: number | undefined,
): AsyncGenerator<HistoryEntry> {
  const { io, api } = invocation;
  const known = new Map<string, number>();
  let from = since;
  let latest = 0;
  let isShown = since !== undefined;
  if (from === undefined) {
    const [newest] = (await api.send(request({ ...filter, 'filter[action]': '', 'filter[actor]': '' }, undefined, 1)))
      .document.data;
    // The clock of the service decides, not that of this computer.
    if (newest !== undefined) from = timeOf(newest) - LATEST;
  }
  for (;;) {
    const fresh: HistoryEntry[] = [];
    const window = from === undefined ? filter : { ...filter, 'filter[since]': timestamp(from) };
    for await (const entry of read(invocation, request, window)) if (!known.has(entry.id)) fresh.push(entry);
    for (const entry of fresh.reverse()) {
      known.set(entry.id, timeOf(entry));
      latest = Math.max(latest, timeOf(entry));
      if (isShown) yield entry;
    }
    isShown = true;
    if (latest > 0) from = Math.max(from ?? 0, latest - LATEST);
    for (const [id, at] of known) if (at < (from ?? 0)) known.delete(id);
    await io.wait(PAUSE, io.signal);
  }
}

/** Lists or follows a history. */
async function* list(
  invocation: Invocation,
  request: PageRequest,
  {
    since,
    until,
    action = '',
    actor = '',
    limit = Number.POSITIVE_INFINITY,
    follow: isFollowed,
  }: ValuesOf<typeof flags>,
): AsyncGenerator<Row> {
  if (isFollowed && until !== undefined) throw usageError('--follow and --until exclude each other.');
  const filter: HistoryFilter = {
    'filter[since]': since === undefined ? '' : timestamp(since),
    'filter[until]': until === undefined ? '' : timestamp(until),
    'filter[action]': action,
    'filter[actor]': actor,
  };
  const entries = isFollowed ? follow(invocation, request, filter, since) : read(invocation, request, filter);
  if (isFollowed) yield live;
  let printed = 0;
  for await (const entry of entries) {
    yield toRow(entry);
    printed += 1;
    if (printed === limit) break;
  }
}

/** The history of a workspace (docs/concepts/history.md). */
export const workspaceHistoryCommand = command({
  name: 'ws history',
  summary: 'List the changes of a workspace, the newest first',
  description: 'The columns "actor" and "changed" say who changed what. Values of secrets are not part of it.',
  arguments: { workspace: workspaceArgument },
  flags,
  routes: ['workspaces.show-by-name', 'workspaces.show', 'workspaces.history'],
  result: { kind: 'list', view: historyView },
  examples: [
    'ws history network --since 7d',
    'ws history network --action workspace.locked,workspace.unlocked --limit 10',
  ],
  async *run(invocation, args, values) {
    const { id } = await invocation.workspace(args.workspace);
    yield* list(invocation, (filter, after, size) => listHistory(id, filter, after, size), values);
  },
});

/** The audit trail of an organization (docs/concepts/history.md). */
export const auditCommands: Group = {
  title: 'Audit trail',
  commands: [
    command({
      name: 'audit list',
      summary: 'List the audit trail of an organization, the newest entry first',
      description: 'Only owners and teams with permission to read the audit trail can do it.',
      flags,
      routes: ['organizations.audit-trail'],
      result: { kind: 'list', view: auditView },
      examples: [
        'audit list --since 1d --json',
        'audit list --follow',
        'audit list --action token.first-used --since 30d',
      ],
      async *run(invocation, _, values) {
        const name = await invocation.organization();
        yield* list(invocation, (filter, after, size) => listAuditTrail(name, filter, after, size), values);
      },
    }),
  ],
};
