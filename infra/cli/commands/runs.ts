import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, FiltersOf, InputOf, Run } from '../../../shared/client/types.ts';
import { pageQuery } from '../api.ts';
import { command, type Group } from '../command.ts';
import { explainNotFound } from '../failure.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { argument, choice, count, filter } from '../parameters.ts';
import { workspaceArgument } from './workspace-rows.ts';

const LIST = '/api/v2/workspaces/{workspace_id}/runs';

const include = ['plan', 'apply', 'configuration_version', 'configuration_version.ingress_attributes'] as const;
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

const view = defineView(
  ['id', 'status', 'created-at', 'source', 'message'],
  [
    'workspace-id',
    'plan-status',
    'apply-status',
    'configuration-version-id',
    'branch',
    'commit-sha',
    'commit-url',
    'sender-username',
    ...attributesOf<Run>()(
      'status',
      'status-timestamps',
      'message',
      'source',
      'created-at',
      'is-destroy',
      'has-changes',
      'plan-only',
      'save-plan',
      'auto-apply',
      'actions',
      'permissions',
    ),
  ],
);

const toRow = (document: { readonly included?: readonly Included[] }, run: Run): Row => {
  const { plan, apply, 'configuration-version': version } = run.relationships;
  const configuration = findIncluded(document, 'configuration-versions', version.data);
  const commit = findIncluded(
    document,
    'ingress-attributes',
    configuration?.relationships['ingress-attributes'].data,
  )?.attributes;
  return {
    ...flatten(run),
    'plan-status': findIncluded(document, 'plans', plan.data)?.attributes.status ?? null,
    'apply-status': findIncluded(document, 'applies', apply.data)?.attributes.status ?? null,
    branch: commit?.branch ?? null,
    'commit-sha': commit?.['commit-sha'] ?? null,
    'commit-url': commit?.['commit-url'] ?? null,
    'sender-username': commit?.['sender-username'] ?? null,
  };
};

/** Runs, which other systems execute and report (docs/concepts/runs.md). */
export const runCommands: Group = {
  title: 'Runs',
  commands: [
    command({
      name: 'run list',
      summary: 'List the runs of a workspace, the newest first',
      arguments: { workspace: workspaceArgument },
      flags: {
        status: filter('Only with one of these statuses, separated by commas.', 'STATUS'),
        'status-group': choice('Only of this group of statuses.', ['final', 'non_final', 'discardable']),
        operation: filter('Only with one of these operations, separated by commas, such as destroy.', 'OPERATION'),
        source: filter('Only from one of these sources, separated by commas.', 'SOURCE'),
        timeframe: filter(
          'Only of these calendar years, separated by commas, or of the last 365 days: "year".',
          'YEAR',
        ),
        user: filter('Only caused by this user of the VCS provider.', 'NAME'),
        commit: filter('Only of commits whose SHA begins with this text.', 'SHA'),
        search: filter('Only with this text in the message, or of this id, user or commit.', 'TEXT'),
        limit: count('Print at most so many.'),
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'runs.list'],
      result: { kind: 'list', view },
      examples: ['run list network', 'run list network --status-group non_final', 'run list network --limit 5 --json'],
      async *run({ api, workspace }, args, { limit, ...flags }) {
        const { id } = await workspace(args.workspace);
        const filters: Readonly<Record<FiltersOf<typeof LIST>, string | undefined>> = {
          'filter[status]': flags.status,
          'filter[status_group]': flags['status-group'],
          'filter[operation]': flags.operation,
          'filter[source]': flags.source,
          'filter[timeframe]': flags.timeframe,
          'search[user]': flags.user,
          'search[commit]': flags.commit,
          'search[basic]': flags.search,
        };
        const query = { ...filters, include: [...include] } as InputOf<'get', typeof LIST>['query'];
        let printed = 0;
        const pages = api.pages((page) =>
          apiRequest('get', LIST, { path: { workspace_id: id }, query: { ...query, ...pageQuery(page) } }),
        );
        for await (const document of pages) {
          for (const run of document.data) {
            yield toRow(document, run);
            printed += 1;
            if (printed === limit) return;
          }
        }
      },
    }),
    command({
      name: 'run show',
      summary: 'Show a run',
      arguments: { run: argument('Id of the run.') },
      routes: ['runs.show'],
      result: { kind: 'item', view },
      examples: ['run show run-CvpbqPPtsWSnyrTk --json'],
      run: async ({ api }, { run }) => {
        const { document } = await explainNotFound(
          api.send(
            apiRequest('get', '/api/v2/runs/{run_id}', { path: { run_id: run }, query: { include: [...include] } }),
          ),
          `There is no run "${run}", or you may not see it.`,
        );
        return toRow(document, document.data);
      },
    }),
  ],
};
