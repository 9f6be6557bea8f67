import { endSession, hasEnded, onSessionEnd, presentSession, type Session, startSession } from './session.ts';

/** Sharing of sessions between the tabs of a browser, in their memory only. No page of another origin has access to the channel (CONSOLE-8). */

interface Offer extends Session {
  readonly kind: 'offer';
  /** Time at which the user last used the tab that offers its session, in milliseconds since the epoch. */
  readonly usedAt: number;
}

interface End extends Session {
  readonly kind: 'end';
}

/** Message to all other tabs: a new one requests a session, others offer theirs, or the user has signed out in one. */
type Message = { readonly kind: 'request' } | Offer | End;

/** Longest wait of a new tab for an offer, in milliseconds. A tab that responds later is not heard. */
const LONGEST_WAIT = 400;

/** Wait after the first offer for one of a tab that was used more recently, in milliseconds. */
const FURTHER_WAIT = 100;

// `/docs` has the same name.
const channel = new BroadcastChannel('holdfast.session');

const post = (message: Message): void => channel.postMessage(message);

let usedAt = 0;
const noteUse = () => {
  usedAt = Date.now();
};

/** Returns whether a sign-out ends both: the same token was entered, or both have tokens of one user from an identity provider (CONSOLE-9). */
const endTogether = (one: Session, other: Session): boolean =>
  one.token === other.token || (one.renewed !== undefined && one.renewed.user === other.renewed?.user);

/** Offers the session of this tab. Once a renewal is due, the cookie of the session gets the other tab a token that lasts longer. */
const offer = (): void => {
  const session = presentSession();
  if (session === undefined || (session.renewed?.renewal ?? Number.POSITIVE_INFINITY) <= Date.now()) return;
  post({ kind: 'offer', usedAt, ...session });
};

/** Offers the session of this tab to new ones from now on, and ends it together with those of other tabs. */
export const shareSession = (): void => {
  if (document.hasFocus()) noteUse();
  for (const event of ['pointerdown', 'keydown', 'focus']) window.addEventListener(event, noteUse, { capture: true });
  onSessionEnd((reason, ended) => {
    if (reason === 'signed-out') post({ kind: 'end', ...ended });
  });
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'request') return offer();
    const session = presentSession();
    if (data.kind === 'end' && session !== undefined && endTogether(session, data)) endSession('signed-out-elsewhere');
  });
};

/**
 * Takes over the session of another tab in a tab that never had one. Among different ones, it takes that of the tab which the
 * user has used last. A session that ends during the wait is not taken over.
 * @returns whether this tab now has a session.
 */
export const takeOverSession = async (): Promise<boolean> => {
  if (hasEnded()) return false;
  const offers: Offer[] = [];
  const ends: End[] = [];
  const listening = new AbortController();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, LONGEST_WAIT);
    const listen = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'end') ends.push(data);
      if (data.kind === 'offer' && offers.push(data) === 1) setTimeout(resolve, FURTHER_WAIT);
    };
    channel.addEventListener('message', listen, listening);
    post({ kind: 'request' });
  });
  listening.abort();
  const [latest] = offers
    .filter((found) => !ends.some((end) => endTogether(found, end)))
    .sort((one, other) => other.usedAt - one.usedAt);
  if (latest !== undefined && presentSession() === undefined) startSession(latest.token, latest.renewed);
  return presentSession() !== undefined;
};
