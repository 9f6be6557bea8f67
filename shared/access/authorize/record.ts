import { concealed, notFound } from '../../domain/errors.ts';
import { belongsTo } from '../rights.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { OrganizationAccess } from './organization.ts';
import type { AuthorizationReader } from './reader.ts';
import { type Reads, startReads } from './reads.ts';

/** A record of an organization, and the caller in that organization. */
export interface RecordAccess<R> extends OrganizationAccess {
  readonly record: R;
}

/**
 * Authorizes a request on a record that a path names by its id. A record that does not exist, that belongs to another
 * organization, or that `check` conceals, gets the same response (PERM-3).
 * @param digest SHA-256 of the token.
 * @param find reads the record, at the same time as the token.
 * @param check throws if the caller may not perform the action; its result is returned as `checked`.
 * @param reads read at the same time as the memberships, once the record is known; their result is returned as
 * `results`.
 * @throws DomainError 401, 404, and what `check` or `reads` throw.
 * @example
 * const { record, results } = await authorizeRecord(
 *   store,
 *   digest,
 *   (consistent) => store.projects.find(id, consistent),
 *   ({ caller, organization, record }) =>
 *     requireProjectPermission(effectiveRights(caller, organization, record), 'project.read'),
 *   (project) => store.countWorkspaces(project),
 * );
 */
export const authorizeRecord = async <R extends { readonly organization: string }, C, T = undefined>(
  reader: AuthorizationReader,
  digest: string,
  find: (consistent: boolean) => Promise<R | undefined>,
  check: (access: RecordAccess<R>, consistent: boolean) => C | Promise<C>,
  reads?: Reads<[record: R], T>,
): Promise<RecordAccess<R> & { readonly checked: C; readonly results: T }> => {
  const { started, ...access } = await confirmRejection(async (consistent, enter) => {
    const [identity, record] = await Promise.all([reader.identities.findToken(digest, consistent), find(consistent)]);
    const principal = requireIdentity(identity);
    if (!record) throw notFound();
    enter(record.organization);
    const results = startReads(reads, consistent)(record);
    const [caller, organization] = await Promise.all([
      findCaller(reader, principal, record.organization, consistent),
      reader.organizations.find(record.organization, consistent),
    ]);
    requireAcceptedToken(caller, organization);
    if (!organization) throw notFound();
    if (!belongsTo(caller, organization)) throw concealed();
    const context = { caller, organization, project: undefined, record };
    return { ...context, checked: await check(context, consistent), started: results };
  });
  return { ...access, results: (await (started ?? reads?.(access.record))) as T };
};
