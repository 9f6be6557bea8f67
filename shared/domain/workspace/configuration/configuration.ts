import type {
  AgentPool,
  AppInstallation,
  ExecutionMode,
  Inactivity,
  Organization,
  VcsConnection,
} from '../../directory/records.ts';
import type { Features } from '../../editions.ts';
import type { ImportedFrom } from '../../imported-from.ts';
import type { PatternChecks } from '../patterns.ts';
import type { Execution, LongText, Overwrites, PlainSettings, RuledSettings, Workspace } from '../workspace-record.ts';

/** The part of a workspace that requests configure (WS-22). */
export type Configuration = Pick<Workspace, 'name' | 'settings' | 'text' | 'overwrites' | 'vcsRepo'>;

/** Attributes of a workspace in a request. Absent ones keep their values. */
export interface ConfigurationRequest
  extends Partial<Omit<RuledSettings, 'executionMode' | 'importedFrom'>>,
    Partial<LongText> {
  readonly name?: string;
  readonly executionMode?: ExecutionMode;
  /** Deprecated form of the execution mode: true is remote, false local. */
  readonly operations?: boolean;
  /** The settings without rules, stored as they are. */
  readonly settings?: Partial<PlainSettings>;
  readonly overwrites?: Partial<Overwrites> & { readonly deletionProtection?: boolean };
  readonly vcsRepo?: VcsRepoRequest | null;
  readonly importedFrom?: ImportedFrom | null;
}

/** Attributes of the repository in a request. Absent ones keep their values. */
export interface VcsRepoRequest {
  readonly branch?: string | null;
  readonly identifier?: string;
  readonly ingressSubmodules?: boolean;
  /** Null for a blank one. */
  readonly oauthTokenId?: string | null;
  readonly appInstallationId?: string | null;
  readonly tagsRegex?: string | null;
}

/** Data that the rules need in addition to the request. */
export interface ConfigurationContext {
  readonly features: Pick<Features, 'healthAssessments'>;
  readonly organization: Pick<Organization, 'plan'>;
  /** Execution mode and agent pool that the workspace inherits from its project and organization. */
  readonly inherited: Execution;
  /** All released versions of the infrastructure tool. */
  readonly releases: readonly string[];
  /** Inactivity rule that the workspace inherits from its project. */
  readonly inactivity?: Inactivity | undefined;
  /** The default of `global-remote-state`. */
  readonly globalRemoteState: boolean;
  readonly now: number;
  /** The records of the same organization that the request refers to; absent ones are unknown. */
  readonly agentPool?: AgentPool | undefined;
  /** Agent pools that the workspace may come to use without naming them: the inherited one and, in a move, its own. */
  readonly unnamedPools?: readonly AgentPool[];
  /** Id of the workspace, and of the project in which it will be. */
  readonly identity: Pick<Workspace, 'id' | 'project'>;
  readonly vcsConnection?: VcsConnection | undefined;
  /** In a move, the VCS connection of the repository that the workspace has. */
  readonly keptConnection?: VcsConnection | undefined;
  readonly appInstallation?: AppInstallation | undefined;
  /** Checks the patterns of the request. Few requests have one, so the engines behind the checks are loaded on demand. */
  readonly patterns: PatternChecks;
}

/** Returns the requested value, else the previous one. */
export const given = <T>(value: T | undefined, previous: T): T => (value === undefined ? previous : value);
