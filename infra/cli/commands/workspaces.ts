import { apiRequest } from '../../../shared/client/request.ts';
import type { WorkspaceFilter, WorkspaceListQuery } from '../../../shared/client/workspaces.ts';
import { now } from '../../../shared/lib/clock.ts';
import { command, type Group } from '../command.ts';
import { Failure, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { choice, count, duration, text, texts, truth, type ValuesOf } from '../parameters.ts';
import { listWorkspaces, rowIncludes, toWorkspaceRow, workspaceArgument, workspaceView } from './workspace-rows.ts';

type Order = NonNullable<WorkspaceListQuery['sort']>;

const orders = [
  'name',
  '-name',
  'latest-change-at',
  '-latest-change-at',
  'current-run.created-at',
  '-current-run.created-at',
  'locked-at',
  '-locked-at',
] as const satisfies readonly Order[];

const filterFlags = {
  search: text('Only names that contain this text.', 'TEXT'),
  name: text('Only names that match this pattern. * matches any text.', 'PATTERN'),
  project: text('Only of this project.', 'NAME'),
  tag: texts('Only with this tag, also inherited from the project.', 'KEY[=VALUE]'),
  'without-tag': texts('Only without this tag of their own.', 'KEY'),
  locked: truth('Only locked or only unlocked ones.'),
  'locked-by': text('Only locked by this user, team or run.', 'ID'),
  mode: text('Only with one of these execution modes, separated by commas.', 'MODE'),
  'infra-version': text('Only with this version of the infrastructure tool.', 'VERSION'),
  'deletion-protection': truth('Only protected or only unprotected ones.'),
  'run-status': text('Only whose current run has one of these statuses, separated by commas.', 'STATUS'),
};

/**
 * Returns the parameters of the API for filters of the user. An absent filter is undefined.
 * `search[tags]` is not offered, because `filter[tagged]` finds inherited tags, too.
 */
const toQuery = (
  flags: ValuesOf<typeof filterFlags>,
  project: string | undefined,
): Readonly<
  Record<Exclude<WorkspaceFilter, 'search[tags]' | `filter[tagged]${string}` | 'filter[terraform-version]'>, unknown>
> => ({
  'search[name]': flags.search,
  'search[wildcard-name]': flags.name,
  'search[exclude-tags]': flags['without-tag'].join(',') || undefined,
  'filter[project][id]': project,
  'filter[locked]': flags.locked,
  'filter[locked-by][id]': flags['locked-by'],
  'filter[execution-mode]': flags.mode,
  'filter[infra-version]': flags['infra-version'],
  'filter[deletion-protection]': flags['deletion-protection'],
  'filter[current-run][status]': flags['run-status'],
});

const toTagQuery = (tags: readonly string[]): WorkspaceListQuery =>
  Object.fromEntries(
    tags.flatMap((tag, index) => {
      const [key = '', ...value] = tag.split('=');
      return [
        [`filter[tagged][${index}][key]`, key],
        ...(value.length > 0 ? [[`filter[tagged][${index}][value]`, value.join('=')]] : []),
      ];
    }),
  );

/** Finds the id of a project by its name. @throws Failure `usage` if there is none. */
const findProject = async ({ api }: Invocation, organization: string, name: string): Promise<string> => {
  const { document } = await api.lookUp(
    apiRequest('get', '/api/v2/organizations/{organization_name}/projects', {
      path: { organization_name: organization },
      query: { 'filter[names]': name },
    }),
  );
  const [project] = document.data;
  if (project === undefined) throw new Failure('notFound', `There is no project "${name}", or you may not see it.`);
  return project.id;
};

/** Workspaces (docs/concepts/workspaces.md). */
export const workspaceCommands: Group = {
  title: 'Workspaces',
  commands: [
    command({
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
      ],
      async *run(invocation, _, { 'unchanged-for': unchanged, sort, limit = Number.POSITIVE_INFINITY, ...flags }) {
        if (unchanged !== undefined && sort !== undefined) {
          throw usageError('--unchanged-for lists the oldest change first, so --sort has no place next to it.');
        }
        const newest = unchanged === undefined ? Number.POSITIVE_INFINITY : now() - unchanged * 1_000;
        const organization = await invocation.organization();
        const project =
          flags.project === undefined ? undefined : await findProject(invocation, organization, flags.project);
        const query = {
          ...toQuery(flags, project),
          ...toTagQuery(flags.tag),
          sort: unchanged === undefined ? sort : 'latest-change-at',
          include: [...rowIncludes],
        } as WorkspaceListQuery;
        let printed = 0;
        for await (const document of invocation.api.pages((page) => listWorkspaces(organization, query, page))) {
          for (const workspace of document.data) {
            if (printed === limit || Date.parse(workspace.attributes['latest-change-at']) > newest) return;
            yield toWorkspaceRow(document, workspace);
            printed += 1;
          }
        }
      },
    }),
    command({
      name: 'ws show',
      summary: 'Show a workspace',
      arguments: { workspace: workspaceArgument },
      routes: ['workspaces.show-by-name', 'workspaces.show'],
      result: { kind: 'item', view: workspaceView },
      examples: ['ws show network', 'ws show acme/network --json'],
      run: async ({ api, workspace }, args) => {
        const { id } = await workspace(args.workspace);
        const { document } = await api.send(
          apiRequest('get', '/api/v2/workspaces/{workspace_id}', {
            path: { workspace_id: id },
            query: { include: [...rowIncludes] },
          }),
        );
        return toWorkspaceRow(document, document.data);
      },
    }),
  ],
};
