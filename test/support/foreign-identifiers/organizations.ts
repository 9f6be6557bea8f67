import { type Api, type ApiResponse, CACHED, startApi } from '../api/api.ts';
import { followHistory } from '../history/history-follower.ts';
import { type Change, watchChanges } from '../models/changes.ts';
import {
  createResourceSet,
  type IdentifierKind,
  identifierKinds,
  isHidden,
  type ResourceContext,
  type ResourceSet,
  runCommand,
} from './resources.ts';

/**
 * Two organizations with one resource of every kind, and callers with full access to their own resources: an owner, a
 * member whose team has admin on one project and nothing else, and an owner of both organizations. The last one can read
 * the resources of the other organization, but must not be able to use them in this one.
 */
export interface Testbed {
  readonly api: Api;
  readonly send: (
    caller: Sender,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<ApiResponse>;
  /** Resources that the callers have full access to. */
  readonly own: ResourceSet;
  /** Resources of the other organization. */
  readonly foreign: ResourceSet;
  /** Creates another resource in the other organization, for names that can be used only once. */
  readonly another: (identifierKind: IdentifierKind) => Promise<string>;
  /** Resources of the callers' organization that the member cannot read. */
  readonly hidden: ResourceSet;
  /** Returns the writes to resources of others since the last call. */
  readonly foreignWrites: (caller: Sender) => Promise<readonly Change[]>;
  /** Writes the entries of all changes so far to the history. */
  readonly recordHistory: () => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export const callers = ['an owner', 'a member', 'an owner of both'] as const;
export type Caller = (typeof callers)[number];
/**
 * Callers that send requests. The site administrator creates organizations and has no access to any. The audit trails
 * token belongs to the organization of the callers.
 */
export type Sender = Caller | 'a site administrator' | 'an audit trails token';

const OWN = 'acme';
const OTHER = 'umbrella';

export const startTestbed = async (): Promise<Testbed> => {
  // Callers are cached as in a deployment. The permission matrix runs without the cache.
  const api = await startApi({ cacheSeconds: CACHED.cacheSeconds, deletedWorkspaceDays: 14, cacheReads: true });
  const history = await followHistory(api);
  const found = async (name: string): Promise<ResourceContext['owner']> => {
    const { token } = await runCommand({ api }, 'create-organization', { name, email: `${name}@example.com` });
    return { username: name, token };
  };
  const createContext = async (
    organization: string,
    owner: ResourceContext['owner'],
    label: string,
  ): Promise<ResourceContext> => {
    const { project } = await runCommand({ api }, 'create-project', { organization, name: `${label}-home` });
    return { api, organization, owner, label, project: project.id };
  };

  const stranger = await found(OTHER);
  const changes = await watchChanges(api.engine);
  const there = await createContext(OTHER, stranger, OTHER);
  const foreign = createResourceSet(there);
  for (const identifierKind of identifierKinds) await foreign.get(identifierKind);
  const ofOthers = new Set((await changes.sinceLast()).map(({ pk }) => pk));

  const owner = await found(OWN);
  const hidden = createResourceSet(await createContext(OWN, owner, 'hidden'));
  for (const identifierKind of identifierKinds.filter(isHidden)) await hidden.get(identifierKind);
  const ofHidden = [...hidden.known()].flatMap(([value, identifierKind]) =>
    isHidden(identifierKind) && identifierKind.endsWith(' id') ? [value] : [],
  );

  const member = { username: 'member', team: 'members' };
  const home = { ...(await createContext(OWN, owner, 'own')), member };
  await runCommand({ api }, 'create-team', { organization: OWN, name: member.team });
  await runCommand({ api }, 'create-user', { username: member.username, email: 'member@example.com' });
  await runCommand({ api }, 'add-member', { organization: OWN, ...member });
  await runCommand({ api }, 'grant-access', {
    organization: OWN,
    team: member.team,
    project: home.project,
    access: 'admin',
  });
  const { token } = await runCommand({ api }, 'create-token', { kind: 'user', username: member.username });
  const both = { username: 'both', team: 'owners' };
  await runCommand({ api }, 'create-user', { username: both.username, email: 'both@example.com' });
  for (const organization of [OWN, OTHER]) await runCommand({ api }, 'add-member', { organization, ...both });
  const ofBoth = await runCommand({ api }, 'create-token', { kind: 'user', username: both.username });
  const site = await runCommand({ api }, 'create-token', { kind: 'site' });
  const trailPath = `/organizations/${OWN}/authentication-token?token=audit-trails`;
  const trail = await api.request('POST', trailPath, { token: owner.token });
  const tokens: Readonly<Record<Sender, string>> = {
    'an owner': owner.token,
    'a member': token,
    'an owner of both': ofBoth.token,
    'a site administrator': site.token,
    'an audit trails token': trail.body.data.attributes.token,
  };
  await changes.sinceLast();

  let seen: Change[] = [];
  const look = async (): Promise<void> => {
    seen.push(...(await changes.sinceLast()));
  };

  return {
    api,
    send: (caller, method, path, body, headers = {}) =>
      api.request(method, path, { token: tokens[caller], body, headers }),
    own: createResourceSet(home),
    foreign,
    hidden,
    another: async (identifierKind) => {
      await look();
      // The label differs from the first one, so that a search for the first names cannot match this one.
      const value = await createResourceSet({ ...there, label: 'penumbra' }).get(identifierKind);
      for (const { pk } of await changes.sinceLast()) ofOthers.add(pk);
      return value;
    },
    foreignWrites: async (caller) => {
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
    recordHistory: history.record,
    stop: api.stop,
  };
};
