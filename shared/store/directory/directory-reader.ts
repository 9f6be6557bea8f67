import type {
  AgentPool,
  AppInstallation,
  Organization,
  Project,
  RecordKind,
  SshKey,
  Team,
  User,
  VcsConnection,
  WorkloadIdentity,
} from '../../domain/directory/records.ts';
import { knownReleases } from '../../domain/infra-versions/releases.ts';
import { isExact, resolveVersion } from '../../domain/infra-versions/versions.ts';
import type { ConfigurationVersion } from '../../domain/runs/configuration-versions.ts';
import type { Run } from '../../domain/runs/run.ts';
import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { startEarly } from '../../lib/start-early.ts';
import { createCache } from '../dynamodb/cache.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, type Key, keys } from '../dynamodb/keys.ts';
import { isOpen, organizationOf, projectOf, withoutKeys } from '../items/directory-items.ts';
import { configurationVersionOf, readmeTextOf, runKeyOf, runOf } from '../items/run-items.ts';
import { stateVersionOf } from '../items/state-version-items.ts';

/** A record by its kind and id. */
export type RecordReference =
  | { readonly kind: keyof DirectoryRecords; readonly id: string }
  | {
      readonly kind: Exclude<keyof WorkspaceRecords, 'run' | 'stateVersion'>;
      readonly id: string;
      readonly workspace: string;
    }
  | RunReference
  | { readonly kind: 'stateVersion'; readonly id: string; readonly workspace: string; readonly at: number };
/** A run, and its creation time if that is known. Without it, or if it is not the one in the key, the pointer is read. */
interface RunReference {
  readonly kind: 'run';
  readonly id: string;
  readonly workspace: string;
  readonly at?: number | undefined;
}
/** Returns the reference of a run of a workspace. The workspace has the creation time of its newest run only. */
export const runReference = ({ id: workspace, run, runAt }: Workspace, id: string): RunReference => ({
  kind: 'run',
  id,
  workspace,
  at: run?.id === id ? runAt : undefined,
});
/** Records that have a partition of their own. */
interface DirectoryRecords {
  readonly user: User;
  readonly team: Team;
  readonly project: Project;
  readonly agentPool: AgentPool;
  readonly appInstallation: AppInstallation;
  readonly sshKey: SshKey;
  readonly vcsConnection: VcsConnection;
  readonly workloadIdentity: WorkloadIdentity;
}
/** Records in the partition of a workspace. */
interface WorkspaceRecords {
  readonly run: Run;
  readonly configurationVersion: ConfigurationVersion;
  readonly stateVersion: StateVersion;
  /** By the configuration version that it is of. */
  readonly readme: { readonly of: string; readonly text: string };
}
type RecordsById = DirectoryRecords & WorkspaceRecords;

/** The record that a reference leads to. */
export type RecordOf<R extends RecordReference> = RecordsById[R['kind']];

/** Finds records by id; undefined for a record that does not exist or is being deleted. */
export type Found = <K extends keyof RecordsById>(kind: K, id: string) => RecordsById[K] | undefined;

type ReferenceKind = RecordKind | 'project';

/** The records to which a request on a workspace may refer; absent if they do not exist. */
export type References = { readonly [K in ReferenceKind]?: DirectoryRecords[K] | undefined };

export type ReferenceIds = { readonly [K in ReferenceKind]?: string | undefined };

/** For how long the list of releases is cached. */
const RELEASES_MILLISECONDS = 60_000;

/** Lists the ids once each, without null. */
const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids)].filter((id) => id !== null);

/** @param cacheMilliseconds for how long an organization and a project are cached, except for consistent reads. */
export const openDirectory = (database: Database, clock: Clock, cacheMilliseconds = 0) => {
  const organizations = createCache<Item>(cacheMilliseconds, clock);
  const projects = createCache<Item>(cacheMilliseconds, clock);
  const releases = createCache<readonly string[]>(RELEASES_MILLISECONDS, clock);

  const readReleases = async (): Promise<readonly string[]> => {
    const item = await database.get(keys.releases());
    return knownReleases({ added: setOf(item?.['added']), removed: setOf(item?.['removed']) });
  };

  const nameOf = ({ kind, id }: Pick<RecordReference, 'kind' | 'id'>): string => `${kind} ${id}`;

  /** Reads the keys of runs from their pointers, by the names of their references. */
  const locate = async (runs: readonly RecordReference[], consistent?: boolean): Promise<ReadonlyMap<string, Key>> => {
    // A run can be referenced twice, for example as current run and as holder of the lock.
    const ids = new Set(runs.map(({ id }) => id));
    const pointers = await database.getAll([...ids].map(keys.pointer), consistent);
    return new Map(pointers.map((item) => [nameOf({ kind: 'run', id: String(item['id']) }), runKeyOf(item)]));
  };

  /** Finds records of all kinds in one call; eventually consistent by default. */
  const findRecords = async (references: readonly RecordReference[], consistent?: boolean): Promise<Found> => {
    // A creation time that the workspace has may be later than that in the key, so a second attempt reads the pointer.
    const unlocated = references.filter((reference) => reference.kind === 'run' && (consistent || !reference.at));
    const located = unlocated.length === 0 ? undefined : await locate(unlocated, consistent);
    const wanted = new Map(
      references.map((reference) => [nameOf(reference), located?.get(nameOf(reference)) ?? keyOf(reference)]),
    );
    const items = (await database.getAll([...wanted.values()], consistent)).filter(isOpen);
    const found = new Map(items.map((item) => [`${item['ty']} ${item['id'] ?? item['of']}`, item]));
    return <K extends keyof RecordsById>(kind: K, id: string) => {
      const item = found.get(`${kind === 'stateVersion' ? 'state-version' : kind} ${id}`);
      return item && ((readers[kind] ?? withoutKeys)(item) as RecordsById[K]);
    };
  };

  return {
    organizations: {
      find: async (name: string, consistent: boolean): Promise<Organization | undefined> => {
        const item = await organizations.get(name, consistent, () => database.get(keys.organization(name), consistent));
        return isOpen(item) ? organizationOf(item) : undefined;
      },
      /** Finds organizations by name, in no particular order. */
      findAll: async (names: readonly string[]): Promise<readonly Organization[]> => {
        const items = await database.getAll(names.map((name) => keys.organization(name)));
        return items.filter(isOpen).map(organizationOf);
      },
    },

    projects: {
      find: async (id: string, consistent: boolean): Promise<Project | undefined> => {
        const item = await projects.get(id, consistent, () => database.get(keys.project(id), consistent));
        return isOpen(item) ? projectOf(item) : undefined;
      },
    },

    records: {
      find: findRecords,
      /**
       * Finds agent pools and VCS connections by id, strongly consistent, because their scope decides who may use them. Null
       * is none.
       * @returns those that exist.
       */
      findScoped: async (ids: {
        readonly agentPools: readonly (string | null)[];
        readonly vcsConnections?: readonly (string | null)[];
      }) => {
        const [pools, connections] = [distinct(ids.agentPools), distinct(ids.vcsConnections ?? [])];
        const found = await findRecords(
          [
            ...pools.map((id) => ({ kind: 'agentPool', id }) as const),
            ...connections.map((id) => ({ kind: 'vcsConnection', id }) as const),
          ],
          true,
        );
        return {
          agentPools: pools.flatMap((id) => found('agentPool', id) ?? []),
          vcsConnections: connections.flatMap((id) => found('vcsConnection', id) ?? []),
        };
      },

      /**
       * Starts to read all records that a body refers to, in one call.
       * @returns `found`: the records of all organizations; one that is missing may be too new for an eventually consistent
       *   read. `within`: the records of an organization; one that is missing there is looked for again with strong
       *   consistency, whether it does not exist or belongs to another organization (PERM-21).
       */
      findReferences: (ids: ReferenceIds) => {
        const references = (Object.keys(ids) as ReferenceKind[]).flatMap((kind) => {
          const id = ids[kind];
          return id === undefined ? [] : [{ kind, id }];
        });
        const read = async (consistent: boolean): Promise<References> => {
          const found = await findRecords(references, consistent);
          return Object.fromEntries(references.map(({ kind, id }) => [kind, found(kind, id)]));
        };
        // The scope of a pool or connection may just have changed, and it decides whether a workspace may use it.
        const isConsistent = ids.agentPool !== undefined || ids.vcsConnection !== undefined;
        const found = startEarly(read(isConsistent));
        const within = async (organization: string): Promise<References> => {
          const known = ofOrganization(await found, organization);
          const isComplete = references.every(({ kind }) => known[kind] !== undefined);
          return isComplete || isConsistent ? known : ofOrganization(await read(true), organization);
        };
        return { found, within };
      },
    },

    releases: {
      /**
       * Finds the releases of the infrastructure tool against which a version is resolved: a minute old at most, and fresh
       * if no older one meets it. None, without a read, for an exact version, which stands for itself.
       */
      find: async (version?: string): Promise<readonly string[]> => {
        if (version !== undefined && isExact(version)) return [];
        const read = async (fresh: boolean) => (await releases.get('', fresh, readReleases)) ?? [];
        const known = await read(false);
        return version === undefined || resolveVersion(version, known) !== undefined ? known : read(true);
      },
    },
  };
};

/** Restricts references to one organization. Records of other organizations are treated as if they did not exist. */
const ofOrganization = (references: References, organization: string): References =>
  Object.fromEntries(Object.entries(references).filter(([, record]) => record?.organization === organization));

const keyOf = (reference: RecordReference): Key => {
  switch (reference.kind) {
    case 'agentPool':
    case 'appInstallation':
    case 'sshKey':
    case 'vcsConnection':
    case 'workloadIdentity':
      return keys.record(reference.kind, reference.id);
    case 'readme':
      return keys.readme(reference.workspace);
    case 'stateVersion':
      return keys.stateVersion(reference.workspace, reference.at, reference.id);
    case 'run':
      return keys.run(reference.workspace, reference.at, reference.id);
    case 'configurationVersion':
      return keys.configurationVersion(reference.workspace, reference.id);
    default:
      return keys[reference.kind](reference.id);
  }
};

/** Conversions of items that are more than the removal of keys. */
const readers: { readonly [K in keyof RecordsById]?: (item: Item) => unknown } = {
  project: projectOf,
  run: runOf,
  configurationVersion: configurationVersionOf,
  stateVersion: stateVersionOf,
  readme: (item) => ({ of: item['of'], text: readmeTextOf(item) }),
};

const setOf = (value: unknown): string[] => (value instanceof Set ? [...value] : []);
