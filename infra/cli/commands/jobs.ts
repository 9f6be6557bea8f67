import { createHash } from 'node:crypto';
import {
  type BulkAction,
  type BulkJob,
  type BulkJobItem,
  cancelBulkJob,
  downloadJobReport,
  type ItemOutcome,
  listBulkJobs,
  retryBulkJob,
} from '../../../shared/client/bulk-jobs.ts';
import { readByCursor } from '../api.ts';
import {
  applyFlags,
  applyJob,
  changeMany,
  countMissed,
  describeCounts,
  findJob,
  jobRoutes,
  previewFlags,
  previewJob,
  readItems,
  requireConfirmable,
  runJob,
  watchJob,
} from '../bulk-job.ts';
import { command, type Group, type Rows } from '../command.ts';
import { exitCodes, Failure, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { writePrivateFile } from '../output/private-file.ts';
import { attributesOf, defineView, flatten, type Json, type Row } from '../output/view.ts';
import { argument, choice, count, text, texts, truth } from '../parameters.ts';
import {
  requireOneSelection,
  selectByFilter,
  selectByName,
  selectedWorkspaces,
  selectionFlag,
} from './job-selection.ts';

const actions = [
  ...(['update', 'move', 'add-tags', 'add-tag-bindings', 'remove-tags', 'set-variable', 'delete-variable'] as const),
  ...(['assign-variable-set', 'unassign-variable-set', 'lock', 'unlock', 'force-unlock', 'safe-delete'] as const),
  'restore',
] as const satisfies readonly BulkAction[];

const outcomes = [
  ...(['pending', 'applied', 'unchanged', 'refused', 'conflict', 'failed', 'skipped'] as const),
] satisfies readonly ItemOutcome[];

const jobView = defineView(
  ['id', 'action', 'status', 'total', 'done'],
  [
    'organization-id',
    'retry-of-id',
    ...attributesOf<BulkJob>()(
      ...(['action', 'parameters', 'selection', 'rate', 'max-failures', 'note', 'skip-warned', 'status'] as const),
      ...([
        'preview-counts',
        'outcome-counts',
        'total',
        'failure',
        'report',
        'created-by',
        'created-at',
        'ready-at',
        'applied-at',
      ] as const),
      ...(['canceled-at', 'ended-at', 'expires-at'] as const),
    ),
  ],
);
const itemView = defineView(
  ['workspace-name', 'preview-outcome', 'outcome', 'error'],
  [
    'workspace-id',
    ...attributesOf<BulkJobItem>()(
      ...(['position', 'workspace-name', 'preview-outcome', 'changes', 'warnings', 'outcome', 'error'] as const),
    ),
  ],
);

const toJobRow = (job: BulkJob): Row => {
  const { status, 'preview-counts': previews, 'outcome-counts': counts } = job.attributes;
  const isPreview = status === 'preparing' || status === 'ready';
  return { ...flatten(job), done: describeCounts(isPreview ? previews : counts) } as Row;
};

const toItemRow = (item: BulkJobItem): Row => {
  const { changes, error } = item.attributes;
  return {
    ...flatten(item),
    changes: changes as Json,
    error: error === null ? null : (error.detail ?? error.title),
  } as Row;
};

const sentence = ({ id, action, status, done }: Row): string => `Bulk job ${id} (${action}) is ${status}: ${done}.`;

/** Yields a job, and ends the command with `partial` if it has not changed all that its preview showed. */
async function* report(job: Promise<BulkJob>): Rows {
  const done = await job;
  yield toJobRow(done);
  return countMissed(done) > 0 || done.attributes.status === 'failed' ? exitCodes.partial : exitCodes.done;
}

/** Reads a parameter: `NAME=VALUE`, whose value is JSON, or else a text. @throws Failure `usage` */
const readParameter = (given: string): readonly [string, unknown] => {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) throw usageError(`"${given}" is not NAME=VALUE.`);
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
};

const jobArgument = argument('The bulk job, by its id.', { placeholder: 'ID' });
const changed = { kind: 'changes', view: jobView, sentence } as const;
const errors = { partial: 'Some workspaces were refused, had changed meanwhile, failed or were left out.' };

/** Streams a report, and compares it with the hash that the job shows. @throws Failure if they differ. */
async function* readReport({ api }: Invocation, id: string): AsyncGenerator<Uint8Array> {
  const { job } = await findJob(api.send, id);
  const hash = createHash('sha256');
  for await (const part of api.download(downloadJobReport(id))) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') !== job.attributes.report?.sha256) {
    throw new Failure('failed', 'The report is not the one that the bulk job has stored. Download it again.');
  }
}

/** Changes of many workspaces (docs/concepts/bulk-jobs.md). */
export const jobCommands: Group = {
  title: 'Bulk jobs',
  commands: [
    command({
      name: 'job create',
      summary: 'Preview one change of many workspaces, and apply it',
      description:
        'The job runs on the service, and goes on when you leave. It changes what its preview shows, or less. The reference of bulk jobs lists the parameters of each action.',
      arguments: {
        action: argument('What to do.', { placeholder: actions.join('|') }),
        workspaces: selectedWorkspaces,
      },
      flags: {
        ...selectionFlag,
        set: texts('A parameter of the action. VALUE is JSON, or else a text.', 'NAME=VALUE'),
        rate: count('Workspaces per second. Default: 50.'),
        'max-failures': count('Workspaces that may be refused or fail. Default: 20, or 5 % if that is more.'),
        note: text('Why, for others.', 'TEXT'),
        ...previewFlags,
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'projects.list', 'bulk-jobs.create', ...jobRoutes],
      result: changed,
      examples: [
        'job create update --filter tag=production --set infra-version=1.10.0',
        'job create lock network core --set reason="a change freeze" --yes',
        'job create set-variable --filter project=live --set key=REGION --set value=eu-central-1 --dry-run',
      ],
      errors,
      async *run(
        invocation,
        { action: given, workspaces },
        { filter, set, rate, note, 'max-failures': most, ...options },
      ) {
        const action = actions.find((one) => one === given);
        if (action === undefined) throw usageError(`"${given}" is not an action.`, `Actions: ${actions.join(', ')}.`);
        requireOneSelection(workspaces, filter);
        const parameters = Object.fromEntries(set.map(readParameter));
        const selected = workspaces
          ? await selectByName(workspaces, invocation.workspace)
          : await selectByFilter(invocation, filter);
        if (selected === undefined) return exitCodes.done;
        const { organization, selection } = selected;
        const change = { action, parameters, selection, rate, note, 'max-failures': most };
        return yield* report(changeMany(invocation, organization, change, options));
      },
    }),
    command({
      name: 'job list',
      summary: 'List bulk jobs, the newest first',
      flags: { limit: count('Print at most so many.') },
      routes: ['bulk-jobs.list'],
      result: { kind: 'list', view: jobView },
      examples: ['job list --limit 5'],
      async *run({ api, organization }, _, { limit = Number.POSITIVE_INFINITY }) {
        const name = await organization();
        let printed = 0;
        for await (const job of readByCursor(api.send, (after) => listBulkJobs(name, after))) {
          if (printed === limit) return;
          yield toJobRow(job);
          printed += 1;
        }
      },
    }),
    command({
      name: 'job show',
      summary: 'Show a bulk job',
      arguments: { job: jobArgument },
      routes: ['bulk-jobs.show'],
      result: { kind: 'item', view: jobView },
      examples: ['job show bulk-CvpbqPPtsWSnyrTk'],
      run: async ({ api }, { job }) => toJobRow((await findJob(api.send, job)).job),
    }),
    command({
      name: 'job items',
      summary: 'List the workspaces of a bulk job, with their previews and outcomes',
      arguments: { job: jobArgument },
      flags: {
        outcome: choice('Only workspaces with this outcome.', outcomes),
        warned: truth('Only workspaces whose preview has a warning, or has none.'),
      },
      routes: ['bulk-jobs.list-items'],
      result: { kind: 'list', view: itemView },
      examples: ['job items bulk-CvpbqPPtsWSnyrTk --outcome refused'],
      async *run({ api }, { job }, filter) {
        for await (const item of readItems(api.send, job, filter)) yield toItemRow(item);
      },
    }),
    command({
      name: 'job apply',
      summary: 'Apply a bulk job that is ready, and watch it',
      arguments: { job: jobArgument },
      flags: applyFlags,
      routes: jobRoutes,
      result: changed,
      examples: ['job apply bulk-CvpbqPPtsWSnyrTk'],
      errors: { ...errors, conflict: 'The job is not ready, or another one is active.' },
      async *run(invocation, { job }, options) {
        requireConfirmable(invocation, options.yes);
        const found = await previewJob(invocation, job);
        return yield* report(applyJob(invocation, found, options));
      },
    }),
    command({
      name: 'job watch',
      summary: 'Wait until a bulk job is ready or has ended',
      description: 'Ctrl-C ends the waiting, not the job.',
      arguments: { job: jobArgument },
      routes: ['bulk-jobs.show'],
      result: changed,
      examples: ['job watch bulk-CvpbqPPtsWSnyrTk'],
      errors,
      async *run(invocation, { job }) {
        if (!invocation.isShown) await watchJob(invocation, job);
        return yield* report(findJob(invocation.api.send, job).then((found) => found.job));
      },
    }),
    command({
      name: 'job cancel',
      summary: 'Cancel a bulk job',
      description: 'An active job ends after the workspaces that are under way, at most 25.',
      arguments: { job: jobArgument },
      routes: ['bulk-jobs.cancel'],
      result: { kind: 'change', view: jobView, sentence },
      examples: ['job cancel bulk-CvpbqPPtsWSnyrTk'],
      errors: { conflict: 'The job has ended.' },
      run: async ({ api }, { job }) => toJobRow((await api.send(cancelBulkJob(job))).document.data),
    }),
    command({
      name: 'job retry',
      summary: 'Preview again what a bulk job has not changed, and apply it',
      arguments: { job: jobArgument },
      flags: previewFlags,
      routes: ['bulk-jobs.retry', ...jobRoutes],
      result: changed,
      examples: ['job retry bulk-CvpbqPPtsWSnyrTk'],
      errors: { ...errors, conflict: 'The job has not ended, or has left nothing.' },
      async *run(invocation, { job }, options) {
        requireConfirmable(invocation, options.yes || options['dry-run']);
        return yield* report(runJob(invocation, () => invocation.api.send(retryBulkJob(job)), options));
      },
    }),
    command({
      name: 'job report',
      summary: 'Download the report of a bulk job: one JSON object for each workspace',
      description: 'Its SHA-256 is compared with that of the job.',
      arguments: { job: jobArgument },
      flags: { output: text('Write to this file.', 'FILE') },
      routes: ['bulk-jobs.show', 'bulk-jobs.report'],
      result: { kind: 'bytes' },
      examples: ['job report bulk-CvpbqPPtsWSnyrTk > report.jsonl'],
      async *run(invocation, { job }, { output }) {
        const content = readReport(invocation, job);
        if (output === undefined) return yield* content;
        const size = await writePrivateFile(invocation.io, output, content);
        invocation.note(`Wrote ${size} bytes to ${output}.`);
      },
    }),
  ],
};
