import type { RecordOf } from '../../../shared/bundle/types.ts';
import { showOrganization } from '../../../shared/client/organizations.ts';
import { listProjects } from '../../../shared/client/projects.ts';
import type { Project, Schemas, Workspace } from '../../../shared/client/types.ts';
import { listAllWorkspaces } from '../../../shared/client/workspaces.ts';
import type { Api } from '../api.ts';
import { keyOf } from '../bundle/canonical.ts';
import { type DirectoryNames, readDirectory } from '../export/directory.ts';
import { addWorkspace } from '../export/organization.ts';
import { openReader } from '../export/reader.ts';
import { readWorkspace } from '../export/workspaces.ts';
import type { Io } from '../io.ts';
import { type DirectoryType, directoryTypes, type InventoryType } from './inventory.ts';

/** A state version that the target has. */
export interface PresentVersion {
  readonly id: string;
  readonly record: Omit<RecordOf<'state-versions'>, 'sha256' | 'position'>;
  readonly md5: string;
  readonly hasContent: boolean;
}

/** A workspace that the target has, with everything that belongs to it. */
export interface PresentWorkspace {
  readonly id: string;
  readonly workspace: RecordOf<'workspaces'>;
  readonly variables: readonly RecordOf<'variables'>[];
  readonly access: readonly RecordOf<'workspace-access'>[];
  readonly consumers: readonly RecordOf<'remote-state-consumers'>[];
  /** The oldest first, without those that never became a state. */
  readonly versions: readonly PresentVersion[];
  /** Entity tag of the settings. */
  readonly etag: string | undefined;
  /** Returns whether the caller may change the workspace, or write what belongs to it. */
  readonly mayWrite: (type: InventoryType) => boolean;
}

/** Decides whether the caller may write a record. @param isPresent whether the target has it already. */
export type MayWrite = <T extends InventoryType>(type: T, record: RecordOf<T>, isPresent: boolean) => boolean;

type DirectoryRecords = { readonly [T in DirectoryType]: ReadonlyMap<string, RecordOf<T>> };

/** The organization into which an import writes, as it is at the moment. */
export interface Target {
  readonly organization: Schemas['Organization'];
  /** Records of the organization by their keys. */
  readonly directory: DirectoryRecords;
  /** Ids of all workspaces by their names. */
  readonly workspaceIds: ReadonlyMap<string, string>;
  /** Returns whether the caller may create a record of the organization or a workspace, or change the present one. */
  readonly mayWrite: MayWrite;
  /** Reads a workspace by its name. @returns undefined if there is none. */
  readonly workspace: (name: string) => Promise<PresentWorkspace | undefined>;
}

/** Permissions of the organization that its records need. */
const organizationPermissions = {
  organization: 'can-update',
  projects: 'can-create-project',
  teams: 'can-create-team',
  memberships: 'can-manage-membership',
  'agent-pools': 'can-update-agent-pools',
  'ssh-keys': 'can-update-ssh-keys',
  'vcs-connections': 'can-update-oauth',
  'reserved-tag-keys': 'can-manage-tags',
  'workload-identities': 'can-create-team',
  'variable-sets': 'can-manage-varsets',
  'variable-set-variables': 'can-manage-varsets',
  'project-access': 'can-create-project',
  workspaces: 'can-create-workspace',
} as const satisfies { readonly [T in InventoryType]?: keyof Schemas['Organization']['attributes']['permissions'] };

/** Permissions of a workspace that it needs, and what belongs to it. */
const workspacePermissions = {
  workspaces: ['can-update'],
  variables: ['can-update-variable'],
  'workspace-access': ['can-manage-teams'],
  'remote-state-consumers': ['can-update'],
  'state-versions': ['can-lock', 'can-create-state-versions'],
} as const satisfies { readonly [T in InventoryType]?: readonly (keyof Workspace['attributes']['permissions'])[] };

const isOf = <R extends object>(table: R, type: InventoryType): type is keyof R & InventoryType => type in table;

/** Decides by the permissions of the organization, and of its projects where they are enough. */
const decideInOrganization =
  (
    { attributes: { permissions } }: Schemas['Organization'],
    projects: ReadonlyMap<string, Project['attributes']['permissions']>,
    sets: readonly RecordOf<'variable-sets'>[],
  ): MayWrite =>
  (type, record, isPresent) => {
    if (!isOf(organizationPermissions, type) || permissions[organizationPermissions[type]]) return true;
    const named = record as {
      readonly name?: string;
      readonly project?: string | null;
      readonly 'variable-set'?: string;
    };
    // Without a project, a workspace would go into the default project, which no permission of another project helps.
    const owner = projects.get((type === 'projects' ? named.name : named.project) ?? '');
    if (type === 'workspaces') return owner?.['can-create-workspace'] === true;
    if (type === 'projects') return isPresent && owner?.['can-update'] === true;
    if (type === 'project-access') return owner?.['can-manage-teams'] === true;
    if (type !== 'variable-sets' && type !== 'variable-set-variables') return false;
    // The access to the project that owns a set decides about it, which only a request shows.
    if (type === 'variable-sets') return Boolean((record as RecordOf<'variable-sets'>)['owner-project']);
    return sets.some((set) => set.name === named['variable-set'] && Boolean(set['owner-project']));
  };

/** Decides by the permissions of a workspace. */
const decideInWorkspace =
  (permissions: Workspace['attributes']['permissions']): PresentWorkspace['mayWrite'] =>
  (type) =>
    !isOf(workspacePermissions, type) || workspacePermissions[type].every((permission) => permissions[permission]);

/** Collects records by their types. */
const createCollector = () => {
  const records = new Map<string, unknown[]>();
  return {
    add: async (type: string, record: unknown): Promise<void> => {
      const ofType = records.get(type);
      if (ofType === undefined) records.set(type, [record]);
      else ofType.push(record);
    },
    of: <R>(type: string): readonly R[] => (records.get(type) ?? []) as readonly R[],
  };
};

/**
 * Reads the organization into which an import writes, with the code that exports it, so that both sides have the same form.
 */
export const openTarget = async (io: Io, api: Api, name: string): Promise<Target> => {
  const reader = openReader(io, api);
  const { document } = await reader.read(showOrganization(name));
  const organization = document.data;
  const workspaceIds = new Map<string, string>();
  for await (const { data } of reader.pages((page) => listAllWorkspaces(name, page, 100))) {
    for (const { id, attributes } of data) workspaceIds.set(attributes.name, id);
  }
  const namesById = new Map([...workspaceIds].map(([workspace, id]) => [id, workspace]));
  const collector = createCollector();
  const names: DirectoryNames = await readDirectory(reader, collector, organization, namesById);
  const directory = Object.fromEntries(
    directoryTypes.map((type) => [
      type,
      new Map(collector.of<never>(type).map((record) => [keyOf(type, record), record])),
    ]),
  ) as unknown as DirectoryRecords;
  const projects = await reader.listOptional<Project>((page) => listProjects(name, page, 100));
  return {
    organization,
    directory,
    mayWrite: decideInOrganization(
      organization,
      new Map((projects ?? []).map(({ attributes: { name: project, permissions } }) => [project, permissions])),
      [...directory['variable-sets'].values()],
    ),
    workspaceIds,
    workspace: async (workspace) => {
      const id = workspaceIds.get(workspace);
      const found = id === undefined ? undefined : await readWorkspace(reader, name, id, 'all');
      if (found === undefined) return undefined;
      const { add, of } = createCollector();
      await addWorkspace({ sink: { add }, addVersion: async () => undefined }, found, names, namesById);
      const [record] = of<RecordOf<'workspaces'>>('workspaces');
      return (
        record && {
          id: found.id,
          workspace: record,
          variables: of('variables'),
          access: of('workspace-access'),
          consumers: of('remote-state-consumers'),
          versions: found.versions,
          etag: found.etag,
          mayWrite: decideInWorkspace(found.permissions),
        }
      );
    },
  };
};
