import { createHash } from 'node:crypto';
import { apiRequest } from '../../../shared/client/request.ts';
import {
  downloadState,
  listStateVersions,
  type StateVersion,
  showCurrentState,
  showStateVersion,
} from '../../../shared/client/state-versions.ts';
import { type Api, readPages } from '../api.ts';
import { Failure, usageError } from '../failure.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { argument, optionalArgument, type Parameter, parseTime, remainingArguments } from '../parameters.ts';
import { readState } from '../state-file.ts';

/** Name of a state version in an argument. */
export type VersionName = { readonly id: string } | { readonly serial: number } | { readonly time: number };

/** Routes that `findVersion` requests. */
export const versionRoutes = [
  'workspaces.show-by-name',
  'workspaces.show',
  'state-versions.list',
  'state-versions.show',
  'state-versions.current',
] as const;

/** The fields of a state version: its attributes in the API, whether it is the current one, and the ids of what belongs to it. */
export const versionView = defineView(
  ['id', 'serial', 'current', 'status', 'created-at', 'resource-count', 'terraform-version', 'size'],
  [
    'workspace-id',
    'run-id',
    'created-by-id',
    'rollback-state-version-id',
    ...attributesOf<StateVersion>()(
      'created-at',
      'serial',
      'lineage',
      'md5',
      'size',
      'status',
      'intermediate',
      'resources-processed',
      'resource-count',
      'terraform-version',
      'state-version',
      'hosted-state-download-url',
      'hosted-json-state-download-url',
      'hosted-state-upload-url',
      'hosted-json-state-upload-url',
      'imported-from',
      'vcs-commit-sha',
      'vcs-commit-url',
    ),
  ],
);

/** Converts a state version to a row. @param current id of the current state version of the workspace. */
export const toVersionRow = (version: StateVersion, current: string | undefined): Row => ({
  ...flatten(version),
  current: version.id === current,
});

/** Returns the id of the current state version of a workspace. */
export const currentIdOf = ({ resource }: FoundWorkspace): string | undefined =>
  resource.relationships['current-state-version'].data?.id;

const parseVersion = (value: string): VersionName => {
  if (value.startsWith('sv-')) return { id: value };
  if (/^\d{1,15}$/.test(value)) return { serial: Number(value) };
  try {
    return { time: parseTime(value) };
  } catch {
    throw usageError(
      `"${value}" is not a state version.`,
      'Write an id, a serial number, or a time such as 1d (a day ago) or 2026-11-22T08:00:00Z.',
    );
  }
};

const NAMES = 'An id, a serial number, or a time such as 1d (a day ago) for the newest version of that time.';

/** The argument that names a state version. */
export const versionArgument: Parameter<VersionName> = { ...argument(NAMES), parse: parseVersion, fallback: undefined };

/** The arguments that name one or more state versions. */
export const versionArguments: Parameter<readonly VersionName[]> = {
  ...remainingArguments(NAMES),
  parse: (value) => [parseVersion(value)],
  fallback: [],
};

/** An argument that can name a state version. @param fallback the version without it, such as `the current one`. */
export const optionalVersion = (fallback: string): Parameter<VersionName | undefined> => ({
  ...optionalArgument(`${NAMES} Default: ${fallback}.`),
  parse: parseVersion,
  fallback: undefined,
});

/**
 * Lists the state versions of a workspace, newest first.
 * @param send as that of `readPages`.
 * @param source only versions that were imported from this id.
 */
export async function* listVersions(
  send: Api['send'],
  { organization, name }: FoundWorkspace,
  source?: string,
): AsyncGenerator<StateVersion> {
  const documents = readPages(send, (page) => listStateVersions(organization, name, page, 100, source));
  for await (const { data } of documents) yield* data;
}

/** Whether the content of a version has arrived. */
const hasContent = ({ attributes: { status } }: StateVersion): boolean =>
  status !== 'pending' && status !== 'discarded';

const describeVersion = (version: VersionName): string => {
  if ('id' in version) return version.id;
  return 'serial' in version ? `with serial ${version.serial}` : `of ${new Date(version.time).toISOString()} or before`;
};

/**
 * Finds a state version of a workspace.
 * @param name undefined for the current one.
 * @throws Failure `notFound`.
 */
export const findVersion = async (
  invocation: Invocation,
  workspace: FoundWorkspace,
  name: VersionName | undefined,
): Promise<StateVersion> => {
  const { api } = invocation;
  if (name === undefined) return (await api.lookUp(showCurrentState(workspace.id))).document.data;
  if ('id' in name) {
    const { data } = (await api.lookUp(showStateVersion(name.id))).document;
    if (data.relationships.workspace.data?.id === workspace.id) return data;
  } else {
    for await (const version of listVersions(api.lookUp, workspace)) {
      const { serial, 'created-at': created } = version.attributes;
      const isNamed = 'serial' in name ? serial === name.serial : Date.parse(created) <= name.time;
      if (isNamed && hasContent(version)) return version;
    }
  }
  throw new Failure('notFound', `${workspace.name} has no state version ${describeVersion(name)}.`);
};

/** Finds the state version before the current one. @throws Failure `notFound`. */
export const findPreviousVersion = async ({ api }: Invocation, workspace: FoundWorkspace): Promise<StateVersion> => {
  let isOlder = false;
  for await (const version of listVersions(api.lookUp, workspace)) {
    if (isOlder && hasContent(version)) return version;
    isOlder ||= version.id === currentIdOf(workspace);
  }
  throw new Failure('notFound', `${workspace.name} has no state version before the current one.`);
};

/** Downloads the content of a state version. @throws Failure `failed` unless it is complete. */
export async function* readContent(
  { api }: Pick<Invocation, 'api'>,
  { id, attributes: { md5 } }: { readonly id: string; readonly attributes: Pick<StateVersion['attributes'], 'md5'> },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('md5');
  for await (const part of api.download(downloadState(id))) {
    hash.update(part);
    yield part;
  }
  if (hash.digest('hex') !== md5) {
    throw new Failure('failed', `The content of ${id} is not complete: its MD5 is not ${md5}.`);
  }
}

/** The parts of a state file that the service needs to know. */
interface StateFile {
  readonly serial: number;
  readonly lineage: string | null;
  readonly md5: string;
}

/** Reads the serial and the lineage of a state. @throws Failure `usage` unless it is a complete state. */
export const readStateFile = (content: Buffer): StateFile => {
  const state = readState(content);
  if (typeof state === 'string') throw usageError(`${state} Nothing was changed.`);
  const { serial, lineage } = state;
  return { serial, lineage, md5: createHash('md5').update(content).digest('hex') };
};

/** Describes the request that creates a state version, whose content is uploaded separately (STATE-5). */
export const createStateVersion = (workspace: string, attributes: StateFile) =>
  apiRequest('post', '/api/v2/workspaces/{workspace_id}/state-versions', {
    path: { workspace_id: workspace },
    body: { data: { attributes } },
  });
