import { concealed, notFound } from '../../domain/errors.ts';
import { belongsTo } from '../rights.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection, NOWHERE } from './confirm-rejection.ts';
import type { OrganizationAccess } from './organization.ts';
import type { AuthorizationReader } from './reader.ts';
import { finishReads, type Reads, startReads } from './reads.ts';

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
 * @param reads read at the same time as the memberships, once the organization of the record is known; their result
 * is returned as `results`.
 * @throws DomainError 401, 404, and what `check` or `reads` throw.
 * @example
 * const { record, results } = await authorizeRecord(
 *   store,
 *   digest,
 *   (consistent) => store.projects.find(id, consistent),
 *   ({ caller, organization, record }) =>
 *     requireProjectPermission(effectiveRights(caller, organization, record), 'project.read'),
 *   (organization) => store.listIndexes.refresh(organization),
 * );
 */
export const authorizeRecord = async <R extends { readonly organization: string }, C, T = undefined>(
  reader: AuthorizationReader,
  digest: string,
  find: (consistent: boolean) => Promise<R | undefined>,
  check: (access: RecordAccess<R>, consistent: boolean) => C | Promise<C>,
  reads?: Reads<[organization: string], T>,
): Promise<RecordAccess<R> & { readonly checked: C; readonly results: T }> => {
  const { started, ...access } = await confirmRejection(async (consistent, enter) => {
    const [identity, record] = await Promise.all([reader.identities.findToken(digest, consistent), find(consistent)]);
    const principal = requireIdentity(identity);
    if (record) enter(record.organization);
    const place = record ?? NOWHERE;
    const started = startReads(reads, consistent)(place.organization);
    const [caller, organization] = await Promise.all([
      findCaller(reader, principal, place.organization, consistent),
      reader.organizations.find(place.organization, consistent),
    ]);
    requireAcceptedToken(caller, organization);
    if (!record || !organization) throw notFound();
    if (!belongsTo(caller, organization)) throw concealed();
    const context = { caller, organization, project: undefined, record };
    return { ...context, checked: await check(context, consistent), started };
  });
  return { ...access, results: await finishReads(started, () => reads?.(access.record.organization)) };
};
