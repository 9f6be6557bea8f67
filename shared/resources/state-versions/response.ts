import { outputId } from '../../domain/state-versions/state-outputs.ts';
import { type StateOutput, type StateVersion, statusAt } from '../../domain/state-versions/state-version.ts';
import { type Resource, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import { showStateVersionSource } from '../imported-from.ts';
import type { attributes, outputAttributes, workspaceOutputAttributes } from './attributes.ts';

/** Upload URLs of a new version. Only the response that creates it contains them. */
export interface UploadUrls {
  readonly state: string;
  readonly json: string;
}

export interface StateVersionView {
  readonly version: StateVersion;
  /** Origin of the service, for the download URLs. */
  readonly origin: string;
  readonly now: number;
  readonly uploads?: UploadUrls | undefined;
}

const makers: Readonly<Record<string, string>> = { user: 'users', team: 'teams', run: 'runs' };

/** Statuses of versions whose content is deleted (STATE-22). */
const backingDataStatuses = {
  'soft-deleted': 'backing_data_soft_deleted',
  deleted: 'backing_data_permanently_deleted',
} as const;

/** Builds the resource of a state version (STATE-1). */
export const stateVersionResource = ({ version, origin, now, uploads }: StateVersionView): Resource => {
  const { id, workspace, serial, lineage, md5, content, createdBy, run, jsonObject, backingData } = version;
  const isAvailable = backingData === undefined;
  const self = `${BASE_PATH}/state-versions/${id}`;
  const maker = makers[createdBy.kind];
  return {
    id,
    type: 'state-versions',
    attributes: {
      'created-at': timestamp(version.createdAt),
      serial,
      lineage,
      md5,
      size: content?.size ?? null,
      status: backingData === undefined ? statusAt(version, now) : backingDataStatuses[backingData],
      intermediate: version.intermediate,
      'resources-processed': content !== undefined,
      'resource-count': content ? Math.max(0, content.resources) : null,
      'terraform-version': content?.terraformVersion ?? null,
      'state-version': content?.format ?? null,
      'hosted-state-download-url': content && isAvailable ? `${origin}${self}/download` : null,
      'hosted-json-state-download-url': jsonObject && isAvailable ? `${origin}${self}/json-download` : null,
      'hosted-state-upload-url': uploads?.state ?? null,
      'hosted-json-state-upload-url': uploads?.json ?? null,
      'imported-from': showStateVersionSource(version.importedFrom),
      'vcs-commit-sha': null,
      'vcs-commit-url': null,
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      workspace: toOneLinked('workspaces', workspace),
      run: toOneLinked('runs', run),
      'created-by': maker ? toOneLinked(maker, createdBy.id) : { data: null },
      'rollback-state-version': toOne(
        'state-versions',
        version.rolledBackTo ?? null,
        `${BASE_PATH}/state-versions/${version.rolledBackTo}`,
      ),
      outputs: { links: { related: `${self}/outputs` } },
    },
    links: { self },
  };
};

type OutputType = ComputedValues<typeof outputAttributes>['type'];

const kinds: Readonly<Record<string, NonNullable<OutputType>>> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  list: 'array',
  set: 'array',
  tuple: 'array',
  map: 'object',
  object: 'object',
};

/** Returns the type of an output in short: `["list","string"]` is an array. */
const kindOf = (type: unknown): OutputType => kinds[String(Array.isArray(type) ? type[0] : type)] ?? null;

/** Builds the resource of an output. The value of a sensitive output is null unless the output itself is requested. */
export const stateOutputResource = (
  stateVersion: string,
  { name, sensitive, type, value }: StateOutput,
  position: number,
  { reveal = false }: { readonly reveal?: boolean } = {},
): Resource => {
  const id = outputId(stateVersion, position);
  return {
    id,
    type: 'state-version-outputs',
    attributes: {
      name,
      sensitive,
      type: kindOf(type),
      'detailed-type': type,
      value: sensitive && !reveal ? null : value,
    } satisfies ComputedValues<typeof outputAttributes>,
    relationships: {
      configurable: { data: { type: 'state-versions', id: stateVersion } },
    },
    links: { self: `${BASE_PATH}/state-version-outputs/${id}` },
  };
};

/** Builds the resource of an output that is included with its workspace; clients expect another type there (HTTP-29). */
export const workspaceOutputResource = (
  stateVersion: string,
  { name, sensitive, type, value }: StateOutput,
  position: number,
): Resource => {
  const values: ComputedValues<typeof workspaceOutputAttributes> = {
    name,
    sensitive,
    'output-type': kindOf(type),
    value: sensitive ? null : value,
  };
  return { id: outputId(stateVersion, position), type: 'workspace-outputs', attributes: values };
};
