import { authorizeSignIns } from '../../shared/access/authorize/sign-ins.ts';
import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import { isActive } from '../../shared/domain/directory/sessions.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { linkedIdentityResource } from '../../shared/resources/linked-identities/response.ts';
import { sessionResource } from '../../shared/resources/sessions/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** Finds a user for a caller who may see the sign-ins of the user. */
const authorizeUser = ({ store }: OrganizationDependencies, digest: string, id: string) =>
  authorizeSignIns(
    store,
    digest,
    (consistent) => store.users.find(id, consistent),
    (user) => user.id,
  );

export const sessionOperations = {
  /** `GET /users/:user_id/sessions`: the sessions of a user that have not ended, the newest first (SESSION-10). */
  'sessions.list': async ({ digest, parameters, query, url }, dependencies) => {
    const { record: user, principal } = await authorizeUser(dependencies, digest, parameters.user_id);
    const sessions = await dependencies.sessions.listOf(user.id);
    sessions.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1));
    return listDocument(sessions, { query, url }, (session) => sessionResource(session, principal));
  },

  /** `DELETE /sessions/:session_id`: ends a session with its tokens (SESSION-10). */
  'sessions.delete': async ({ contextFor, digest, parameters: { session_id: id } }, { store, sessions }) => {
    const { principal } = await authorizeSignIns(
      store,
      digest,
      async (consistent) => {
        const session = await sessions.find(id, consistent);
        return session !== undefined && isActive(session, now()) ? session : undefined;
      },
      (session) => session.user,
    );
    const context = contextFor({ principal });
    requireMatch(context.precondition, { id });
    const ended = await sessions.end(context, id);
    // Another request has ended it.
    if (ended === undefined) throw notFound();
    for (const { digest: ofToken } of ended.tokens) store.identities.forgetToken(ofToken);
    return undefined;
  },

  /** `GET /users/:user_id/linked-identities`: the identities with which a user signs in, the oldest first (SESSION-11). */
  'linked-identities.list': async ({ digest, parameters, query, url }, dependencies) => {
    const { record: user } = await authorizeUser(dependencies, digest, parameters.user_id);
    const identities = await dependencies.sessions.listIdentities(user.id);
    identities.sort((a, b) => a.linkedAt - b.linkedAt || (a.id < b.id ? -1 : 1));
    return listDocument(identities, { query, url }, linkedIdentityResource);
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
