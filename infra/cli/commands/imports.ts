import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { now, timestamp } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { command, type Group } from '../command.ts';
import { type ExitCode, exitCodes, Failure, usageError } from '../failure.ts';
import { cutOver, type Outcome } from '../import/cutover.ts';
import { createFolder, FILES, type ImportDescription, openFolder, withFolder, writeJson } from '../import/folder.ts';
import { writeInventory } from '../import/inventory.ts';
import { totalOf } from '../import/items.ts';
import {
  type OpenImport,
  openDescribedSource,
  reopen,
  requireTarget,
  toFilter,
  withImport,
} from '../import/open-import.ts';
import { acceptedBy, planImport, readPlan, requirePlan } from '../import/plan.ts';
import { hasProof, writeReport } from '../import/report.ts';
import { rollBack } from '../import/rollback.ts';
import { runImport } from '../import/run.ts';
import { scanConfigurations } from '../import/scan.ts';
import { type Verification, verifyImport } from '../import/verify.ts';
import type { Invocation } from '../invocation.ts';
import { defineView, type Row } from '../output/view.ts';
import { argument, count, flag, required, text, texts } from '../parameters.ts';
import { readRoutes } from './bundles.ts';

const initView = defineView(['path', 'source', 'organization', 'id']);

const planView = defineView(
  ['path', 'create', 'update', 'same', 'conflict', 'cannot', 'waiting', 'not-carried'],
  ['writes', 'state-bytes', 'problems', 'counts'],
);

const resultFields = ['open', 'accepted', 'not-carried', 'deleted-at-source', 'results', 'counts'];
const runView = defineView(['path', 'workspaces', 'records', 'states', 'bytes', 'refused'], resultFields);
const verifyView = defineView(['path', 'same', 'open', 'accepted', 'not-carried'], [...resultFields, 'downloaded']);

const folderArgument = argument('Folder of the import.');
const nameFlag = texts('Only workspaces of this name. * stands for any characters.', 'NAME');

const toResults = ({ results, counts, open, accepted, notCarried, deleted, downloaded }: Verification): Row => ({
  ...{ same: results.same, open, accepted, 'not-carried': notCarried, 'deleted-at-source': deleted, downloaded },
  results: { ...results },
  counts: counts as never,
});

/** Ends a command with 7 if something differs that nobody has accepted. */
const requireCarried = (path: string, row: Row): Row => {
  if (row['open'] === 0) return row;
  const objects = row['open'] === 1 ? '1 object differs, or is' : `${row['open']} objects differ, or are`;
  throw new Failure('partial', `${objects} not carried yet.`, {
    hint: `Read ${path}/${FILES.report}.`,
    meta: row,
  });
};

/** Routes that write to the target. */
const writeRoutes = [
  'organizations.update',
  'default-retention-policies.set',
  'default-retention-policies.delete',
  'token-ttl-policies.update',
  'projects.create',
  'projects.update',
  'projects.replace-bindings',
  'teams.create',
  'teams.update',
  'teams.add-memberships',
  'memberships.create',
  'agent-pools.create',
  'agent-pools.update',
  'ssh-keys.create',
  'oauth-clients.create',
  'oauth-clients.update',
  'reserved-tag-keys.create',
  'reserved-tag-keys.update',
  'team-projects.create',
  'team-projects.update',
  'team-workspaces.create',
  'team-workspaces.update',
  'remote-state-consumers.add',
  'varsets.create',
  'varsets.update',
  'varsets.add-workspaces',
  'varsets.remove-workspaces',
  'varsets.add-projects',
  'varsets.remove-projects',
  'varset-variables.create',
  'varset-variables.update',
  'workload-identities.create',
  'workload-identities.update',
  'workspaces.create',
  'workspaces.update',
  'workspace-tags.add',
  'workspace-tags.remove',
  'tag-bindings.replace-related',
  'ssh-key.assign',
  'retention-policies.set',
  'retention-policies.delete',
  'workspace-variables.create',
  'workspace-variables.update',
  'workspaces.lock',
  'workspaces.renew-lock',
  'workspaces.unlock',
  'state-versions.create',
  'state-versions.show',
] as const;

/** Describes an import of the present target. */
const describeImport = async (
  { context, organization }: Invocation,
  source: string,
  {
    name,
    partial,
    rate,
  }: { readonly name: readonly string[]; readonly partial: boolean; readonly rate: number | undefined },
): Promise<ImportDescription> => ({
  ...{ format: 'holdfast-import', version: '1.0', id: base58(12), source },
  target: { url: (await context.service()).origin, organization: await organization() },
  workspaces: name,
  computer: hostname(),
  ...(rate !== undefined && { rate }),
  partial,
  'created-at': timestamp(now()),
});

const initCommand = command({
  name: 'import init',
  summary: 'Read what a source has, and start an import in a folder',
  description:
    'The source is tfe://HOST/ORGANIZATION, s3://BUCKET/PREFIX, terraform:FOLDER, files:FOLDER or bundle:FOLDER. Nothing is changed, neither there nor here. With the same source and folder, it reads the source again.',
  arguments: { source: argument('Address of the source.'), folder: folderArgument },
  flags: {
    name: nameFlag,
    rate: count('Requests a second to the source. Default for tfe: 24.'),
    partial: flag('Accept a bundle in which something is missing.'),
  },
  routes: ['organizations.list', 'organizations.show'],
  result: {
    kind: 'change',
    view: initView,
    sentence: (row: Row) => `Read ${row['source']}. Next: holdfast import plan ${row['path']}`,
  },
  examples: ['import init bundle:acme-2026-11-24 move', 'import init tfe://app.terraform.io/acme move --name "core-*"'],
  errors: { partial: 'The bundle is partial or damaged.' },
  run: async (invocation, { source: address, folder: path }, flags) => {
    const description = await describeImport(invocation, address, flags);
    await requireTarget(invocation, description);
    const source = await openDescribedSource(invocation, description);
    const folder = await createFolder(invocation.io, path, description);
    return withFolder(folder, async () => {
      await writeInventory(folder, undefined, (writer) =>
        source.readInventory(writer, toFilter(folder.description.workspaces)),
      );
      await writeJson(folder.path(FILES.description), folder.description);
      const { id, target } = folder.description;
      return { path, source: address, organization: target.organization, id };
    });
  },
});

const planCommand = command({
  name: 'import plan',
  summary: 'Compare the source with the target, and write what an import would do',
  description: `Writes ${FILES.plan}, which people review, with a line for each object in ${FILES.items}, and ${FILES.secrets}, into which you enter what no source gives. A conflict, and what cannot be carried, has to be accepted there before a run.`,
  arguments: { folder: folderArgument },
  routes: readRoutes,
  result: {
    kind: 'change',
    view: planView,
    sentence: (row: Row) =>
      `${row['create']} to create, ${row['update']} to update, ${row['same']} the same, ${row['problems']} problems to accept. Read ${row['path']}/${FILES.plan}.`,
  },
  examples: ['import plan move'],
  run: (invocation, { folder: path }) =>
    withImport(invocation, path, async (open) => {
      const plan = await planImport(open);
      const problems = plan.problems.filter(({ accept, result }) => !accept && result !== 'waiting').length;
      return {
        ...{ path, ...totalOf(plan.counts), 'not-carried': plan['not-carried'], problems },
        ...plan.estimate,
        counts: plan.counts as never,
      };
    }),
});

const runCommand = command({
  name: 'import run',
  summary: 'Carry what the plan says',
  description:
    'It can be interrupted at any time, and repeated: what is there already is not written again. At the end it verifies the result.',
  arguments: { folder: folderArgument },
  flags: { name: nameFlag },
  routes: [...readRoutes, ...writeRoutes],
  result: {
    kind: 'change',
    view: runView,
    sentence: (row: Row) =>
      `Carried ${row['records']} records and ${row['states']} state versions of ${row['workspaces']} workspaces. Everything is the same.`,
  },
  examples: ['import run move', 'import run move --name network'],
  errors: { partial: 'The plan has problems that are not accepted, or something could not be carried.' },
  run: (invocation, { folder: path }, { name }) =>
    withImport(invocation, path, async (open) => {
      const includes = toFilter(name);
      const accepted = acceptedBy(await requirePlan(open.folder));
      const progress = await runImport(open, accepted, includes);
      const again = await reopen(invocation, open.folder, open.source);
      const verified = await verifyImport(again, false, includes);
      return requireCarried(path, { path, ...progress, ...toResults(verified) });
    }),
});

const verifyCommand = command({
  name: 'import verify',
  summary: 'Compare what was carried with the target, object by object',
  description: `Writes ${FILES.proof} with a line for each object and each state version, ${FILES.report} and ${FILES.sums}. Nothing is changed, so that a token that may only read suffices.`,
  arguments: { folder: folderArgument },
  flags: { deep: flag('Download the bytes of all states from both sides again.'), name: nameFlag },
  routes: [...readRoutes, 'state-versions.download'],
  result: {
    kind: 'change',
    view: verifyView,
    sentence: (row: Row) => `${row['same']} objects are the same. Read ${row['path']}/${FILES.report}.`,
  },
  examples: ['import verify move', 'import verify move --deep'],
  errors: { partial: 'Something differs. The report names it.' },
  run: (invocation, { folder: path }, { deep, name }) =>
    withImport(invocation, path, async (open) =>
      requireCarried(path, { path, ...toResults(await verifyImport(open, deep, toFilter(name))) }),
    ),
});

const reportView = defineView(['path', 'report'], ['not-carried', 'counts']);

const outcomeView = defineView(['name', 'result', 'detail']);

const describeOutcome = ({ name, result, detail }: Row): string => `${name}: ${result}. ${detail}`;

const waveFlag = required(text('Name of the wave. Its workspaces are named once.', 'NAME'));

/** Yields the outcomes of the workspaces of a wave, and ends with 7 if one of them was refused. */
async function* printOutcomes(outcomes: readonly Outcome[]): AsyncGenerator<Row, ExitCode> {
  for (const { name, result, detail } of outcomes) yield { name, result, detail };
  return outcomes.some(({ result }) => result === 'refused') ? exitCodes.partial : exitCodes.done;
}

/** Returns the lines of the block by which terraform and tofu find a workspace from now on. */
const describeBlock = ({ folder: { description } }: OpenImport, name: string): readonly string[] => {
  const { url, organization } = description.target;
  return [
    'terraform {',
    '  cloud {',
    `    hostname     = "${new URL(url).host}"`,
    `    organization = "${organization}"`,
    '    workspaces {',
    `      name = "${name}"`,
    '    }',
    '  }',
    '}',
  ];
};

const cutoverCommand = command({
  name: 'import cutover',
  summary: 'Move the writers of a wave of workspaces over, with the source locked',
  description:
    'Locks each workspace at the source, carries what is new, verifies it, and leaves the source locked. A workspace is refused, and its source released, while a run is active, somebody else holds its lock, a secret is missing, something differs, or the check fails. The others go on.',
  arguments: { folder: folderArgument },
  flags: {
    wave: waveFlag,
    name: nameFlag,
    check: text('Command that has to succeed for each workspace, whose name is in HOLDFAST_WORKSPACE.', 'COMMAND'),
    scan: text('List the blocks below this folder that still name the source.', 'FOLDER'),
  },
  routes: [...readRoutes, ...writeRoutes, 'state-versions.download'],
  result: { kind: 'changes', view: outcomeView, sentence: describeOutcome },
  examples: [
    'import cutover move --wave first --name network --name "dns-*"',
    'import cutover move --wave first --check \'terraform -chdir="$HOLDFAST_WORKSPACE" plan -detailed-exitcode\' --scan .',
  ],
  errors: { partial: 'A workspace was refused. The others are cut over.' },
  async *run(invocation, { folder: path }, { wave, name, check, scan }) {
    const outcomes = await withImport(invocation, path, async (open) => {
      const includes = name.length === 0 ? () => false : toFilter(name);
      const found = await cutOver(open, { wave, includes, check });
      const done = found.find(({ result }) => result === 'cut over');
      if (done !== undefined) {
        invocation.note('Put the new address into each configuration, as here:');
        for (const line of describeBlock(open, done.name)) invocation.note(line);
      }
      const blocks = scan === undefined ? [] : await scanConfigurations(invocation.io, scan, open.source.origin);
      return [...found, ...blocks];
    });
    return yield* printOutcomes(outcomes);
  },
});

const rollbackCommand = command({
  name: 'import rollback',
  summary: 'Return a wave of workspaces to the source',
  description:
    'Locks each workspace here, so that nobody writes any more, and releases the lock that the import holds at the source. A workspace with a newer state here is refused, unless a flag says what happens with it.',
  arguments: { folder: folderArgument },
  flags: {
    wave: waveFlag,
    'push-state': flag('Write newer states back to the source.'),
    discard: flag('Leave newer states here only.'),
  },
  routes: [...readRoutes, 'workspaces.lock', 'state-versions.download'],
  result: { kind: 'changes', view: outcomeView, sentence: describeOutcome },
  examples: ['import rollback move --wave first', 'import rollback move --wave first --push-state'],
  errors: { partial: 'A workspace was refused. The others are returned.' },
  async *run(invocation, { folder: path }, { wave, 'push-state': isPushed, discard }) {
    if (isPushed && discard) throw usageError('--push-state and --discard exclude each other.');
    const newer = isPushed ? 'push' : discard ? 'discard' : undefined;
    return yield* printOutcomes(await withImport(invocation, path, (open) => rollBack(open, { wave, newer })));
  },
});

const reportCommand = command({
  name: 'import report',
  summary: 'Print the report of an import, without any request',
  description: 'The report is that of the last run or verification, with the present state of the cutover.',
  arguments: { folder: folderArgument },
  routes: [],
  result: { kind: 'text', view: reportView, field: 'report' },
  examples: ['import report move > report.md'],
  run: async ({ io }, { folder: path }) => {
    const folder = await openFolder(io, path);
    if (!(await hasProof(folder))) {
      throw usageError('There is nothing to report yet.', `Run "holdfast import verify ${path}".`);
    }
    const { counts, notCarried } = await writeReport(folder, await readPlan(folder));
    const report = await readFile(folder.path(FILES.report), 'utf8');
    return { path, report, 'not-carried': notCarried, counts: counts as never };
  },
});

/** Imports from other services (docs/operate/import.md). */
export const importCommands: Group = {
  title: 'Imports',
  commands: [initCommand, planCommand, runCommand, verifyCommand, cutoverCommand, rollbackCommand, reportCommand],
};
