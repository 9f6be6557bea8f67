import { vi } from 'vitest';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { type Api, type ApiResponse, startApi } from '../api/api.ts';
import { startEngine } from '../engine/engine.ts';
import { runId } from '../models/run-model.ts';
import type { CallerRow, Grant, Team } from './matrix-callers.ts';

/** Testbed of the matrix: an organization with all callers, each with a workspace that it has its grants on. */
export interface Testbed {
  readonly api: Api;
  readonly organization: string;
  /** Organization of the callers that belong to another organization. */
  readonly otherOrganization: string;
  /** Token of an owner that is not one of the callers. It prepares requests and reads their results. */
  readonly ownerToken: string;
  readonly callers: readonly Caller[];
  /** Project ids. `home` has the callers' workspaces and grants. `openTargets` grants access to two of the others. */
  readonly projects: Readonly<Record<'home' | 'hidden' | 'readable' | 'administered', string>>;
  /** Workspace in the default project, where no project grant applies. */
  readonly elsewhere: TestWorkspace;
  /** Sends a request and returns any response. */
  readonly call: (route: RouteId, token: string | undefined, request?: Request) => Promise<ApiResponse>;
  /** Sends a request like `call`, but without the check before writes. */
  readonly callUnchecked: (route: RouteId, token: string | undefined, request?: Request) => Promise<ApiResponse>;
  /** Sets the check that runs before each write of a preparation. */
  readonly checkBeforeWrites: (check: () => Promise<void>) => void;
  /** Returns the number of successful writes. */
  readonly writes: () => number;
  /** Sends a request as the owner. @throws Error if it fails. */
  readonly sendAsOwner: (route: RouteId, request?: Request) => Promise<ApiResponse>;
  /**
   * Calls `make`, or returns the result of the previous call for the same key if nothing was written since. A rejected
   * attempt leaves the resource unchanged, so the next attempt can use it.
   */
  readonly createOnce: <T>(key: string, make: () => Promise<T>) => Promise<T>;
  /** Runs a command of the admin function. @throws Error if it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: the response differs by command.
  readonly admin: (command: string, parameters: Record<string, unknown>) => Promise<any>;
  /** Returns the caller's workspace. Creates another one with the same grants after `discardWorkspace`. */
  readonly workspaceFor: (caller: Caller) => Promise<TestWorkspace>;
  readonly discardWorkspace: (caller: Caller) => void;
  /** Grants the caller's team read on one project and admin on another. */
  readonly openTargets: (caller: Caller) => Promise<void>;
  /** Locks the workspace as the caller, with temporary access if necessary. Returns false if it cannot hold a lock. */
  readonly lockAs: (caller: Caller, subject: TestWorkspace, body?: object) => Promise<boolean>;
  readonly letAdminsForceDelete: (allow: boolean) => Promise<void>;
  readonly adminsForceDelete: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Opens copies of the initial organization, each with its own table. */
export interface Testbeds {
  readonly open: () => Promise<Testbed>;
  readonly stop: () => Promise<void>;
}

export interface TestWorkspace {
  readonly id: string;
  readonly name: string;
}

/** Parts of a request besides its route. */
export interface Request {
  /** Workspace of the path, by id or by name. */
  readonly subject?: TestWorkspace;
  /** Other path parameters. The default organization is that of the matrix. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Query string such as `page[size]=100`, with unescaped brackets. */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Caller extends CallerRow {
  readonly token: string | undefined;
  /** User of the token, if it is a user token. */
  readonly user: { readonly id: string; readonly username: string } | undefined;
  /** Teams with their grants. */
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

/** Builds the path of a request. */
const buildPath = (route: RouteId, { subject, parameters, query }: Request): string => {
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

type Admin = Testbed['admin'];

const createAdmin =
  (api: Api): Admin =>
  async (command, parameters) => {
    const response = await api.admin(command, parameters);
    if (response.errors)
      throw new Error(`${command} ${JSON.stringify(parameters)}: ${JSON.stringify(response.errors)}`);
    return response;
  };

const createMemberAdder = (admin: Admin) => (username: string, team: string) =>
  admin('add-member', { organization: ORGANIZATION, team, username });

/** Tokens, projects and callers of a testbed. They are the same in every copy of its table. */
type Cast = Pick<Testbed, 'ownerToken' | 'projects' | 'elsewhere' | 'callers'>;

const newWorkspace = (name: string, project?: string): object => ({
  data: {
    type: 'workspaces',
    attributes: { name },
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

const createCast = async (api: Api, rows: readonly CallerRow[]): Promise<Cast> => {
  const admin = createAdmin(api);
  const { token: ownerToken } = await admin('create-organization', { name: ORGANIZATION, email: 'keeper@example.com' });
  const createProject = async (name: string): Promise<string> =>
    (await admin('create-project', { organization: ORGANIZATION, name })).project.id;
  const projects = {
    home: await createProject('Home'),
    hidden: await createProject('Hidden'),
    readable: await createProject('Readable'),
    administered: await createProject('Administered'),
  };
  await admin('create-team', { organization: ORGANIZATION, name: LOCKERS });
  const other = await admin('create-organization', { name: OTHER_ORGANIZATION, email: 'stranger@example.com' });
  const otherToken = await admin('create-token', { kind: 'organization', organization: OTHER_ORGANIZATION });

  const createUser = async (username: string): Promise<{ id: string; username: string }> => {
    const { user } = await admin('create-user', { username, email: `${username}@example.com` });
    return { id: user.id, username };
  };
  const createUserToken = (username: string, expiresAt?: string) =>
    admin('create-token', { kind: 'user', username, ...(expiresAt && { expiresAt }) });
  const organizationToken = () => admin('create-token', { kind: 'organization', organization: ORGANIZATION });
  const addMember = createMemberAdder(admin);

  const createTeam = async (given: Team | 'owners', name: string): Promise<CallerTeam> => {
    if (!isDirectory(given)) {
      // The owners team exists. An empty update returns its id.
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

  const createCredentials = async ({ origin }: CallerRow, name: string): Promise<Omit<Caller, keyof CallerRow>> => {
    const alone = { user: undefined, teams: [] };
    switch (origin.token) {
      case 'user':
      case 'team': {
        const teams: CallerTeam[] = [];
        for (const given of origin.teams) teams.push(await createTeam(given, `${name}-team-${teams.length}`));
        if (origin.token === 'team') {
          const team = teams[0]?.name;
          const { token } = await admin('create-token', { kind: 'team', organization: ORGANIZATION, team });
          return { token, user: undefined, teams };
        }
        const user = await createUser(`${name}-user`);
        for (const team of teams) await addMember(user.username, team.name);
        return { token: (await createUserToken(user.username)).token, user, teams };
      }
      case 'organization':
        return { ...alone, token: (await organizationToken()).token };
      case 'audit trails': {
        const path = `/organizations/${ORGANIZATION}/authentication-token?token=audit-trails`;
        const { body } = await api.request('POST', path, { token: ownerToken });
        const { token } = body.data.attributes;
        // The report of the first use would be the change of a rejected request.
        await api.request('GET', '/organization/audit-trail', { token });
        return { ...alone, token };
      }
      case 'other organization':
        return { ...alone, token: origin.kind === 'user' ? other.token : otherToken.token };
      case 'non-member': {
        const user = await createUser(`${name}-user`);
        return { ...alone, user, token: (await createUserToken(user.username)).token };
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
        const { username } = await createUser(`${name}-user`);
        await addMember(username, 'owners');
        if (origin.token === 'expired') {
          // Created an hour ago, so that it has expired already.
          vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
          const { token } = await createUserToken(username, new Date(Date.now() + 60_000).toISOString());
          vi.useRealTimers();
          return { ...alone, token };
        }
        const made = await createUserToken(username);
        if (origin.token === 'revoked') await admin('revoke-token', { id: made.id });
        return { ...alone, token: origin.token === 'mistyped' ? mistype(made.token) : made.token };
      }
    }
  };

  const callers: Caller[] = [];
  // A new organization token replaces the previous one, so the valid token is created last.
  const inOrder = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => Number(a.row.origin.token === 'organization') - Number(b.row.origin.token === 'organization'));
  for (const { row, index } of inOrder) {
    callers[index] = { ...row, ...(await createCredentials(row, `c${index}`)) };
  }
  const { body } = await api.request('POST', buildPath('workspaces.create', {}), {
    token: ownerToken,
    body: newWorkspace('elsewhere'),
  });
  return { ownerToken, projects, elsewhere: { id: body.data.id, name: 'elsewhere' }, callers };
};

let runs = 0;
let made = 0;

/** Creates a testbed from the callers and workspaces that exist in the table of an API. */
const createTestbed = (
  api: Api,
  { ownerToken, projects, callers, elsewhere }: Cast,
  subjects: Map<string, TestWorkspace>,
): Testbed => {
  let writes = 0;
  let checkBefore = async (): Promise<void> => {};
  const admin: Admin = async (command, parameters) => {
    await checkBefore();
    writes += 1;
    return createAdmin(api)(command, parameters);
  };
  const callUnchecked: Testbed['callUnchecked'] = async (route, token, request = {}) => {
    const { method } = routes[route];
    const { body, headers = {} } = request;
    const reply = await api.request(method, buildPath(route, request), { token, body, headers });
    if (method !== 'GET' && reply.status < 400) writes += 1;
    return reply;
  };
  const call: Testbed['call'] = async (route, token, request) => {
    if (routes[route].method !== 'GET') await checkBefore();
    return callUnchecked(route, token, request);
  };
  const sendAsOwner: Testbed['sendAsOwner'] = async (route, request) => {
    const reply = await call(route, ownerToken, request);
    if (reply.status >= 300) throw new Error(`${route} failed for the owner: ${JSON.stringify(reply.body)}`);
    return reply;
  };

  /** Creates a run token. The run holds the lock of the workspace only if it reaches planning. */
  const runToken = async (workspace: string, reaches?: 'planning' | 'errored'): Promise<string> => {
    const { token, sha256 } = await admin('new-run-token', {});
    const id = runId(++runs);
    const time = new Date().toISOString();
    const run = { id, 'created-at': time, at: time, 'plan-only': false, 'token-sha256': sha256 };
    for (const status of ['plan_queued', reaches ?? []].flat()) {
      await api.ingest('run.updated', { organization: ORGANIZATION, workspace, run: { ...run, status } });
    }
    if (api.deadLetters.received().length > 0) throw new Error(`The run ${id} was rejected`);
    return token;
  };

  const createWorkspace = async (name: string, project?: string): Promise<TestWorkspace> => {
    const { body } = await sendAsOwner('workspaces.create', { body: newWorkspace(name, project) });
    return { id: body.data.id, name };
  };
  /** Creates the token of a caller that is a run, because it needs the workspace. */
  const giveRunToken = async (
    caller: { -readonly [K in keyof Caller]: Caller[K] },
    { id }: TestWorkspace,
  ): Promise<void> => {
    if (caller.origin.token !== 'run') return;
    const { of } = caller.origin;
    if (of === 'workspace' || of === 'ended') {
      caller.token = await runToken(id, of === 'ended' ? 'errored' : undefined);
      return;
    }
    const own = await createWorkspace(`runner-${++made}`);
    caller.token = await runToken(own.id);
    if (of === 'stranger') return;
    const body = { data: [{ type: 'workspaces', id: own.id }] };
    await sendAsOwner('remote-state-consumers.add', { parameters: { workspace_id: id }, body });
  };
  /** Locks as a new run, because a run locks only once. Runs of other workspaces cannot lock. */
  const lockAsRun = async (
    caller: { -readonly [K in keyof Caller]: Caller[K] },
    { id }: TestWorkspace,
  ): Promise<boolean> => {
    if (caller.origin.token !== 'run' || caller.origin.of !== 'workspace') return false;
    caller.token = await runToken(id, 'planning');
    return true;
  };
  const addMember = createMemberAdder(admin);
  const createCallerWorkspace = async (caller: Caller): Promise<TestWorkspace> => {
    const { teams } = caller;
    const subject = await createWorkspace(`subject-${++made}`, projects.home);
    await giveRunToken(caller, subject);
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
    ownerToken,
    callers,
    projects,
    elsewhere,
    call,
    callUnchecked,
    checkBeforeWrites: (check) => {
      checkBefore = check;
    },
    sendAsOwner,
    admin,
    writes: () => writes,

    createOnce: async <T>(key: string, make: () => Promise<T>) => {
      if (kept?.key !== key || kept.writes !== writes) {
        const value = await make();
        kept = { key, value, writes };
      }
      return kept.value as T;
    },

    workspaceFor: async (caller) => {
      const known = subjects.get(caller.name);
      if (known) return known;
      const subject = await createCallerWorkspace(caller);
      subjects.set(caller.name, subject);
      return subject;
    },

    discardWorkspace: ({ name }) => subjects.delete(name),

    openTargets: async ({ teams: [team] }) => {
      if (team === undefined || !isDirectory(team.given)) return;
      const access = { organization: ORGANIZATION, team: team.name };
      await admin('grant-access', { ...access, project: projects.readable, access: 'read' });
      await admin('grant-access', { ...access, project: projects.administered, access: 'admin' });
    },

    lockAs: async (caller, subject, body) => {
      if (caller.origin.token === 'run') return lockAsRun(caller, subject);
      const { token, user } = caller;
      const request = { subject, ...(body && { body }) };
      if ((await call('workspaces.lock', token, request)).status === 200) return true;
      if (user === undefined) return false;
      const { username } = user;
      const access = { organization: ORGANIZATION, team: LOCKERS, workspace: subject.id };
      await admin('grant-access', { ...access, access: 'write' });
      await addMember(username, LOCKERS);
      const { status } = await call('workspaces.lock', token, request);
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

/** Creates the initial organization with the callers of the rows. */
export const startTestbeds = async (
  rows: readonly CallerRow[],
  { cacheReads = false }: { readonly cacheReads?: boolean } = {},
): Promise<Testbeds> => {
  const engine = await startEngine();
  const api = await startApi({ engine, deletedWorkspaceDays: 14 });
  const cast = await createCast(api, rows);
  const subjects = new Map<string, TestWorkspace>();
  const first = createTestbed(api, cast, subjects);
  for (const caller of cast.callers) await first.workspaceFor(caller);
  await api.stop();
  return {
    open: async () => {
      const callers = cast.callers.map((caller) => ({ ...caller }));
      return createTestbed(
        await startApi({ engine: await engine.copy(), deletedWorkspaceDays: 14, cacheReads }),
        { ...cast, callers },
        new Map(subjects),
      );
    },
    stop: engine.stop,
  };
};

/** Changes one letter, so that the checksum of the token does not match. */
const mistype = (token: string): string => {
  const letter = token.charAt(10);
  return `${token.slice(0, 10)}${letter === 'a' ? 'b' : 'a'}${token.slice(11)}`;
};
