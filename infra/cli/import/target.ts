import type { RecordOf } from '../../../shared/bundle/types.ts';
import { showOrganization } from '../../../shared/client/organizations.ts';
import { listProjects } from '../../../shared/client/projects.ts';
import type { Project, Schemas } from '../../../shared/client/types.ts';
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
}

type DirectoryRecords = { readonly [T in DirectoryType]: ReadonlyMap<string, RecordOf<T>> };

/** The organization into which an import writes, as it is at the moment. */
export interface Target {
  readonly organization: Schemas['Organization'];
  /** Records of the organization by their keys. */
  readonly directory: DirectoryRecords;
  /** Ids of all workspaces by their names. */
  readonly workspaceIds: ReadonlyMap<string, string>;
  /** Returns whether the caller may create a record. @param project in which a workspace is created. */
  readonly mayCreate: (type: InventoryType, project?: string | null) => boolean;
  /** Reads a workspace by its name. @returns undefined if there is none. */
  readonly workspace: (name: string) => Promise<PresentWorkspace | undefined>;
}

/** Permissions of the organization that a creation needs. Other records need rights on what they belong to. */
const creations: { readonly [T in InventoryType]?: keyof Schemas['Organization']['attributes']['permissions'] } = {
  projects: 'can-create-project',
  teams: 'can-create-team',
  memberships: 'can-manage-membership',
  'agent-pools': 'can-update-agent-pools',
  'ssh-keys': 'can-update-ssh-keys',
  'vcs-connections': 'can-update-oauth',
  workspaces: 'can-create-workspace',
};

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
  const { permissions } = organization.attributes;
  return {
    organization,
    directory,
    mayCreate: (type, project) => {
      const permission = creations[type];
      if (permission === undefined || permissions[permission]) return true;
      if (type !== 'workspaces') return false;
      const isOpen = ({ attributes }: Project): boolean => attributes.permissions['can-create-workspace'];
      // Without a project, it would go into the default project, which no permission of another project helps.
      return (projects ?? []).some((other) => other.attributes.name === project && isOpen(other));
    },
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
        }
      );
    },
  };
};
