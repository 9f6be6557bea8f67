import type { ChangeRecord } from '../changes/change-records.ts';
import type { Image } from '../changes/conditions.ts';
import type { Grants, WorkspaceGrant } from '../directory/grants.ts';
import type { ExecutionMode, Inactivity, Organization, Project, ServiceProvider } from '../directory/records.ts';
import type { RunMetrics } from '../runs/run-metrics.ts';
import type { RetentionPolicy } from '../state-versions/retention-policy.ts';
import type { FinalizedStateVersion, PendingStateVersion } from '../state-versions/state-version.ts';
import type { Tags } from '../tags/tag.ts';
import type { ConsumerSet } from './consumer-set.ts';

/**
 * A workspace as it is stored: one item, so that every rule about it is one condition (STORE-1).
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
  /** The revision that the long text is of, where it lies in an item of its own. */
  readonly textRevision?: number;
  readonly overwrites: Overwrites;
  readonly vcsRepo: VcsRepo | null;
  readonly sshKey: string | null;
  readonly tags: Tags;
  readonly access: Grants<WorkspaceGrant>;
  /** Whether it has ever had a variable. */
  readonly hasVariables?: boolean;
  /** How many it has now; absent where it never had one. */
  readonly variableCount?: number;
  /** Where its remote state consumers are written; absent where none ever were. */
  readonly consumers?: ConsumerSet;
  /** Its own; absent where the organization's default applies. */
  readonly retentionPolicy?: RetentionPolicy;
  /** The newest run; its status and creation lie beside it, for lists. */
  readonly run?: CurrentRun;
  readonly runStatus?: string;
  readonly runAt?: number;
  /** Of its past runs; absent before any has errored or been applied. */
  readonly runMetrics?: RunMetrics;
  /** Whether it has ever had a configuration version. */
  readonly hasConfigurations?: boolean;
  /** What new runs work with, and when that was made. */
  readonly configurationVersion?: { readonly id: string; readonly at: number };
  /** Whose README.md it shows. */
  readonly readme?: ReadmeSource;
  /** Grows with every change of the settings: two updates at once see each other by it. */
  readonly revision: number;
  /** Grows with every lock, unlock and force-unlock: a late request finds that its moment has passed. */
  readonly fence: number;
  /** Grows by one with every change that is announced. */
  readonly sequence: number;
  readonly change: ChangeRecord;
  readonly lock?: Lock;
  readonly released?: { readonly id: string; readonly request: string };
  /** How many state versions it has; absent where it never had one. */
  readonly stateVersions?: number;
  /** The newest state version, while its content has not been read. */
  readonly pending?: PendingStateVersion;
  /** The newest finalized intermediate state version. */
  readonly intermediate?: FinalizedStateVersion;
  readonly current: FinalizedStateVersion | null;
  /** Of the newest finalized state version: what the next one has to follow. */
  readonly serial?: number;
  readonly lineage?: string;
  readonly md5?: string;
  /** When an attribute that lists show last changed; never twice the same. */
  readonly listedAt: number;
  /** When something last happened in it that auto-destroy counts; only kept where inactivity counts. */
  readonly activityAt?: number;
  /** What its project passes on of auto-destroy, as far as it has been told. */
  readonly projectInactivity?: Inactivity;
  /** The last due time at which a destroy run was asked for. */
  readonly destroyRequested?: number;
  /** Time at which the next destroy run is due: the result of `computeDueTime`, stored for the cleanup. */
  readonly due?: number;
  /** Set once it is deleted: a tombstone, seen by nobody but the clean-up. */
  readonly gone?: number;
}

export interface CurrentRun {
  readonly id: string;
  readonly configurationVersion: string | null;
}

/** The report of a configuration version that brought it: of the newest one the last. */
export interface ReadmeSource {
  readonly configurationVersion: string;
  readonly createdAt: number;
  readonly at: number;
}

export interface Lock {
  readonly id: string;
  readonly kind: 'User' | 'Team' | 'Run';
  /** Id of the user, team or run that holds it. */
  readonly by: string;
  /** What a refusal calls the holder. */
  readonly name: string;
  readonly reason: string;
  readonly at: number;
}

/** What may grow long, and lies in an item of its own when it does: locks should not pay for it. */
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
  /** When the next scheduled destroy run is due. */
  readonly autoDestroyAt: number | null;
  readonly autoDestroyActivityDuration: string | null;
  readonly inheritsProjectAutoDestroy: boolean;
  /** The workspace's own mode and pool; null where it inherits. */
  readonly executionMode: ExecutionMode | null;
  readonly agentPool: string | null;
  readonly fileTriggersEnabled: boolean;
  readonly globalRemoteState: boolean;
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  /** As given: an exact version, a constraint, or `latest`. */
  readonly infraVersion: string;
}

/** The settings of a workspace, stored as one map. */
export interface Settings extends RuledSettings, PlainSettings {}

/** True: the workspace keeps its own value. False: it inherits. */
export interface Overwrites {
  readonly executionMode: boolean;
  readonly agentPool: boolean;
}

export interface VcsRepo {
  /** Empty: the repository's default branch. */
  readonly branch: string;
  readonly identifier: string;
  readonly ingressSubmodules: boolean;
  readonly oauthTokenId: string | null;
  readonly appInstallationId: string | null;
  readonly tagsRegex: string | null;
  /** Of the connection, kept here so that showing a workspace needs no further read. */
  readonly serviceProvider: ServiceProvider | 'github_app';
  readonly httpUrl: string;
  readonly clientName: string | null;
}

type Defaults = Pick<Organization, 'defaultExecutionMode' | 'defaultAgentPool'>;
type ProjectDefaults = Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool'>;

/** What a workspace inherits: its project's default, then the organization's. A pool goes with the mode beside it. */
export const inheritedExecution = (organization: Defaults, project: ProjectDefaults): Execution => {
  const from = project.defaultExecutionMode === null ? organization : project;
  return {
    mode: from.defaultExecutionMode ?? 'remote',
    agentPool: from.defaultAgentPool ?? organization.defaultAgentPool,
  };
};

export interface Execution {
  readonly mode: ExecutionMode;
  readonly agentPool: string | null;
}

/**
 * The mode and pool in force: the workspace's own where it overwrites, else the inherited; a pool only in agent mode.
 */
export const effectiveExecution = (
  { settings, overwrites }: Pick<Workspace, 'settings' | 'overwrites'>,
  inherited: Execution,
): Execution => {
  const mode = (overwrites.executionMode ? settings.executionMode : null) ?? inherited.mode;
  const pool = (overwrites.agentPool ? settings.agentPool : null) ?? inherited.agentPool;
  return { mode, agentPool: mode === 'agent' ? pool : null };
};

/** The workspace as an item that conditions speak of; its key is what tells an item from nothing. */
export const toImage = (workspace: Workspace): Image => ({ pk: workspace.id, ...workspace });

export const isAlive = (workspace: Workspace | undefined): workspace is Workspace =>
  workspace !== undefined && workspace.gone === undefined;
