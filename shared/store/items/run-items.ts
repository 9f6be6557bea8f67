import { absent, all, any, equals } from '../../domain/changes/conditions.ts';
import type { ConfigurationVersion } from '../../domain/runs/configuration-versions.ts';
import { isFinal, type Run } from '../../domain/runs/run.ts';
import type { FinishedRun } from '../../domain/runs/run-metrics.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { zlib } from '../../lib/zlib.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { type Item, type Key, keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { itemWrite, keyOf, put, remove } from './item-write.ts';

/** Items of runs and of configuration versions. Each write replaces the whole item that was read. */

/** Compresses a value, because each report writes it and DynamoDB charges writes by the kilobyte. */
const pack = (value: unknown): Uint8Array => zlib().deflateRawSync(JSON.stringify(value));
const unpack = <T>(packed: unknown): T =>
  JSON.parse(
    zlib()
      .inflateRawSync(packed as Uint8Array)
      .toString(),
  ) as T;

/** `n` is the number of writes of an item. */
const replacing = (key: Key, ty: ItemType, before: Item | undefined, content: object): Write => {
  const asRead = before && equals('n', Number(before['n']));
  return put(key, ty, { ...content, n: Number(before?.['n'] ?? 0) + 1 }, asRead);
};

const withoutKeys = (item: Item): Item => {
  const { pk: _, sk: __, ty: ___, v: ____, n: _____, ...content } = item;
  return content;
};

/** Converts a stored item to a run. */
export const runOf = (item: Item): Run => withoutKeys(item) as unknown as Run;
/** Converts a stored item to a configuration version. */
export const configurationVersionOf = (item: Item): ConfigurationVersion =>
  withoutKeys(item) as unknown as ConfigurationVersion;

/** Encodes the finished runs as rows of numbers, so that thirty of them fit into a kilobyte. */
type Row = readonly [string, number, number, number | null, number | null];
const rowOf = ({ id, endedAt, hasErrored, hasFailedPolicy, planning, applying }: FinishedRun): Row => [
  id,
  endedAt,
  Number(hasErrored) + 2 * Number(hasFailedPolicy),
  planning,
  applying,
];
const finishedRunOf = ([id, endedAt, flags, planning, applying]: Row): FinishedRun => ({
  id,
  endedAt,
  hasErrored: (flags & 1) !== 0,
  hasFailedPolicy: (flags & 2) !== 0,
  planning,
  applying,
});

/** Builds the key of a run from the item of its pointer. */
export const runKeyOf = ({ workspace, at, id }: Item): Key =>
  keys.run(String(workspace), at as number | undefined, String(id));

/** Decodes the finished runs of a window item; empty if there is no item. */
export const windowOf = (item: Item | undefined): readonly FinishedRun[] =>
  item === undefined ? [] : unpack<readonly Row[]>(item['runs']).map(finishedRunOf);

/**
 * Builds the write of the finished runs of a workspace, on the condition that the item is unchanged since it was read.
 */
export const windowWrite = (workspace: string, before: Item | undefined, window: readonly FinishedRun[]): Write =>
  replacing(keys.runWindow(workspace), 'run-window', before, { runs: pack(window.map(rowOf)) });

/** Builds the write of the pointer from a new id to its workspace. An id belongs to exactly one workspace. */
const pointerWrites = (
  before: Item | undefined,
  ty: 'run-id' | 'configuration-version-id',
  id: string,
  { id: workspace, organization, project }: Workspace,
  more: { readonly at?: number } = {},
): Claiming[] => {
  if (before !== undefined) return [];
  const write = itemWrite(ty, { id, organization, workspace, project, ...more }, absent('pk'));
  return [{ write, claim: { what: `the id ${id}`, isOwn: (image) => image['workspace'] === workspace } }];
};

/** A write in the same transaction as the write of the workspace. */
export interface Claiming {
  readonly write: Write;
  /** Id or token that the write claims for the run. The report is rejected if another run has it. */
  readonly claim?: { readonly what: string; readonly isOwn: (image: Item) => boolean };
}

const tokenWrite = (workspace: Workspace, { id }: Run, digest: string, now: number): Write => {
  const key = keys.token(digest);
  const whose = { kind: 'run', subject: id, name: id, organization: workspace.organization, workspace: workspace.id };
  return put(key, 'run-token', { ...whose, createdAt: now });
};

/** A token that was revoked before its run ended does not exist any more. */
const tokenRemoval = ({ id }: Run, digest: string): Write =>
  remove(keys.token(digest), any(absent('pk'), all(equals('kind', 'run'), equals('subject', id))));

/**
 * The tokens of a run are valid from the report that contains them until the report of a final status, in any order of
 * arrival.
 */
const tokenWrites = (workspace: Workspace, before: Run | undefined, run: Run, now: number): Claiming[] => {
  const known = before?.tokens ?? [];
  if (isFinal(run)) {
    return before === undefined || isFinal(before) ? [] : known.map((digest) => ({ write: tokenRemoval(run, digest) }));
  }
  return run.tokens
    .filter((digest) => !known.includes(digest))
    .map((digest) => ({
      write: tokenWrite(workspace, run, digest, now),
      claim: {
        what: `the token ${digest}`,
        isOwn: (image) => image['subject'] === run.id && image['workspace'] === workspace.id,
      },
    }));
};

/**
 * Builds the writes of a run: its item, its id pointer if the run is new, and the changes of its tokens. The key of a run
 * never changes; the pointer has the time in it.
 */
export const runWrites = (workspace: Workspace, before: Item | undefined, run: Run, now: number): Claiming[] => {
  const { id, createdAt: at } = run;
  const key = before === undefined ? keys.run(workspace.id, at, id) : keyOf(before);
  const write = replacing(key, 'run', before, run);
  const known = before && runOf(before);
  const pointer = pointerWrites(before, 'run-id', id, workspace, { at });
  return [...pointer, { write }, ...tokenWrites(workspace, known, run, now)];
};

/**
 * Builds the writes of a configuration version: its item, its id pointer if it is new, and the readme if there is one.
 */
export const configurationWrites = (
  workspace: Workspace,
  before: Item | undefined,
  version: ConfigurationVersion,
  readme: string | undefined,
): Claiming[] => {
  const { id } = version;
  const key = keys.configurationVersion(workspace.id, id);
  return [
    ...pointerWrites(before, 'configuration-version-id', id, workspace),
    { write: replacing(key, 'configurationVersion', before, version) },
    ...(readme === undefined
      ? []
      : [{ write: put(keys.readme(workspace.id), 'readme', { of: id, text: pack(readme) }, all()) }]),
  ];
};

/** Decodes the text of a readme item. */
export const readmeTextOf = (item: Item): string => unpack<string>(item['text']);
