import { newId } from '../../../shared/lib/random.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openLinkIdentities } from '../../../shared/store/directory/sign-in/link-identities.ts';
import { openSessionWriter } from '../../../shared/store/directory/sign-in/session-writer.ts';
import type { Api } from './api.ts';

/** Starts a session of a user, as if the user had signed in at an identity provider. @returns its id. */
export const startSession = async (
  { engine }: Pick<Api, 'engine'>,
  user: string,
  provider = 'corporate',
): Promise<string> => {
  const { table, users } = openDirectoryWriter(engine.database, Date.now);
  const request = { id: 'sign-in', principal: { kind: 'user', id: user, name: user } } as const;
  const id = newId('session', request);
  const identity = { provider, issuer: 'https://idp.example', subject: user };
  await openLinkIdentities(table, users).link(request, { id: user }, identity);
  const session = { id, digest: id, user, ...identity };
  await openSessionWriter(table, users).start(request, session, { hours: 12, idleMinutes: 60 });
  return id;
};
