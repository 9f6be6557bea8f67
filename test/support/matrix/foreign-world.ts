import { type ApiResponse, CACHED, startApi } from '../api/api.ts';
import { type Change, watchChanges } from '../models/changes.ts';
import { command, type Form, forms, isHidden, openThings, type Place, type Things } from './foreign-things.ts';

/**
 * Two organizations with one of everything, and callers who may do anything with what is theirs: an owner, a member
 * whose team has admin on one project and nothing else, and an owner of both organizations, who sees the things of the
 * other one and must not be able to use them in this one.
 */
export interface World {
  readonly send: (caller: Sender, method: string, path: string, body?: unknown) => Promise<ApiResponse>;
  /** Both callers may do anything with these. */
  readonly own: Things;
  /** Of the other organization. */
  readonly foreign: Things;
  /** A further one there, for what can be named but once. */
  readonly another: (form: Form) => Promise<string>;
  /** Of the callers' organization, and no business of the member. */
  readonly hidden: Things;
  /** Writes to what is not the caller's, since the last time. */
  readonly trespasses: (caller: Caller) => Promise<readonly Change[]>;
  readonly stop: () => Promise<void>;
}

export const callers = ['an owner', 'a member', 'an owner of both'] as const;
export type Caller = (typeof callers)[number];
/** Who makes organizations, and is a stranger in each. */
export type Sender = Caller | 'a site administrator';

const OWN = 'acme';
const OTHER = 'umbrella';

export const startWorld = async (): Promise<World> => {
  // Callers are remembered as they are in a deployment, where the matrix of permissions has them read each time.
  const api = await startApi(CACHED);
  const found = async (name: string): Promise<Place['owner']> => {
    const { token } = await command({ api }, 'create-organization', { name, email: `${name}@example.com` });
    return { username: name, token };
  };
  const placeIn = async (organization: string, owner: Place['owner'], label: string): Promise<Place> => {
    const { project } = await command({ api }, 'create-project', { organization, name: `${label}-home` });
    return { api, organization, owner, label, project: project.id };
  };

  const stranger = await found(OTHER);
  const changes = await watchChanges(api.engine);
  const there = await placeIn(OTHER, stranger, OTHER);
  const foreign = openThings(there);
  for (const form of forms) await foreign.get(form);
  const ofOthers = new Set((await changes.sinceLast()).map(({ pk }) => pk));

  const owner = await found(OWN);
  const hidden = openThings(await placeIn(OWN, owner, 'hidden'));
  for (const form of forms.filter(isHidden)) await hidden.get(form);
  const ofHidden = [...hidden.known()].flatMap(([value, form]) =>
    isHidden(form) && form.endsWith(' id') ? [value] : [],
  );

  const member = { username: 'member', team: 'members' };
  const home = { ...(await placeIn(OWN, owner, 'own')), member };
  await command({ api }, 'create-team', { organization: OWN, name: member.team });
  await command({ api }, 'create-user', { username: member.username, email: 'member@example.com' });
  await command({ api }, 'add-member', { organization: OWN, ...member });
  await command({ api }, 'grant-access', {
    organization: OWN,
    team: member.team,
    project: home.project,
    access: 'admin',
  });
  const { token } = await command({ api }, 'create-token', { kind: 'user', username: member.username });
  const both = { username: 'both', team: 'owners' };
  await command({ api }, 'create-user', { username: both.username, email: 'both@example.com' });
  for (const organization of [OWN, OTHER]) await command({ api }, 'add-member', { organization, ...both });
  const ofBoth = await command({ api }, 'create-token', { kind: 'user', username: both.username });
  const site = await command({ api }, 'create-token', { kind: 'site' });
  const tokens: Readonly<Record<Sender, string>> = {
    'an owner': owner.token,
    'a member': token,
    'an owner of both': ofBoth.token,
    'a site administrator': site.token,
  };
  await changes.sinceLast();

  let seen: Change[] = [];
  const look = async (): Promise<void> => {
    seen.push(...(await changes.sinceLast()));
  };

  return {
    send: (caller, method, path, body) => api.request(method, path, { token: tokens[caller], body }),
    own: openThings(home),
    foreign,
    hidden,
    another: async (form) => {
      await look();
      // Called otherwise than the first ones: a search for those must not find what was given the name of this one.
      const value = await openThings({ ...there, label: 'penumbra' }).get(form);
      for (const { pk } of await changes.sinceLast()) ofOthers.add(pk);
      return value;
    },
    trespasses: async (caller) => {
      await look();
      const found = seen.filter(
        ({ pk }) =>
          ofOthers.has(pk) ||
          pk.startsWith(`ORG#${OTHER}#`) ||
          (caller === 'a member' && ofHidden.some((value) => pk.split('#').includes(value))),
      );
      seen = [];
      return found;
    },
    stop: api.stop,
  };
};
