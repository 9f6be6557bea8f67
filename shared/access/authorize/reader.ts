import type { AuditTrailPrincipal, Organization, Principal, Project } from '../../domain/directory/records.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';

/** The holder of a token. */
export interface Identity {
  readonly principal: Principal | AuditTrailPrincipal;
}

/**
 * Reads of authorization; the store provides them. `consistent` requests strongly consistent reads, at twice the
 * price of eventually consistent ones. Reads without it are always strongly consistent.
 */
export interface AuthorizationReader {
  readonly findToken: (digest: string, consistent: boolean) => Promise<Identity | undefined>;
  /** @returns the ids of the user's teams; undefined if the user does not belong to the organization. */
  readonly findTeams: (
    user: string,
    organization: string,
    consistent: boolean,
  ) => Promise<readonly string[] | undefined>;
  readonly findOrganization: (name: string, consistent: boolean) => Promise<Organization | undefined>;
  readonly findProject: (id: string, consistent: boolean) => Promise<Project | undefined>;
  readonly find: (id: string) => Promise<Workspace | undefined>;
  /** Maps the name of a workspace to its id and to that of its project. */
  readonly findClaim: (
    organization: string,
    name: string,
  ) => Promise<{ readonly workspace: string; readonly project: string } | undefined>;
  /** @returns whether `consumer` is among the remote state consumers of the workspace. */
  readonly hasConsumer: (workspace: Workspace, consumer: string) => Promise<boolean>;
}
