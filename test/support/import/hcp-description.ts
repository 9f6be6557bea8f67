import { createSeededRandom } from '../models/seeded-random.ts';

/** A variable. A sensitive one has a value that no response shows. */
export interface HcpVariable {
  readonly key: string;
  readonly value: string;
  /** Default: `terraform`. */
  readonly category?: 'terraform' | 'env';
  readonly sensitive?: boolean;
  readonly hcl?: boolean;
  readonly description?: string;
}

/** A state version. */
export interface HcpVersion {
  readonly content: Buffer;
  /** Default: that of the content, or 0 if it is no JSON. */
  readonly serial?: number;
  /** Default: `finalized`. */
  readonly status?: 'pending' | 'finalized' | 'discarded' | 'backing_data_soft_deleted';
  /** Default: a second after the previous one. */
  readonly createdAt?: string;
}

/** A notification of a workspace, a project or a team. */
export interface HcpNotification {
  readonly name: string;
  readonly triggers: readonly string[];
}

/** A workspace with what belongs to it. Others are named. */
export interface HcpWorkspace {
  readonly name: string;
  /** Attributes that differ from the defaults. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly project?: string;
  readonly agentPool?: string;
  readonly sshKey?: string;
  /** Name of a connection, and the repository. */
  readonly repository?: { readonly connection: string | null; readonly identifier: string };
  readonly tags?: readonly string[];
  readonly bindings?: Readonly<Record<string, string>>;
  /** Attributes of the data retention policy. */
  readonly retention?: Readonly<Record<string, unknown>>;
  readonly variables?: readonly HcpVariable[];
  /** State versions, the oldest first. The newest finalized one is the current one. */
  readonly versions?: readonly HcpVersion[];
  readonly consumers?: readonly string[];
  /** Levels of teams, or the parts of `custom`. */
  readonly access?: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  /** Workspaces whose runs start runs of this one. */
  readonly runTriggers?: readonly string[];
  readonly notifications?: readonly HcpNotification[];
  /** Statuses of its runs. The last one is the current run. */
  readonly runs?: readonly string[];
}

/** A variable set. */
export interface HcpVariableSet {
  readonly name: string;
  readonly global?: boolean;
  readonly priority?: boolean;
  readonly project?: string;
  readonly workspaces?: readonly string[];
  readonly projects?: readonly string[];
  readonly variables?: readonly HcpVariable[];
}

/** An organization of HCP Terraform. Everything but its workspaces is optional. */
export interface HcpDescription {
  /** Attributes that differ from the defaults. */
  readonly organization?: Readonly<Record<string, unknown>>;
  readonly workspaces: readonly HcpWorkspace[];
  readonly projects?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly bindings?: Readonly<Record<string, string>>;
    readonly access?: Readonly<Record<string, string>>;
    readonly notifications?: readonly HcpNotification[];
  }[];
  readonly teams?: readonly {
    readonly name: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
    readonly tokens?: number;
    readonly notifications?: readonly HcpNotification[];
  }[];
  readonly members?: readonly {
    readonly email: string;
    readonly username: string | null;
    readonly teams: readonly string[];
  }[];
  readonly agentPools?: readonly {
    readonly name: string;
    readonly allowedWorkspaces?: readonly string[];
    readonly tokens?: number;
  }[];
  readonly sshKeys?: readonly string[];
  readonly connections?: readonly { readonly name: string | null; readonly provider: string }[];
  readonly variableSets?: readonly HcpVariableSet[];
  readonly policySets?: readonly string[];
  readonly policies?: readonly string[];
  /** Last parts of paths of endpoints that the plan of the organization does not include, such as `teams`. */
  readonly absent?: readonly string[];
}

/** Writes a state of format 4. */
export const hcpState = (serial: number, lineage: string, size = 0): Buffer =>
  Buffer.from(
    JSON.stringify({
      version: 4,
      terraform_version: '1.9.8',
      serial,
      lineage,
      outputs: {},
      resources: [],
      padding: 'x'.repeat(size),
    }),
  );

/**
 * Describes an organization of workspaces with many state versions, chosen by a seed.
 * @param workspaces number of workspaces.
 * @param versions largest number of state versions of a workspace.
 * @param skew with 1, each number of state versions is equally likely. The larger it is, the fewer workspaces have many.
 */
export const describeMany = (seed: number, workspaces: number, versions: number, skew = 1): HcpDescription => {
  const draw = createSeededRandom(seed);
  return {
    workspaces: Array.from({ length: workspaces }, (_, index) => ({
      name: `workspace-${String(index + 1).padStart(5, '0')}`,
      versions: Array.from({ length: 1 + Math.floor(draw() ** skew * versions) }, (__, version) => ({
        content: hcpState(version + 1, `lineage-${index + 1}`, Math.floor(draw() * 1_000)),
      })),
      variables: [{ key: 'region', value: `region-${index}` }],
    })),
  };
};
