import type { Principal } from '../../domain/directory/records.ts';
import type { Session } from '../../domain/directory/sessions.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

const MINUTE = 60_000;

/** Builds the resource of a session for a caller (SESSION-10). */
export const sessionResource = (session: Session, caller: Principal): Resource => ({
  id: session.id,
  type: 'sessions',
  attributes: {
    provider: session.provider,
    'started-at': timestamp(session.startedAt),
    'used-at': timestamp(session.usedAt),
    'expires-at': timestamp(session.expiresAt),
    'idle-minutes': session.idleMilliseconds / MINUTE,
    'user-agent': session.userAgent ?? null,
    current: caller.kind === 'user' && caller.session === session.id,
  } satisfies ComputedValues<typeof attributes>,
  relationships: { user: { data: { id: session.user, type: 'users' } } },
});
