import type { Caller, Organization, Principal, Project, RunPrincipal, User } from '../domain/directory/records.ts';
import type { Token } from '../domain/directory/tokens.ts';
import { DomainError, notFound } from '../domain/errors.ts';
import { isId } from '../domain/ids.ts';
import { isAlive, type Workspace } from '../domain/workspace/workspace-record.ts';
import { type Action, type AuthorizationContext, decide, refusal } from './decide.ts';
import { mayIn, tokenAction } from './decide-organization.ts';
import { belongsTo, type Rights } from './rights.ts';

/** What authorizing reads; the store provides it. `consistent` asks for what is true now, at twice the price. */
export interface Reader {
  readonly findToken: (digest: string, consistent: boolean) => Promise<{ readonly principal: Principal } | undefined>;
  /** Undefined when the user does not belong to the organization. */
  readonly findTeams: (
    user: string,
    organization: string,
    consistent: boolean,
  ) => Promise<readonly string[] | undefined>;
  readonly findOrganization: (name: string, consistent: boolean) => Promise<Organization | undefined>;
  readonly findProject: (id: string, consistent: boolean) => Promise<Project | undefined>;
  /** Always what is true now. */
  readonly find: (id: string) => Promise<Workspace | undefined>;
  /** Always what is true now. */
  readonly findClaim: (
    organization: string,
    name: string,
  ) => Promise<{ readonly workspace: string; readonly project: string } | undefined>;
  /** Whether one workspace is among those that another shares its state with; always what is true now. */
  readonly hasConsumer: (workspace: Workspace, consumer: string) => Promise<boolean>;
}

/** How a path names a workspace: by its id or name, or by something of it that knows whose it is. */
export type WorkspaceTarget =
  | { readonly id: string }
  | { readonly organization: string; readonly name: string }
  | { readonly owner: (consistent: boolean) => Promise<Owner | undefined> };

/** Whose something is. */
export interface Owner {
  readonly organization: string;
  readonly workspace: string;
  /** That it was in once, and mostly is: read beside the workspace, it need not be waited for. */
  readonly project: string;
}

/** A workspace, everything that access to it follows from, and what this caller may do with it. */
export interface WorkspaceAccess extends AuthorizationContext {
  readonly workspace: Workspace;
  readonly project: Project;
  readonly rights: Rights;
}

export interface OrganizationAccess extends AuthorizationContext {
  /** The project that was asked for; undefined when none was, or there is none of that id here. */
  readonly project: Project | undefined;
}

const unauthorized = () => new DomainError('unauthorized');

/** Organization and workspace names as they may stand in a path; others need not be looked up. */
const NAME = /^[A-Za-z0-9_-]{1,90}$/;

/** Whether a text has the form of an organization's name. */
export const isOrganizationName = (text: string): boolean => NAME.test(text);

/** A 404 that strong reads have already confirmed. */
const absent = (): never => {
  throw Object.assign(notFound(), { confirmed: true });
};

/**
 * Identities and grants are read eventually, which is cheap, and may be a moment old: so a refusal is confirmed once
 * with strong reads before it is answered. New tokens and grants work at once, and only refusals pay.
 */
const confirmingRefusals = async <T>(attempt: (consistent: boolean) => Promise<T>): Promise<T> => {
  try {
    return await attempt(false);
  } catch (error) {
    const isRefusal = error instanceof DomainError && error.code !== 'unavailable';
    if (!isRefusal || 'confirmed' in error) throw error;
    return attempt(true);
  }
};

const callerOf = async (
  reader: Reader,
  principal: Principal,
  organization: string,
  consistent: boolean,
): Promise<Caller> => {
  if (principal.kind === 'user') {
    const teams = await reader.findTeams(principal.id, organization, consistent);
    return { principal, teams: teams ?? [], member: teams !== undefined };
  }
  return { principal, teams: principal.kind === 'team' ? [principal.id] : [] };
};

/**
 * Reads who calls and which workspace a path names side by side, then what access follows from, and decides.
 * @param beside what else is read beside the latter, for somebody who is known; told whose it is, and by id what it is.
 * @throws DomainError 401, 404, or 403 where PERM-3 says so.
 */
export const authorizeWorkspace = (
  reader: Reader,
  digest: string,
  target: WorkspaceTarget,
  required: Action | PermissionCheck,
  beside?: Beside,
): Promise<WorkspaceAccess> =>
  confirmingRefusals(async (consistent) => {
    const access = await readTarget(reader, digest, target, consistent, beside);
    await (typeof required === 'string' ? requirePermission(access, required) : required(access, consistent));
    return access;
  });

type Beside = (whose: Pick<Owner, 'organization' | 'workspace'>, workspace?: Workspace) => Promise<unknown>;

/** Decides by throwing; asked again, with `consistent`, when it refused what was read eventually. */
export type PermissionCheck = (access: WorkspaceAccess, consistent: boolean) => void | Promise<void>;

/** @throws DomainError unless the caller may. */
export const requirePermission = (context: AuthorizationContext, action: Action): void => {
  const refused = refusal(decide(context, action));
  if (refused) throw refused;
};

type Read<T> = (
  reader: Reader,
  digest: string,
  target: T,
  consistent: boolean,
  beside?: Beside,
) => Promise<WorkspaceAccess>;

const readTarget: Read<WorkspaceTarget> = (reader, digest, target, consistent, beside) => {
  if ('id' in target) return readById(reader, digest, target, consistent, beside);
  if ('owner' in target) return readByOwner(reader, digest, target, consistent, beside);
  return readByName(reader, digest, target, consistent, beside);
};

const readById: Read<{ id: string }> = async (reader, digest, { id }, consistent, beside) => {
  const [identity, workspace] = await Promise.all([
    reader.findToken(digest, consistent),
    isId('workspace', id) ? reader.find(id) : undefined,
  ]);
  if (!identity) throw unauthorized();
  if (!isAlive(workspace)) return absent();
  const [caller, organization, project] = await Promise.all([
    callerOf(reader, identity.principal, workspace.organization, consistent),
    reader.findOrganization(workspace.organization, consistent),
    reader.findProject(workspace.project, consistent),
    beside?.({ organization: workspace.organization, workspace: workspace.id }, workspace),
  ]);
  return accessTo(reader, caller, organization, project, workspace);
};

const readByOwner: Read<Extract<WorkspaceTarget, { owner: unknown }>> = async (
  reader,
  digest,
  target,
  consistent,
  beside,
) => {
  const [identity, owner] = await Promise.all([reader.findToken(digest, consistent), target.owner(consistent)]);
  if (!identity) throw unauthorized();
  if (!owner) throw notFound();
  const [caller, organization, workspace, supposed] = await Promise.all([
    callerOf(reader, identity.principal, owner.organization, consistent),
    reader.findOrganization(owner.organization, consistent),
    reader.find(owner.workspace),
    reader.findProject(owner.project, consistent),
    beside?.(owner),
  ]);
  if (!isAlive(workspace)) return absent();
  return accessTo(
    reader,
    caller,
    organization,
    await inFact(reader, workspace, owner, supposed, consistent),
    workspace,
  );
};

/** The project that a workspace is in, where it was supposed to be in another one. */
const inFact = (
  reader: Reader,
  { project: id }: Workspace,
  { project: supposedId }: { readonly project: string },
  supposed: Project | undefined,
  consistent: boolean,
): Promise<Project | undefined> | Project | undefined =>
  id === supposedId ? supposed : reader.findProject(id, consistent);

const readByName: Read<{ organization: string; name: string }> = async (
  reader,
  digest,
  { organization: organizationName, name },
  consistent,
  beside,
) => {
  const wellFormed = NAME.test(organizationName) && NAME.test(name);
  const [identity, claim, organization] = await Promise.all([
    reader.findToken(digest, consistent),
    wellFormed ? reader.findClaim(organizationName, name) : undefined,
    wellFormed ? reader.findOrganization(organizationName, consistent) : undefined,
  ]);
  if (!identity) throw unauthorized();
  if (!claim) return absent();
  const [caller, workspace, supposed] = await Promise.all([
    callerOf(reader, identity.principal, organizationName, consistent),
    reader.find(claim.workspace),
    reader.findProject(claim.project, consistent),
    beside?.({ organization: organizationName, workspace: claim.workspace }),
  ]);
  // Renamed or deleted between the two reads: the name is no longer this workspace's.
  if (!isAlive(workspace) || workspace.name !== name) return absent();
  return accessTo(
    reader,
    caller,
    organization,
    await inFact(reader, workspace, claim, supposed, consistent),
    workspace,
  );
};

/**
 * A run of another workspace reads the state of those that share it: with the whole organization, or with that one
 * (CONS-9). What was deleted reads nothing.
 */
const seesSharedState = async (reader: Reader, run: RunPrincipal, workspace: Workspace) => {
  if (run.workspace === workspace.id || run.organization !== workspace.organization) return false;
  const [isShared, own] = await Promise.all([
    workspace.settings.globalRemoteState || reader.hasConsumer(workspace, run.workspace),
    reader.find(run.workspace),
  ]);
  return isShared && isAlive(own);
};

const accessTo = async (
  reader: Reader,
  { principal, ...known }: Caller,
  organization: Organization | undefined,
  project: Project | undefined,
  workspace: Workspace,
): Promise<WorkspaceAccess> => {
  if (!organization || !project) throw notFound();
  const isShared = principal.kind === 'run' && (await seesSharedState(reader, principal, workspace));
  const caller: Caller = { principal, ...known, ...(isShared && { sharing: workspace.id }) };
  const context = { caller, organization, project, workspace };
  const decision = decide(context, 'workspace.read');
  if (decision.kind !== 'allow') throw notFound();
  return { ...context, rights: decision.rights };
};

/**
 * Reads who calls, where no organization is spoken of.
 * @throws DomainError 401.
 */
export const authenticate = (reader: Reader, digest: string): Promise<Principal> =>
  confirmingRefusals(async (consistent) => {
    const identity = await reader.findToken(digest, consistent);
    if (!identity) throw unauthorized();
    return identity.principal;
  });

/**
 * The same for what is done in an organization, or in a project of it (null: the default one).
 * Everybody who belongs to the organization is let through, and runs in it where that is said; what they may do there
 * `decideOn` decides, by throwing.
 * @throws DomainError 401, 404, and what `decideOn` throws.
 */
export const authorizeOrganization = (
  reader: Reader,
  digest: string,
  {
    organization: name,
    project: projectId,
    admitsRuns = false,
  }: { organization: string; project?: string | null; admitsRuns?: boolean },
  decideOn?: (access: OrganizationAccess) => void,
): Promise<OrganizationAccess> =>
  confirmingRefusals(async (consistent) => {
    const wellFormed = NAME.test(name);
    const asked = projectId && isId('project', projectId) ? projectId : undefined;
    const [identity, organization, askedProject] = await Promise.all([
      reader.findToken(digest, consistent),
      wellFormed ? reader.findOrganization(name, consistent) : undefined,
      asked === undefined ? undefined : reader.findProject(asked, consistent),
    ]);
    if (!identity) throw unauthorized();
    if (!organization) throw notFound();
    const [caller, defaultProject] = await Promise.all([
      callerOf(reader, identity.principal, organization.name, consistent),
      projectId === null ? reader.findProject(organization.defaultProject, consistent) : undefined,
    ]);
    const { principal } = identity;
    const isOwnRun = principal.kind === 'run' && principal.organization === organization.name;
    if (!belongsTo(caller, organization) && !(admitsRuns && isOwnRun)) throw notFound();
    const project = defaultProject ?? askedProject;
    const access = {
      caller,
      organization,
      project: project?.organization === organization.name ? project : undefined,
    };
    decideOn?.(access);
    return access;
  });

/** An organization's record that a path names by id, and whoever asks for it. */
export interface RecordAccess<R> extends OrganizationAccess {
  readonly record: R;
}

/**
 * The same for a record of an organization that a path names by its id: `find` is given the time to be read beside the
 * token. One that is not there, another organization's, and one that `decideOn` conceals are answered alike.
 * @throws DomainError 401, 404, and what `decideOn` throws.
 */
export const authorizeRecord = <R extends { readonly organization: string }>(
  reader: Reader,
  digest: string,
  find: (consistent: boolean) => Promise<R | undefined>,
  decideOn: (access: RecordAccess<R>, consistent: boolean) => void | Promise<void>,
): Promise<RecordAccess<R>> =>
  confirmingRefusals(async (consistent) => {
    const [identity, record] = await Promise.all([reader.findToken(digest, consistent), find(consistent)]);
    if (!identity) throw unauthorized();
    if (!record) throw notFound();
    const [caller, organization] = await Promise.all([
      callerOf(reader, identity.principal, record.organization, consistent),
      reader.findOrganization(record.organization, consistent),
    ]);
    if (!organization || !belongsTo(caller, organization)) throw notFound();
    const access = { caller, organization, project: undefined, record };
    await decideOn(access, consistent);
    return access;
  });

/** What reading a user takes beside. */
export interface UserReader extends Reader {
  readonly findUser: (id: string, consistent: boolean) => Promise<User | undefined>;
  /** The organizations that a user belongs to, by name, with their teams there. */
  readonly findMemberships: (user: string, consistent: boolean) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * The same for a user: seen by themselves, and by whoever is in an organization with them.
 * @throws DomainError 401, 404.
 */
export const authorizeUser = (reader: UserReader, digest: string, id: string): Promise<User> =>
  confirmingRefusals(async (consistent) => {
    const [identity, user, theirs] = await Promise.all([
      reader.findToken(digest, consistent),
      reader.findUser(id, consistent),
      isId('user', id) ? reader.findMemberships(id, consistent) : undefined,
    ]);
    if (!identity) throw unauthorized();
    const { principal } = identity;
    if (!user || theirs === undefined || principal.kind === 'site' || principal.kind === 'run') throw notFound();
    if (principal.id === user.id) return user;
    const own =
      principal.kind === 'user'
        ? [...(await reader.findMemberships(principal.id, consistent)).keys()]
        : [principal.organization];
    if (!own.some((organization) => theirs.has(organization))) throw notFound();
    return user;
  });

/**
 * The same for a token that a path names by its id: managed by whoever bears it, by the user whose it is, and by who
 * manages those of its team or organization.
 * @throws DomainError 401, 404.
 */
export const authorizeToken = (
  reader: Reader,
  digest: string,
  find: (consistent: boolean) => Promise<Token | undefined>,
): Promise<Token> =>
  confirmingRefusals(async (consistent) => {
    const [identity, token] = await Promise.all([reader.findToken(digest, consistent), find(consistent)]);
    if (!identity) throw unauthorized();
    if (!token) throw notFound();
    const { principal } = identity;
    const { subject, organization: name } = token;
    if (token.digest === digest) return token;
    if (name === undefined) {
      if (subject.kind === 'user' && principal.kind === 'user' && subject.id === principal.id) return token;
      throw notFound();
    }
    const [caller, organization] = await Promise.all([
      callerOf(reader, principal, name, consistent),
      reader.findOrganization(name, consistent),
    ]);
    if (!organization || !mayIn({ caller, organization }, tokenAction(organization, subject))) throw notFound();
    return token;
  });
