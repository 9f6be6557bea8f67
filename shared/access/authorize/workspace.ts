import type { Caller, Organization, Project, RunPrincipal } from '../../domain/directory/records.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { isAlive, stateReaders, type Workspace } from '../../domain/workspace/workspace-record.ts';
import { belongsTo, effectiveRights, type Rights } from '../rights.ts';
import { type AuthorizationContext, requireRight, rightsAllow, type WorkspaceAction } from '../workspace-policy.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection, NOWHERE } from './confirm-rejection.ts';
import { isName } from './organization.ts';
import type { AuthorizationReader } from './reader.ts';
import { finishReads, type Reads, type StartedReads, startReads } from './reads.ts';

/** The workspace that something belongs to, such as a variable or a run. */
export interface Owner {
  readonly organization: string;
  readonly workspace: string;
  /**
   * Id of the project of the workspace at an earlier time. It is usually still the current one, and then saves a round
   * trip because the project is read at the same time as the workspace.
   */
  readonly project: string;
}

/** A workspace as a request names it: by its id, by its name, or by something that belongs to it. */
export type WorkspaceTarget =
  | { readonly id: string }
  | { readonly organization: string; readonly name: string }
  | { readonly owner: (consistent: boolean) => Promise<Owner | undefined> };

/** Type of the owner that a target finds; undefined for a target by id or name. */
type OwnerIn<G extends WorkspaceTarget> = G extends { readonly owner: (consistent: boolean) => Promise<infer O> }
  ? Exclude<O, undefined>
  : undefined;

/** A workspace, the records that determine the access to it, and the rights of the caller. */
export interface WorkspaceAccess extends AuthorizationContext {
  readonly workspace: Workspace;
  readonly project: Project;
  readonly rights: Rights;
}

/** Check that throws to reject a request. After a rejection it is called again with `consistent`. */
export type WorkspaceCheck<O, C> = (
  access: WorkspaceAccess & { readonly owner: O },
  consistent: boolean,
) => C | Promise<C>;

/** Ids of the workspace that a request is about, and its record if that was read before the other reads start. */
type Subject = [ids: Pick<Owner, 'organization' | 'workspace'>, workspace?: Workspace];

/** Inputs of one attempt to authorize a request. */
interface Attempt<T> {
  readonly reader: AuthorizationReader;
  readonly digest: string;
  readonly consistent: boolean;
  /** Notes the organization of the workspace, for rejections. */
  readonly enter: (organization: string) => void;
  readonly start: (...subject: Subject) => StartedReads<T> | undefined;
}

/** Outcome of an attempt: what was found, and the results that are still being read. */
interface Outcome<T> {
  readonly access: WorkspaceAccess;
  readonly owner: Owner | undefined;
  readonly started: StartedReads<T> | undefined;
}

/**
 * Authorizes a request on a workspace in two rounds of reads (PERM-1, PERM-3). The first one reads the token and the
 * workspace, the second one the records that determine the access.
 * @param digest SHA-256 of the token.
 * @param required the action, or a check that throws to reject; the result of the check is returned as `checked`.
 * @param reads read at the same time as the second round; their result is returned as `results`.
 * @returns the workspace, its project and organization, the caller and their rights; for a target by owner also that.
 * @throws DomainError 401, 404, or 403 for the few actions that do not conceal; also what `reads` throw.
 * @example
 * const { workspace, results: variables } = await authorizeWorkspace(store, digest, { id }, 'variable.read', (ids) =>
 *   store.variables.list(ids.workspace),
 * );
 */
export const authorizeWorkspace = async <const G extends WorkspaceTarget, C = undefined, T = undefined>(
  reader: AuthorizationReader,
  digest: string,
  target: G,
  required: WorkspaceAction | WorkspaceCheck<OwnerIn<G>, C>,
  reads?: Reads<Subject, T>,
): Promise<WorkspaceAccess & { readonly owner: OwnerIn<G>; readonly checked: C; readonly results: T }> => {
  const { started, ...access } = await confirmRejection(async (consistent, enter) => {
    const attempt = { reader, digest, consistent, enter, start: startReads(reads, consistent) };
    const found = await readTarget(attempt, target);
    const context = { ...found.access, owner: found.owner as OwnerIn<G> };
    const checked =
      typeof required === 'string'
        ? requireRight(context.rights, context.organization, required)
        : await required(context, consistent);
    return { ...context, checked: checked as C, started: found.started };
  });
  const { organization, workspace } = access;
  const ids = { organization: organization.name, workspace: workspace.id };
  return { ...access, results: await finishReads(started, () => reads?.(ids, workspace)) };
};

const readTarget = <T>(attempt: Attempt<T>, target: WorkspaceTarget): Promise<Outcome<T>> => {
  if ('id' in target) return readById(attempt, target.id);
  if ('owner' in target) return readByOwner(attempt, target.owner);
  return readByName(attempt, target);
};

const readById = async <T>(
  { reader, digest, consistent, enter, start }: Attempt<T>,
  id: string,
): Promise<Outcome<T>> => {
  const [identity, found] = await Promise.all([
    reader.identities.findToken(digest, consistent),
    isId('workspace', id) ? reader.workspaces.find(id) : undefined,
  ]);
  const principal = requireIdentity(identity);
  const workspace = isAlive(found) ? found : undefined;
  const place = workspace === undefined ? NOWHERE : { ...workspace, workspace: workspace.id };
  if (workspace) enter(workspace.organization);
  const started = start(place, workspace);
  const [caller, organization, project] = await Promise.all([
    findCaller(reader, principal, place.organization, consistent),
    reader.organizations.find(place.organization, consistent),
    reader.projects.find(place.project, consistent),
  ]);
  return { access: await accessTo(reader, caller, organization, project, workspace), owner: undefined, started };
};

const readByOwner = async <T>(
  { reader, digest, consistent, enter, start }: Attempt<T>,
  findOwner: (consistent: boolean) => Promise<Owner | undefined>,
): Promise<Outcome<T>> => {
  const [identity, owner] = await Promise.all([reader.identities.findToken(digest, consistent), findOwner(consistent)]);
  const principal = requireIdentity(identity);
  const place = owner ?? NOWHERE;
  if (owner) enter(owner.organization);
  const started = start(place);
  const [caller, organization, found, formerProject] = await Promise.all([
    findCaller(reader, principal, place.organization, consistent),
    reader.organizations.find(place.organization, consistent),
    reader.workspaces.find(place.workspace),
    reader.projects.find(place.project, consistent),
  ]);
  const workspace = isAlive(found) ? found : undefined;
  const project = await currentProject(reader, { caller, organization, workspace }, place, formerProject, consistent);
  return { access: await accessTo(reader, caller, organization, project, workspace), owner, started };
};

const readByName = async <T>(
  { reader, digest, consistent, enter, start }: Attempt<T>,
  { organization: organizationName, name }: { readonly organization: string; readonly name: string },
): Promise<Outcome<T>> => {
  const isWellFormed = isName(organizationName) && isName(name);
  const [identity, claim, organization] = await Promise.all([
    reader.identities.findToken(digest, consistent),
    isWellFormed ? reader.workspaces.findClaim(organizationName, name) : undefined,
    isWellFormed ? reader.organizations.find(organizationName, consistent) : undefined,
  ]);
  const principal = requireIdentity(identity);
  const place = claim ?? NOWHERE;
  if (claim) enter(organizationName);
  const started = start({ organization: organizationName, workspace: place.workspace });
  const [caller, found, formerProject] = await Promise.all([
    findCaller(reader, principal, organizationName, consistent),
    reader.workspaces.find(place.workspace),
    reader.projects.find(place.project, consistent),
  ]);
  // The workspace may have been renamed or deleted between the two reads.
  const workspace = isAlive(found) && found.name === name ? found : undefined;
  const project = await currentProject(reader, { caller, organization, workspace }, place, formerProject, consistent);
  return { access: await accessTo(reader, caller, organization, project, workspace), owner: undefined, started };
};

/**
 * Returns the project that was read with the workspace, or reads the project that the workspace was moved to. Callers
 * outside the organization do not wait for that: it would tell them that the workspace exists.
 */
const currentProject = async (
  reader: AuthorizationReader,
  {
    caller,
    organization,
    workspace,
  }: { caller: Caller; organization: Organization | undefined; workspace: Workspace | undefined },
  { project: formerId }: { readonly project: string },
  former: Project | undefined,
  consistent: boolean,
): Promise<Project | undefined> => {
  if (organization === undefined || workspace === undefined || workspace.project === formerId) return former;
  if (!belongsTo(caller, organization) && caller.principal.kind !== 'run') return former;
  return reader.projects.find(workspace.project, consistent);
};

/**
 * Checks whether a run may read the state of another workspace: that workspace shares it with the whole organization, with
 * its project, or with the run's workspace (CONS-9). A run of a deleted workspace may not. The reads are the same for a
 * workspace that does not exist, and for one of another organization.
 */
const sharesStateWith = async (reader: AuthorizationReader, run: RunPrincipal, workspace: Workspace | undefined) => {
  if (run.workspace === workspace?.id) return false;
  const readers = workspace === undefined ? 'consumers' : stateReaders(workspace.settings);
  const [isConsumer, own] = await Promise.all([
    readers === 'consumers' && reader.consumers.has(workspace, run.workspace),
    reader.workspaces.find(run.workspace),
  ]);
  if (!isAlive(own) || run.organization !== workspace?.organization) return false;
  return readers === 'organization' || (readers === 'project' ? own.project === workspace.project : isConsumer);
};

const accessTo = async (
  reader: AuthorizationReader,
  found: Caller,
  organization: Organization | undefined,
  project: Project | undefined,
  workspace: Workspace | undefined,
): Promise<WorkspaceAccess> => {
  requireAcceptedToken(found, organization);
  const { principal, ...membership } = found;
  const isShared = principal.kind === 'run' && (await sharesStateWith(reader, principal, workspace));
  if (!organization || !project || !workspace) throw notFound();
  const caller: Caller = { principal, ...membership, ...(isShared && { sharing: workspace.id }) };
  const rights = effectiveRights(caller, organization, project, workspace);
  if (!rightsAllow(rights, organization, 'workspace.read')) throw concealed();
  return { caller, organization, project, workspace, rights };
};
