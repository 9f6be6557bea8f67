import type { Project } from '../../domain/directory/records.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { belongsTo } from '../rights.ts';
import type { AuthorizationContext } from '../workspace-policy.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection, NOWHERE } from './confirm-rejection.ts';
import type { AuthorizationReader } from './reader.ts';

/** An organization, one of its projects if the request names one, and the caller in it. */
export interface OrganizationAccess extends AuthorizationContext {
  /** The project that was requested; undefined if none was, or if the organization has no such project. */
  readonly project: Project | undefined;
}

/** An organization as a request names it. */
interface OrganizationTarget {
  readonly organization: string;
  /** Id of a project that is read as well; null for the default project. */
  readonly project?: string | null;
  /** Callers outside the organization who are accepted too: its runs, or site tokens. */
  readonly admits?: 'run' | 'site';
}

/** Form of the names of organizations and workspaces; a name of another form needs no read. */
const NAME = /^[A-Za-z0-9_-]{1,90}$/;

/** Checks whether a text has the form of an organization's or a workspace's name. */
export const isName = (text: string): boolean => NAME.test(text);

/**
 * Authorizes a request on an organization for every caller who belongs to it (PERM-3).
 * @param digest SHA-256 of the token.
 * @param check throws if the caller may not perform the action.
 * @throws DomainError 401, 404, and what `check` throws.
 * @example
 * const { caller, organization } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
 *   requireOrganizationPermission(access, 'team.manage'),
 * );
 */
export const authorizeOrganization = (
  reader: AuthorizationReader,
  digest: string,
  { organization: name, project: projectId, admits }: OrganizationTarget,
  check?: (access: OrganizationAccess) => void,
): Promise<OrganizationAccess> =>
  confirmRejection(async (consistent, enter) => {
    const [identity, organization, namedProject] = await Promise.all([
      reader.identities.findToken(digest, consistent),
      isName(name) ? reader.organizations.find(name, consistent) : undefined,
      projectId && isId('project', projectId) ? reader.projects.find(projectId, consistent) : undefined,
    ]);
    const principal = requireIdentity(identity);
    if (organization) enter(organization.name);
    const [caller, defaultProject] = await Promise.all([
      findCaller(reader, principal, name, consistent),
      projectId === null
        ? reader.projects.find(organization?.defaultProject ?? NOWHERE.project, consistent)
        : undefined,
    ]);
    requireAcceptedToken(caller, organization);
    if (!organization) throw notFound();
    const isForeignRun = principal.kind === 'run' && principal.organization !== organization.name;
    if (!belongsTo(caller, organization) && (principal.kind !== admits || isForeignRun)) throw concealed();
    const project = defaultProject ?? namedProject;
    const access = {
      caller,
      organization,
      project: project?.organization === organization.name ? project : undefined,
    };
    check?.(access);
    return access;
  });
