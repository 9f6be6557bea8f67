import { isId } from '../domain/ids.ts';

/** Prefixes of the two objects of a state version: its raw content and its JSON form. */
const statePrefixes = { state: 'states/', json: 'json-states/' } as const;
type StateObject = keyof typeof statePrefixes;

interface StateVersionKey {
  readonly workspace: string;
  readonly id: string;
  /** Creation of the state version, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Builds the key of an object of a state version. */
export const stateKey = (kind: StateObject, { workspace, createdAt, id }: StateVersionKey): string =>
  `${statePrefixes[kind]}${workspace}/${String(createdAt).padStart(13, '0')}/${id}`;

/** Builds the prefix of the keys of the states of a workspace. */
export const statesPrefix = (workspace: string): string => `${statePrefixes.state}${workspace}/`;

/** Builds the keys of all objects of a state version. */
export const stateKeys = (version: StateVersionKey): readonly string[] => [
  stateKey('state', version),
  stateKey('json', version),
];

/** Parses the key of an object of a state version; undefined for any other key. */
export const readStateKey = (key: string): (StateVersionKey & { readonly kind: StateObject }) | undefined => {
  const [, kind, workspace = '', time = '', id = ''] =
    /^(states|json-states)\/([^/]+)\/(\d{13})\/([^/]+)$/.exec(key) ?? [];
  if (kind === undefined || !isId('workspace', workspace) || !isId('stateVersion', id)) return undefined;
  return { kind: kind === 'states' ? 'state' : 'json', workspace, createdAt: Number(time), id };
};

/** Builds the key at which a runner stores the README.md of a configuration version that is too long for an event. */
export const readmeKey = (workspace: string, configurationVersion: string): string =>
  `readmes/${workspace}/${configurationVersion}`;

/**
 * Builds the key of a part of an exported history.
 * @param workspace id of the workspace; undefined for the whole organization.
 * @param cursor position of the first entry of the part.
 */
export const historyExportKey = (organization: string, workspace: string | undefined, cursor: string): string =>
  `history-exports/${organization}/${workspace === undefined ? '' : `${workspace}/`}${cursor}.jsonl`;

/** Builds the key of the report of a bulk job. */
export const jobReportKey = (job: string): string => `bulk-jobs/${job}.jsonl`;

/** Builds the key of the list index snapshot of an organization. */
export const listIndexKey = (organization: string): string => `catalogues/${organization}`;
