import type {
  AuditTrailPrincipal,
  CallerMembership,
  Organization,
  Principal,
  Project,
} from '../../domain/directory/records.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';

/** The holder of a token. */
export interface Identity {
  readonly principal: Principal | AuditTrailPrincipal;
}

/** Finds a record by its id, or an organization by its name. */
export type FindById<R> = (id: string, consistent: boolean) => Promise<R | undefined>;

/**
 * Reads of authorization; the store provides them. `consistent` requests strongly consistent reads, at twice the
 * price of eventually consistent ones. Reads without it are always strongly consistent.
 */
export interface AuthorizationReader {
  readonly identities: {
    readonly findToken: (digest: string, consistent: boolean) => Promise<Identity | undefined>;
    /** @returns the memberships of the user by the name of each organization that the user belongs to. */
    readonly findCallerMemberships: (
      user: string,
      consistent: boolean,
    ) => Promise<ReadonlyMap<string, CallerMembership>>;
  };
  readonly organizations: { readonly find: FindById<Organization> };
  readonly projects: { readonly find: FindById<Project> };
  readonly workspaces: {
    readonly find: (id: string) => Promise<Workspace | undefined>;
    /** Maps the name of a workspace to its id and the id of its project. */
    readonly findClaim: (
      organization: string,
      name: string,
    ) => Promise<{ readonly workspace: string; readonly project: string } | undefined>;
  };
  /** `has` returns whether `consumer` is among the remote state consumers of the workspace, if there is one. */
  readonly consumers: { readonly has: (workspace: Workspace | undefined, consumer: string) => Promise<boolean> };
}
