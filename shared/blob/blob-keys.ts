import { isId } from '../domain/ids.ts';

/** The only speller of the objects' keys. */

/** What objects of a state version are: its raw content, or the same as JSON. */
const statePrefixes = { state: 'states/', json: 'json-states/' } as const;
type StateObject = keyof typeof statePrefixes;

interface Whose {
  readonly workspace: string;
  readonly id: string;
  /** When the version was created, in milliseconds. */
  readonly createdAt: number;
}

export const stateKey = (kind: StateObject, { workspace, createdAt, id }: Whose): string =>
  `${statePrefixes[kind]}${workspace}/${String(createdAt).padStart(13, '0')}/${id}`;

/** The keys of all objects of a state version. */
export const stateKeys = (whose: Whose): readonly string[] => [stateKey('state', whose), stateKey('json', whose)];

/** Whose object a key is of; undefined for every other key. */
export const readStateKey = (key: string): (Whose & { readonly kind: StateObject }) | undefined => {
  const [, kind, workspace = '', time = '', id = ''] =
    /^(states|json-states)\/([^/]+)\/(\d{13})\/([^/]+)$/.exec(key) ?? [];
  if (kind === undefined || !isId('workspace', workspace) || !isId('stateVersion', id)) return undefined;
  return { kind: kind === 'states' ? 'state' : 'json', workspace, createdAt: Number(time), id };
};

/** Where a runner puts the README.md of a configuration version that is too long for an event. */
export const readmeKey = (workspace: string, configurationVersion: string): string =>
  `readmes/${workspace}/${configurationVersion}`;

/** Where the snapshot of an organization's list index lies. */
export const listIndexKey = (organization: string): string => `catalogues/${organization}`;
