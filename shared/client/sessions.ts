import { apiRequest } from './request.ts';

/** Largest size of a page of the API. */
const PAGE_SIZE = 100;

/** Describes the request of one page of the sessions of a user that have not ended, the newest first (SESSION-10). */
export const listSessions = (user: string, number: number) =>
  apiRequest('get', '/api/v2/users/{user_id}/sessions', {
    path: { user_id: user },
    query: { 'page[number]': number, 'page[size]': PAGE_SIZE },
  });

/** Describes the end of a session with its tokens (SESSION-10). */
export const deleteSession = (id: string) =>
  apiRequest('delete', '/api/v2/sessions/{session_id}', { path: { session_id: id } });

/** Describes the request of one page of the identities with which a user signs in, the oldest first (SESSION-11). */
export const listLinkedIdentities = (user: string, number: number) =>
  apiRequest('get', '/api/v2/users/{user_id}/linked-identities', {
    path: { user_id: user },
    query: { 'page[number]': number, 'page[size]': 20 },
  });
