import { vi } from 'vitest';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { type Api, type ApiResponse, startApi } from '../api/api.ts';
import { startEngine } from '../engine/engine.ts';
import { runId } from '../models/run-model.ts';
import type { CallerRow, Grant, Team } from './matrix-callers.ts';

/** An organization in which every caller of the matrix exists, each with a workspace that its grants are on. */
export interface World {
  readonly api: Api;
  readonly organization: string;
  /** That of the callers from another organization. */
  readonly otherOrganization: string;
  /** Token of an owner that is none of the callers: prepares, looks, and puts back. */
  readonly keeper: string;
  readonly callers: readonly Caller[];
  /** Ids: the one with the callers' workspaces and grants, and three that `openTargets` is about. */
  readonly projects: Readonly<Record<'home' | 'hidden' | 'readable' | 'administered', string>>;
  /** A workspace in the default project, where no project grant applies. */
  readonly elsewhere: Subject;
  /** Sends a request, whatever comes of it. */
  readonly call: (route: RouteId, token: string | undefined, request?: Request) => Promise<ApiResponse>;
  /** How often something was written. */
  readonly writes: () => number;
  /** As the keeper, and it must work. */
  readonly keep: (route: RouteId, request?: Request) => Promise<ApiResponse>;
  /**
   * What `make` made, and made for the same key before as long as nothing was written since: an attempt that is refused
   * leaves it as it was.
   */
  readonly prepared: <T>(key: string, make: () => Promise<T>) => Promise<T>;
  /** A command of the admin function that must not fail. */
  // biome-ignore lint/suspicious/noExplicitAny: each command answers something else.
  readonly admin: (command: string, parameters: Record<string, unknown>) => Promise<any>;
  /** The caller's workspace: made anew, with its grants, after the last one was given up. */
  readonly subjectOf: (caller: Caller) => Promise<Subject>;
  readonly giveUp: (caller: Caller) => void;
  /** Gives the caller's team read on one project that it could not see, and admin on another. */
  readonly openTargets: (caller: Caller) => Promise<void>;
  /** Has the caller hold its workspace's lock, for a moment with more access than it has; false where nothing helps. */
  readonly lockAs: (caller: Caller, subject: Subject) => Promise<boolean>;
  readonly letAdminsForceDelete: (allow: boolean) => Promise<void>;
  readonly adminsForceDelete: () => boolean;
  readonly stop: () => Promise<void>;
}

/** As many worlds as are wanted, each as the first one was made, in a table of its own. */
export interface Worlds {
  readonly open: () => Promise<World>;
  readonly stop: () => Promise<void>;
}

export interface Subject {
  readonly id: string;
  readonly name: string;
}

/** What a request has beside its route. */
export interface Request {
  /** The workspace that the path names, by id or by name. */
  readonly subject?: Subject;
  /** Other parameters of the path; the organization is that of the matrix unless told otherwise. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Such as `page[size]=100`; brackets are escaped here. */
  readonly query?: string;
  readonly body?: unknown;
}

export interface Caller extends CallerRow {
  readonly token: string | undefined;
  /** Of a user. */
  readonly user: { readonly id: string; readonly username: string } | undefined;
  /** Its teams, with what they were given. */
  readonly teams: readonly CallerTeam[];
}

export interface CallerTeam {
  readonly id: string;
  readonly name: string;
  readonly given: Team | 'owners';
}

const ORGANIZATION = 'acme';
const OTHER_ORGANIZATION = 'umbrella';
const LOCKERS = 'lockers';

/** The path of a request, from what it names. */
const pathOf = (route: RouteId, { subject, parameters, query }: Request): string => {
  const given: Readonly<Record<string, string | undefined>> = {
    organization_name: ORGANIZATION,
    workspace_id: subject?.id,
    name: subject?.name,
    ...parameters,
  };
  const path = routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined) throw new Error(`${route} needs the parameter ${name}`);
    return value;
  });
  return query === undefined ? path : `${path}?${query.replaceAll('[', '%5B').replaceAll(']', '%5D')}`;
};

const isDirectory = (team: Team | 'owners'): team is Team => team !== 'owners';

type Admin = World['admin'];

const adminOf =
  (api: Api): Admin =>
  async (command, parameters) => {
    const answer = await api.admin(command, parameters);
    if (answer.errors) throw new Error(`${command} ${JSON.stringify(parameters)}: ${JSON.stringify(answer.errors)}`);
    return answer;
  };

const addMemberBy = (admin: Admin) => (username: string, team: string) =>
  admin('add-member', { organization: ORGANIZATION, team, username });

/** Who and what is in a world, whichever table it is in. */
type Cast = Pick<World, 'keeper' | 'projects' | 'elsewhere' | 'callers'>;

const newWorkspace = (name: string, project?: string): object => ({
  data: {
    type: 'workspaces',
    attributes: { name },
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

const makeCast = async (api: Api, rows: readonly CallerRow[]): Promise<Cast> => {
  const admin = adminOf(api);
  const { token: keeper } = await admin('create-organization', { name: ORGANIZATION, email: 'keeper@example.com' });
  const makeProject = async (name: string): Promise<string> =>
    (await admin('create-project', { organization: ORGANIZATION, name })).project.id;
  const projects = {
    home: await makeProject('Home'),
    hidden: await makeProject('Hidden'),
    readable: await makeProject('Readable'),
    administered: await makeProject('Administered'),
  };
  await admin('create-team', { organization: ORGANIZATION, name: LOCKERS });
  const other = await admin('create-organization', { name: OTHER_ORGANIZATION, email: 'stranger@example.com' });
  const otherToken = await admin('create-token', { kind: 'organization', organization: OTHER_ORGANIZATION });

  const makeUser = async (username: string): Promise<{ id: string; username: string }> => {
    const { user } = await admin('create-user', { username, email: `${username}@example.com` });
    return { id: user.id, username };
  };
  const tokenOf = (username: string, expiresAt?: string) =>
    admin('create-token', { kind: 'user', username, ...(expiresAt && { expiresAt }) });
  const organizationToken = () => admin('create-token', { kind: 'organization', organization: ORGANIZATION });
  const addMember = addMemberBy(admin);

  const makeTeam = async (given: Team | 'owners', name: string): Promise<CallerTeam> => {
    if (!isDirectory(given)) {
      // It is there: changing nothing tells its id.
      const { team } = await admin('update-team', { organization: ORGANIZATION, name: 'owners' });
      return { id: team.id, name: 'owners', given };
    }
    const { team } = await admin('create-team', {
      organization: ORGANIZATION,
      name,
      permissions: given.permissions ?? [],
    });
    if (given.project)
      await admin('grant-access', { organization: ORGANIZATION, team: name, project: projects.home, ...given.project });
    return { id: team.id, name, given };
  };

  const credentialsOf = async ({ origin }: CallerRow, name: string): Promise<Omit<Caller, keyof CallerRow>> => {
    const alone = { user: undefined, teams: [] };
    switch (origin.token) {
      case 'user':
      case 'team': {
        const teams: CallerTeam[] = [];
        for (const given of origin.teams) teams.push(await makeTeam(given, `${name}-team-${teams.length}`));
        if (origin.token === 'team') {
          const team = teams[0]?.name;
          const { token } = await admin('create-token', { kind: 'team', organization: ORGANIZATION, team });
          return { token, user: undefined, teams };
        }
        const user = await makeUser(`${name}-user`);
        for (const team of teams) await addMember(user.username, team.name);
        return { token: (await tokenOf(user.username)).token, user, teams };
      }
      case 'organization':
        return { ...alone, token: (await organizationToken()).token };
      case 'other organization':
        return { ...alone, token: origin.kind === 'user' ? other.token : otherToken.token };
      case 'non-member': {
        const user = await makeUser(`${name}-user`);
        return { ...alone, user, token: (await tokenOf(user.username)).token };
      }
      case 'site':
        return { ...alone, token: (await admin('create-token', { kind: 'site' })).token };
      case 'run':
      case 'none':
        return { ...alone, token: undefined };
      case 'replaced': {
        const replaced = await organizationToken();
        await organizationToken();
        return { ...alone, token: replaced.token };
      }
      default: {
        const { username } = await makeUser(`${name}-user`);
        await addMember(username, 'owners');
        if (origin.token === 'expired') {
          // Created an hour ago, so that nobody has to wait for its end.
          vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
          const { token } = await tokenOf(username, new Date(Date.now() + 60_000).toISOString());
          vi.useRealTimers();
          return { ...alone, token };
        }
        const made = await tokenOf(username);
        if (origin.token === 'revoked') await admin('revoke-token', { id: made.id });
        return { ...alone, token: origin.token === 'mistyped' ? mistype(made.token) : made.token };
      }
    }
  };

  const callers: Caller[] = [];
  // Making an organization's token replaces the last one: so the one that is to stay is made last.
  const inOrder = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => Number(a.row.origin.token === 'organization') - Number(b.row.origin.token === 'organization'));
  for (const { row, index } of inOrder) {
    callers[index] = { ...row, ...(await credentialsOf(row, `c${index}`)) };
  }
  const { body } = await api.request('POST', pathOf('workspaces.create', {}), {
    token: keeper,
    body: newWorkspace('elsewhere'),
  });
  return { keeper, projects, elsewhere: { id: body.data.id, name: 'elsewhere' }, callers };
};

let runs = 0;
let made = 0;

/** A world of a cast and of the workspaces that its callers have, on what is in the table of an API. */
const worldOf = (api: Api, { keeper, projects, callers, elsewhere }: Cast, subjects: Map<string, Subject>): World => {
  let writes = 0;
  const admin: Admin = (command, parameters) => {
    writes += 1;
    return adminOf(api)(command, parameters);
  };
  const call: World['call'] = async (route, token, request = {}) => {
    const { method } = routes[route];
    const reply = await api.request(method, pathOf(route, request), { token, body: request.body });
    if (method !== 'GET' && reply.status < 400) writes += 1;
    return reply;
  };
  const keep: World['keep'] = async (route, request) => {
    const reply = await call(route, keeper, request);
    if (reply.status >= 300) throw new Error(`The keeper's ${route}: ${JSON.stringify(reply.body)}`);
    return reply;
  };

  /** The token of a run of a workspace, which takes no lock unless it reaches its plan. */
  const runToken = async (workspace: string, reaches?: 'planning' | 'errored'): Promise<string> => {
    const { token, sha256 } = await admin('new-run-token', {});
    const id = runId(++runs);
    const time = new Date().toISOString();
    const run = { id, 'created-at': time, at: time, 'plan-only': false, 'token-sha256': sha256 };
    for (const status of ['plan_queued', reaches ?? []].flat()) {
      await api.ingest('run.updated', { organization: ORGANIZATION, workspace, run: { ...run, status } });
    }
    if (api.deadLetters.received().length > 0) throw new Error(`The run ${id} was not taken in`);
    return token;
  };

  const makeWorkspace = async (name: string, project?: string): Promise<Subject> => {
    const { body } = await keep('workspaces.create', { body: newWorkspace(name, project) });
    return { id: body.data.id, name };
  };
  /** A run comes by its token with its workspace. */
  const beRun = async (caller: { -readonly [K in keyof Caller]: Caller[K] }, { id }: Subject): Promise<void> => {
    if (caller.origin.token !== 'run') return;
    const { of } = caller.origin;
    if (of === 'workspace' || of === 'ended') {
      caller.token = await runToken(id, of === 'ended' ? 'errored' : undefined);
      return;
    }
    const own = await makeWorkspace(`runner-${++made}`);
    caller.token = await runToken(own.id);
    if (of === 'stranger') return;
    const body = { data: [{ type: 'workspaces', id: own.id }] };
    await keep('remote-state-consumers.add', { parameters: { workspace_id: id }, body });
  };
  /** A run locks once, so it is another one each time; of other workspaces none can. */
  const lockAsRun = async (caller: { -readonly [K in keyof Caller]: Caller[K] }, { id }: Subject): Promise<boolean> => {
    if (caller.origin.token !== 'run' || caller.origin.of !== 'workspace') return false;
    caller.token = await runToken(id, 'planning');
    return true;
  };
  const addMember = addMemberBy(admin);
  const makeSubject = async (caller: Caller): Promise<Subject> => {
    const { teams } = caller;
    const subject = await makeWorkspace(`subject-${++made}`, projects.home);
    await beRun(caller, subject);
    for (const { name: team, given } of teams) {
      const grant: Grant | undefined = isDirectory(given) ? given.workspace : undefined;
      if (grant) await admin('grant-access', { organization: ORGANIZATION, team, workspace: subject.id, ...grant });
    }
    return subject;
  };

  let adminsForceDelete = false;
  let kept: { readonly key: string; readonly value: unknown; readonly writes: number } | undefined;
  return {
    api,
    organization: ORGANIZATION,
    otherOrganization: OTHER_ORGANIZATION,
    keeper,
    callers,
    projects,
    elsewhere,
    call,
    keep,
    admin,
    writes: () => writes,

    prepared: async <T>(key: string, make: () => Promise<T>) => {
      if (kept?.key !== key || kept.writes !== writes) {
        const value = await make();
        kept = { key, value, writes };
      }
      return kept.value as T;
    },

    subjectOf: async (caller) => {
      const known = subjects.get(caller.name);
      if (known) return known;
      const subject = await makeSubject(caller);
      subjects.set(caller.name, subject);
      return subject;
    },

    giveUp: ({ name }) => subjects.delete(name),

    openTargets: async ({ teams: [team] }) => {
      if (team === undefined || !isDirectory(team.given)) return;
      const access = { organization: ORGANIZATION, team: team.name };
      await admin('grant-access', { ...access, project: projects.readable, access: 'read' });
      await admin('grant-access', { ...access, project: projects.administered, access: 'admin' });
    },

    lockAs: async (caller, subject) => {
      if (caller.origin.token === 'run') return lockAsRun(caller, subject);
      const { token, user } = caller;
      if ((await call('workspaces.lock', token, { subject })).status === 200) return true;
      if (user === undefined) return false;
      const { username } = user;
      const access = { organization: ORGANIZATION, team: LOCKERS, workspace: subject.id };
      await admin('grant-access', { ...access, access: 'write' });
      await addMember(username, LOCKERS);
      const { status } = await call('workspaces.lock', token, { subject });
      await admin('remove-member', { organization: ORGANIZATION, team: LOCKERS, username });
      await admin('revoke-access', access);
      return status === 200;
    },

    letAdminsForceDelete: async (allowForceDeleteWorkspaces) => {
      await admin('update-organization', { name: ORGANIZATION, allowForceDeleteWorkspaces });
      adminsForceDelete = allowForceDeleteWorkspaces;
    },
    adminsForceDelete: () => adminsForceDelete,
    stop: api.stop,
  };
};

export const startWorlds = async (rows: readonly CallerRow[]): Promise<Worlds> => {
  const engine = await startEngine();
  const api = await startApi({ engine });
  const cast = await makeCast(api, rows);
  const subjects = new Map<string, Subject>();
  const first = worldOf(api, cast, subjects);
  for (const caller of cast.callers) await first.subjectOf(caller);
  await api.stop();
  return {
    open: async () => {
      const callers = cast.callers.map((caller) => ({ ...caller }));
      return worldOf(await startApi({ engine: await engine.copy() }), { ...cast, callers }, new Map(subjects));
    },
    stop: engine.stop,
  };
};

/** One letter is another one: the token's checksum no longer fits. */
const mistype = (token: string): string => {
  const letter = token.charAt(10);
  return `${token.slice(0, 10)}${letter === 'a' ? 'b' : 'a'}${token.slice(11)}`;
};
