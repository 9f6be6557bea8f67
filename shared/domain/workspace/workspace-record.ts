import type { ChangeRecord } from '../changes/change-records.ts';
import type { Image } from '../changes/conditions.ts';
import type { Grants, WorkspaceGrant } from '../directory/grants.ts';
import type { ExecutionMode, Inactivity, Organization, Project, ServiceProvider } from '../directory/records.ts';
import { type ImportedFrom, sourceKey } from '../imported-from.ts';
import type { RunMetrics } from '../runs/run-metrics.ts';
import type { RetentionPolicy } from '../state-versions/retention-policy.ts';
import type { FinalizedStateVersion, PendingStateVersion } from '../state-versions/state-version.ts';
import type { Tags } from '../tags/tag.ts';
import type { ConsumerSet } from './consumer-set.ts';

/**
 * A workspace. It is stored as one item, so that every rule about it is one condition (STORE-1).
 * Times are milliseconds since the epoch.
 */
export interface Workspace {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly project: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Creation of the newest state version, else of the workspace. */
  readonly latestChangeAt: number;
  readonly settings: Settings;
  readonly text: LongText;
  /** Revision of the long text, if that is stored in an item of its own. */
  readonly textRevision?: number;
  readonly overwrites: Overwrites;
  readonly vcsRepo: VcsRepo | null;
  readonly sshKey: string | null;
  readonly tags: Tags;
  readonly access: Grants<WorkspaceGrant>;
  /** Whether the workspace has ever had a variable. */
  readonly hasVariables?: boolean;
  /** Number of variables; absent if there has never been one. */
  readonly variableCount?: number;
  /** Metadata of its remote state consumers; absent if there have never been any. */
  readonly consumers?: ConsumerSet;
  /** Data retention policy of the workspace; absent if the organization's default applies. */
  readonly retentionPolicy?: RetentionPolicy;
  /** The newest run. Its status and creation time are separate attributes, for the list index. */
  readonly run?: CurrentRun;
  readonly runStatus?: string;
  readonly runAt?: number;
  /** Number of runs; absent if there has never been one, or if some are of a release that did not count them. */
  readonly runCount?: number;
  /** Metrics of its past runs; absent until one has errored or been applied. */
  readonly runMetrics?: RunMetrics;
  /** Whether the workspace has ever had a configuration version. */
  readonly hasConfigurations?: boolean;
  /** True once a variable set has been assigned. */
  readonly hasVariableSets?: boolean;
  /** Id and creation time of the configuration version that new runs use. */
  readonly configurationVersion?: { readonly id: string; readonly at: number };
  /** Source of the README.md that the workspace shows. */
  readonly readme?: ReadmeSource;
  /** Counter that every change of the settings increments, for optimistic concurrency control. */
  readonly revision: number;
  /** Fencing token: a counter that every lock change increments, so that a late request has no effect. */
  readonly fence: number;
  /** Counter that every published change increments by one. */
  readonly sequence: number;
  readonly change: ChangeRecord;
  readonly lock?: Lock;
  /** The reason of the lock, if it is long (STORE-31). The store splits and joins it. */
  readonly lockReason?: string;
  /** The last lock that ended, and the request that released it; absent if its lease expired. */
  readonly released?: { readonly id: string; readonly request?: string };
  /** Number of state versions; absent if there has never been one. */
  readonly stateVersions?: number;
  /** The newest state version, until its content has been read. */
  readonly pending?: PendingStateVersion;
  /** The newest finalized intermediate state version. */
  readonly intermediate?: FinalizedStateVersion;
  readonly current: FinalizedStateVersion | null;
  /** Serial of the newest finalized state version. The next one must not be lower (STATE-3). */
  readonly serial?: number;
  readonly lineage?: string;
  readonly md5?: string;
  /** Copies of the settings that lists filter by. The store writes them (STORE-31). */
  readonly listedSettings?: ListedSettings;
  /** Time of the last change of an attribute of the list index. It is different for every change. */
  readonly listedAt: number;
  /** Time of the last activity (DESTROY-3); recorded only while an inactivity rule applies. */
  readonly activityAt?: number;
  /** Copy of the inactivity rule of its project, which is updated with delay. */
  readonly projectInactivity?: Inactivity;
  /** Last due time for which a destroy run was requested. */
  readonly destroyRequested?: number;
  /** Time at which the next destroy run is due: the result of `computeDueTime`, stored for the cleanup. */
  readonly due?: number;
  /**
   * The stored workspace, if the lease of its lock has expired and no write has ended the lock yet (LOCK-20). The
   * other members then show the workspace without the lock. It is never stored.
   */
  readonly stored?: Workspace;
  /** Time of the deletion. A workspace that has it is a tombstone. */
  readonly deletedAt?: number;
  /** End of the time in which a deleted workspace can be restored (DEL-16). A tombstone without it is final. */
  readonly purgeAt?: number;
  /** The last restoration: the id of its request, and of the request whose deletion it undid. */
  readonly restoration?: { readonly request: string; readonly deletion?: string };
}

/** The newest run of a workspace. */
export interface CurrentRun {
  readonly id: string;
  readonly configurationVersion: string | null;
}

/** The report that contained the README.md: the last report of the newest configuration version that has one. */
export interface ReadmeSource {
  readonly configurationVersion: string;
  readonly createdAt: number;
  readonly at: number;
}

/** A lock of a workspace. */
export interface Lock {
  readonly id: string;
  readonly kind: 'User' | 'Team' | 'Run';
  /** Id of the user, team or run that holds it. */
  readonly by: string;
  /** Name of the holder in error details. */
  readonly name: string;
  readonly reason: string;
  readonly at: number;
  /** Length of its lease in seconds; absent for a lock without one, which never expires. */
  readonly leaseSeconds?: number;
  /** End of its lease. */
  readonly expiresAt?: number;
  /** Id of the request that last renewed its lease. */
  readonly renewedBy?: string;
}

/**
 * The settings that lists filter by: execution mode, version of the infrastructure tool, deletion protection, and the key of the
 * source that the workspace was imported from. They are the workspace's own values, absent where it inherits or was not imported.
 * The names are short, because the copies make the item larger.
 */
export interface ListedSettings {
  readonly m?: ExecutionMode;
  readonly v: string;
  readonly p?: boolean;
  readonly f?: string;
}

/** Returns the settings that lists filter by. */
export const listedSettings = ({ settings }: Pick<Workspace, 'settings'>): ListedSettings => {
  const { executionMode, infraVersion, deletionProtection, importedFrom } = settings;
  return {
    ...(executionMode !== null && { m: executionMode }),
    v: infraVersion,
    ...(typeof deletionProtection === 'boolean' && { p: deletionProtection }),
    ...(importedFrom !== undefined && { f: sourceKey(importedFrom) }),
  };
};

/** Text that is stored in an item of its own if it is long, so that a lock request does not pay for it. */
export interface LongText {
  readonly description: string | null;
  readonly triggerPatterns: readonly string[];
  readonly triggerPrefixes: readonly string[];
}

/**
 * Settings that no rule reads: they are stored and returned as requests send them. Each is declared, with its default, by
 * its entry in the attribute table of workspaces (`shared/resources/workspaces/attributes.ts`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the attribute table adds the members.
export interface PlainSettings {}

/** Settings with rules of their own. */
export interface RuledSettings {
  readonly assessmentsEnabled: boolean;
  /** Time of the next scheduled destroy run. */
  readonly autoDestroyAt: number | null;
  readonly autoDestroyActivityDuration: string | null;
  readonly inheritsProjectAutoDestroy: boolean;
  /** The workspace's own mode and pool; null where it inherits. */
  readonly executionMode: ExecutionMode | null;
  readonly agentPool: string | null;
  readonly fileTriggersEnabled: boolean;
  readonly globalRemoteState: boolean;
  /** Absent on workspaces that were created before the setting existed. */
  readonly projectRemoteState?: boolean;
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  /** Absent unless the workspace was imported. */
  readonly importedFrom?: ImportedFrom;
  /** The workspace's own deletion protection; null or absent where it inherits (DEL-11). */
  readonly deletionProtection?: boolean | null;
  /** As given: an exact version, a constraint, or `latest`. */
  readonly infraVersion: string;
}

/** The settings of a workspace, stored as one map. */
export interface Settings extends RuledSettings, PlainSettings {}

/**
 * Returns which workspaces may read the state of a workspace in their runs (WS-49): all of its organization, all of
 * its project, or its remote state consumers.
 */
export const stateReaders = ({
  globalRemoteState,
  projectRemoteState,
}: Pick<Settings, 'globalRemoteState' | 'projectRemoteState'>): 'organization' | 'project' | 'consumers' => {
  if (globalRemoteState) return 'organization';
  return projectRemoteState ? 'project' : 'consumers';
};

/** True: the workspace keeps its own value. False: it inherits. */
export interface Overwrites {
  readonly executionMode: boolean;
  readonly agentPool: boolean;
}

/** The VCS repository of a workspace. */
export interface VcsRepo {
  /** Empty for the default branch of the repository. */
  readonly branch: string;
  readonly identifier: string;
  readonly ingressSubmodules: boolean;
  readonly oauthTokenId: string | null;
  readonly appInstallationId: string | null;
  readonly tagsRegex: string | null;
  /** Copy from the connection, so that showing a workspace needs no further read. */
  readonly serviceProvider: ServiceProvider | 'github_app';
  readonly httpUrl: string;
  readonly clientName: string | null;
}

type Defaults = Pick<Organization, 'defaultExecutionMode' | 'defaultAgentPool'>;
type ProjectDefaults = Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'>;

/** Returns the execution mode and agent pool that a workspace inherits: its project's default, else the organization's. */
export const inheritedExecution = (organization: Defaults, project: ProjectDefaults): Execution => {
  const from = project.defaultExecutionMode === null ? organization : project;
  return {
    mode: from.defaultExecutionMode ?? 'remote',
    agentPool: from.defaultAgentPool ?? organization.defaultAgentPool,
  };
};

/** An execution mode and its agent pool. */
export interface Execution {
  readonly mode: ExecutionMode;
  readonly agentPool: string | null;
}

/**
 * Returns the execution mode and agent pool that apply: the workspace's own if it overwrites them, else the inherited
 * ones. Only agent mode has a pool. A workspace whose own mode is agent falls back to the pool that it stores.
 */
export const effectiveExecution = (
  { settings, overwrites }: Pick<Workspace, 'settings' | 'overwrites'>,
  inherited: Execution,
): Execution => {
  const mode = (overwrites.executionMode ? settings.executionMode : null) ?? inherited.mode;
  const pools = [settings.agentPool, inherited.agentPool];
  const [first, second] = overwrites.agentPool ? pools : pools.toReversed();
  return { mode, agentPool: mode === 'agent' ? (first ?? second ?? null) : null };
};

type ProtectionDefault = { readonly defaultDeletionProtection?: boolean | null };

/** Returns the deletion protection that a workspace inherits: its project's default, else the organization's (DEL-11). */
export const inheritedProtection = (organization: ProtectionDefault, project: ProtectionDefault): boolean =>
  project.defaultDeletionProtection ?? organization.defaultDeletionProtection ?? false;

/**
 * Tells whether a workspace is protected against deletion: by its own value, else by the inherited one.
 * @param inherited result of `inheritedProtection`.
 */
export const isProtected = ({ settings }: Pick<Workspace, 'settings'>, inherited: boolean): boolean =>
  settings.deletionProtection ?? inherited;

/** Converts a workspace to the image that conditions are evaluated on. `pk` shows that the item exists. */
export const toImage = (workspace: Workspace): Image => ({ pk: workspace.id, ...workspace });

/** Tells whether a workspace exists and is not deleted. */
export const isAlive = (workspace: Workspace | undefined): workspace is Workspace =>
  workspace !== undefined && workspace.deletedAt === undefined;

/** A deleted workspace that can be restored. */
export type RestorableWorkspace = Workspace & { readonly deletedAt: number; readonly purgeAt: number };

/** Tells whether a workspace is deleted and can be restored at a time, in milliseconds (DEL-16). */
export const isRestorable = (workspace: Workspace | undefined, at: number): workspace is RestorableWorkspace =>
  workspace?.deletedAt !== undefined && workspace.purgeAt !== undefined && at < workspace.purgeAt;
