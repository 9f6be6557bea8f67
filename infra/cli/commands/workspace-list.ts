import type { Workspace } from '../../../shared/client/types.ts';
import type { WorkspaceFilter, WorkspaceListQuery } from '../../../shared/client/workspaces.ts';
import { now, timestamp } from '../../../shared/lib/clock.ts';
import { command } from '../command.ts';
import { everyOf } from '../every-of.ts';
import { usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import type { Row } from '../output/view.ts';
import { choice, count, duration, filter, filters, time, truth, type ValuesOf } from '../parameters.ts';
import { projects } from './project-rows.ts';
import { toTagQuery } from './tags.ts';
import { listWorkspaces, rowIncludes, toWorkspaceRow, workspaceView } from './workspace-rows.ts';

const orders = everyOf<NonNullable<WorkspaceListQuery['sort']>>()(
  'name',
  '-name',
  'latest-change-at',
  '-latest-change-at',
  'current-run.created-at',
  '-current-run.created-at',
  'locked-at',
  '-locked-at',
);

/** The flags that narrow a list of workspaces. */
export const filterFlags = {
  search: filter('Only names that contain this text.', 'TEXT'),
  name: filter('Only names that match this pattern. * matches any text.', 'PATTERN'),
  project: filter('Only of this project.', 'NAME', projects.argument.complete),
  tag: filters('Only with this tag, also inherited from the project.', 'KEY[=VALUE]'),
  'without-tag': filters('Only without this tag of their own.', 'KEY'),
  locked: truth('Only locked or only unlocked ones.'),
  'locked-by': filter('Only locked by this user, team or run.', 'NAME|ID'),
  'locked-since': time('Only locked at this time or later: 1d (a day ago), 2026-11-22 or 2026-11-22T08:00:00Z.'),
  'locked-before': time('Only locked before this time.'),
  'changed-since': time('Only those whose state changed at this time or later.'),
  'changed-before': time('Only those whose state has not changed since this time.'),
  'execution-mode': filter('Only with one of these execution modes, separated by commas.', 'MODE'),
  'infra-version': filter(
    'Only with this version of the infrastructure tool, or one that meets this constraint.',
    'VERSION',
  ),
  'deletion-protection': truth('Only protected or only unprotected ones.'),
  'imported-from': filter('Only imported from this host, or from its id after a slash.', 'HOST[/ID]'),
  'run-status': filter('Only whose current run has one of these statuses, separated by commas.', 'STATUS'),
};

type Filters = ValuesOf<typeof filterFlags>;

const HOLDER_ID = /^(user|team|run)-[1-9A-HJ-NP-Za-km-z]{16}$/;

/** Returns whether locks are found by the name of their holder, which is no filter of the API. */
const isHolderName = ({ 'locked-by': holder }: Filters): boolean => holder !== undefined && !HOLDER_ID.test(holder);

const toTimestamp = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : timestamp(time);

/** Splits the source of an import. The host has no slash, and the id can have some. */
const toSource = (source = '') => {
  const [host = '', ...id] = source.split('/');
  return { 'filter[imported-from][host]': host || undefined, 'filter[imported-from][id]': id.join('/') || undefined };
};

/**
 * Returns the parameters of the API for filters of the user: a filter that is missing is a type error. An absent filter is
 * undefined. `search[tags]` is not offered, because `filter[tagged]` finds inherited tags, too.
 */
const toQuery = (
  flags: Filters,
  project: string | undefined,
): Readonly<
  Record<Exclude<WorkspaceFilter, 'search[tags]' | `filter[tagged]${string}` | 'filter[terraform-version]'>, unknown>
> => ({
  'search[name]': flags.search,
  'search[wildcard-name]': flags.name,
  'search[exclude-tags]': flags['without-tag'].join(',') || undefined,
  'filter[project][id]': project,
  'filter[locked]': flags.locked ?? (isHolderName(flags) || undefined),
  'filter[locked-by][id]': isHolderName(flags) ? undefined : flags['locked-by'],
  'filter[locked-since]': toTimestamp(flags['locked-since']),
  'filter[locked-before]': toTimestamp(flags['locked-before']),
  'filter[changed-since]': toTimestamp(flags['changed-since']),
  'filter[changed-before]': toTimestamp(flags['changed-before']),
  'filter[execution-mode]': flags['execution-mode'],
  'filter[infra-version]': flags['infra-version'],
  'filter[deletion-protection]': flags['deletion-protection'],
  'filter[current-run][status]': flags['run-status'],
  ...toSource(flags['imported-from']),
});

/**
 * Returns the parameters of the API for filters of the user, with the id of the project. `isComplete` is false if the name of a
 * holder of locks remains to be compared.
 */
export const toListQuery = async (
  invocation: Invocation,
  flags: Filters,
  organization: string,
  tags = toTagQuery(flags.tag),
): Promise<{ readonly query: Readonly<Record<string, unknown>>; readonly isComplete: boolean }> => {
  const { project } = flags;
  const id = project === undefined ? undefined : await projects.findId(invocation, project, organization);
  return { query: { ...toQuery(flags, id), ...tags }, isComplete: !isHolderName(flags) };
};

interface ListOptions {
  readonly sort?: WorkspaceListQuery['sort'];
  /** Default: the organization of the command. */
  readonly organization?: string;
}

/** Lists the workspaces that match the filters, with their rows. */
export async function* listFiltered(
  invocation: Invocation,
  flags: Filters,
  { sort, organization }: ListOptions = {},
): AsyncGenerator<{ readonly workspace: Workspace; readonly row: Row }> {
  const tags = toTagQuery(flags.tag);
  const owner = organization ?? (await invocation.organization());
  const filters = await toListQuery(invocation, flags, owner, tags);
  const query = { ...filters.query, sort, include: [...rowIncludes] } as WorkspaceListQuery;
  const isListed = (row: Row): boolean => filters.isComplete || row['locked-by'] === flags['locked-by'];
  for await (const document of invocation.api.pages((page) => listWorkspaces(owner, query, page))) {
    for (const workspace of document.data) {
      const row = toWorkspaceRow(document, workspace);
      if (isListed(row)) yield { workspace, row };
    }
  }
}

/** The command that lists workspaces. */
export const listCommand = command({
  name: 'ws list',
  summary: 'List workspaces',
  description: 'The list is complete, unless --limit ends it. A workspace has to match all filters.',
  flags: {
    ...filterFlags,
    'unchanged-for': duration('Only whose state has not changed for so long.'),
    sort: choice('Order. A hyphen means descending. Default: name.', orders, 'ORDER'),
    limit: count('Print at most so many.'),
  },
  routes: ['projects.list', 'workspaces.list'],
  result: { kind: 'list', view: workspaceView },
  examples: [
    'ws list --tag core --infra-version 1.9.8',
    'ws list --unchanged-for 90d --csv=name,project,latest-change-at',
    'ws list --json=name,locked-by',
    'ws list --imported-from app.terraform.io',
    'ws list --tag core | holdfast ws edit - --infra-version 1.9.8',
  ],
  async *run(invocation, _, { 'unchanged-for': unchanged, sort, limit, ...flags }) {
    if (unchanged !== undefined && sort !== undefined) {
      throw usageError('--unchanged-for lists the oldest change first, so --sort has no place next to it.');
    }
    const newest = unchanged === undefined ? Number.POSITIVE_INFINITY : now() - unchanged * 1_000;
    let printed = 0;
    for await (const { workspace, row } of listFiltered(invocation, flags, {
      sort: unchanged === undefined ? sort : 'latest-change-at',
    })) {
      if (Date.parse(workspace.attributes['latest-change-at']) > newest) return;
      yield row;
      printed += 1;
      if (printed === limit) return;
    }
  },
});
