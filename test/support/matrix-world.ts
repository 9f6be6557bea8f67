import { type PathParameters, type RouteId, routes } from '../../shared/routes.ts';
import { type Api, type Reply, startApi } from './api.ts';
import type { CallerRow, Grant, Team } from './matrix.ts';

/** An organization in which every caller of the matrix exists, each with a workspace that its grants are on. */
export interface World {
  readonly api: Api;
  /** Of an owner that is none of the callers: prepares, looks, and puts back. */
  readonly keeper: string;
  readonly projects: Readonly<Record<'home' | 'hidden' | 'readable' | 'administered', string>>;
  /** A workspace in the default project, where no project grant applies. */
  readonly elsewhere: Subject;
  readonly call: (route: RouteId, token: string | undefined, subject: Subject, body?: unknown) => Promise<Reply>;
  /** The caller's workspace: made anew, with its grants, after the last one was given up. */
  readonly subjectOf: (caller: Caller) => Promise<Subject>;
  readonly giveUp: (caller: Caller) => void;
  /** Gives the caller's team read on one project that it could not see, and admin on another. */
  readonly openTargets: (caller: Caller) => Promise<void>;
  /** Has the caller hold its workspace's lock, for a moment with more access than it has; false where nothing helps. */
  readonly lockAs: (caller: Caller, subject: Subject) => Promise<boolean>;
  readonly letAdminsForceDelete: (allow: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface Subject {
  readonly id: string;
  readonly name: string;
}

export interface Caller extends CallerRow {
  readonly token: string | undefined;
  readonly username: string | undefined;
  /** Names of its teams, beside what they were given. */
  readonly teams: readonly { readonly name: string; readonly given: Team | 'owners' }[];
}

export const ORGANIZATION = 'acme';
const OTHER = 'umbrella';
const LOCKERS = 'lockers';

/** A concrete path of a route. */
const pathOf = (route: RouteId, { id, name }: Subject): string => {
  const parameters: Partial<PathParameters<RouteId>> & Record<string, string> = {
    organization_name: ORGANIZATION,
    workspace_id: id,
    name,
  };
  return routes[route].path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => parameters[parameter] ?? '');
};

const isDirectory = (team: Team | 'owners'): team is Team => team !== 'owners';

export const startWorld = async (rows: readonly CallerRow[]): Promise<{ world: World; callers: readonly Caller[] }> => {
  const api = await startApi();
  const admin = async (command: string, parameters: Record<string, unknown>) => {
    const answer = await api.admin(command, parameters);
    if (answer.errors) throw new Error(`${command} ${JSON.stringify(parameters)}: ${JSON.stringify(answer.errors)}`);
    return answer;
  };

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
  const other = await admin('create-organization', { name: OTHER, email: 'stranger@example.com' });
  const otherToken = await admin('create-token', { kind: 'organization', organization: OTHER });

  const call: World['call'] = (route, token, subject, body) =>
    api.request(routes[route].method, pathOf(route, subject), { token, body });

  const makeUser = async (username: string): Promise<string> => {
    await admin('create-user', { username, email: `${username}@example.com` });
    return username;
  };
  const tokenOf = (username: string, expiresAt?: string) =>
    admin('create-token', { kind: 'user', username, ...(expiresAt && { expiresAt }) });
  const organizationToken = () => admin('create-token', { kind: 'organization', organization: ORGANIZATION });
  const addMember = (username: string, team: string) =>
    admin('add-member', { organization: ORGANIZATION, team, username });

  const makeTeam = async (team: Team | 'owners', name: string): Promise<string> => {
    if (!isDirectory(team)) return 'owners';
    await admin('create-team', { organization: ORGANIZATION, name, permissions: team.permissions ?? [] });
    if (team.project)
      await admin('grant-access', { organization: ORGANIZATION, team: name, project: projects.home, ...team.project });
    return name;
  };

  let soonest = 0;
  const credentialsOf = async ({ origin }: CallerRow, name: string): Promise<Omit<Caller, keyof CallerRow>> => {
    const alone = { username: undefined, teams: [] };
    switch (origin.token) {
      case 'user':
      case 'team': {
        const teams = await Promise.all(
          origin.teams.map(async (given, index) => ({ given, name: await makeTeam(given, `${name}-team-${index}`) })),
        );
        if (origin.token === 'team') {
          const team = teams[0]?.name;
          const { token } = await admin('create-token', { kind: 'team', organization: ORGANIZATION, team });
          return { token, username: undefined, teams };
        }
        const username = await makeUser(`${name}-user`);
        for (const team of teams) await addMember(username, team.name);
        return { token: (await tokenOf(username)).token, username, teams };
      }
      case 'organization':
        return { ...alone, token: (await organizationToken()).token };
      case 'other organization':
        return { ...alone, token: origin.kind === 'user' ? other.token : otherToken.token };
      case 'non-member':
        return { ...alone, token: (await tokenOf(await makeUser(`${name}-user`))).token };
      case 'none':
        return { ...alone, token: undefined };
      case 'replaced': {
        const replaced = await organizationToken();
        await organizationToken();
        return { ...alone, token: replaced.token };
      }
      default: {
        const username = await makeUser(`${name}-user`);
        await addMember(username, 'owners');
        if (origin.token === 'expired') {
          soonest = Date.now() + 1_000;
          return { ...alone, token: (await tokenOf(username, new Date(soonest).toISOString())).token };
        }
        const made = await tokenOf(username);
        if (origin.token === 'revoked') await admin('revoke-token', { id: made.id });
        return { ...alone, token: origin.token === 'mistyped' ? mistype(made.token) : made.token };
      }
    }
  };

  const subjects = new Map<string, Subject>();
  let made = 0;
  const makeWorkspace = async (name: string, project?: string): Promise<Subject> => {
    const relationships = project && { project: { data: { type: 'projects', id: project } } };
    const body = { data: { type: 'workspaces', attributes: { name }, ...(relationships && { relationships }) } };
    const reply = await call('workspaces.create', keeper, { id: '', name }, body);
    return { id: reply.body.data.id, name };
  };
  const makeSubject = async ({ teams }: Caller): Promise<Subject> => {
    const subject = await makeWorkspace(`subject-${++made}`, projects.home);
    for (const { name: team, given } of teams) {
      const grant: Grant | undefined = isDirectory(given) ? given.workspace : undefined;
      if (grant) await admin('grant-access', { organization: ORGANIZATION, team, workspace: subject.id, ...grant });
    }
    return subject;
  };

  const world: World = {
    api,
    keeper,
    projects,
    elsewhere: await makeWorkspace('elsewhere'),
    call,

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
      const { name } = team;
      await admin('grant-access', {
        organization: ORGANIZATION,
        team: name,
        project: projects.readable,
        access: 'read',
      });
      await admin('grant-access', {
        organization: ORGANIZATION,
        team: name,
        project: projects.administered,
        access: 'admin',
      });
    },

    lockAs: async ({ token, username }, subject) => {
      if ((await call('workspaces.lock', token, subject)).status === 200) return true;
      if (username === undefined) return false;
      const access = { organization: ORGANIZATION, team: LOCKERS, workspace: subject.id };
      await admin('grant-access', { ...access, access: 'write' });
      await addMember(username, LOCKERS);
      const { status } = await call('workspaces.lock', token, subject);
      await admin('remove-member', { organization: ORGANIZATION, team: LOCKERS, username });
      await admin('revoke-access', access);
      return status === 200;
    },

    letAdminsForceDelete: async (allowForceDeleteWorkspaces) => {
      await admin('update-organization', { name: ORGANIZATION, allowForceDeleteWorkspaces });
    },
    stop: api.stop,
  };

  const callers: Caller[] = [];
  // Making an organization's token replaces the last one: so the one that is to stay is made last.
  const inOrder = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => Number(a.row.origin.token === 'organization') - Number(b.row.origin.token === 'organization'));
  for (const { row, index } of inOrder) {
    callers[index] = { ...row, ...(await credentialsOf(row, `c${index}`)) };
  }
  for (const caller of callers) await world.subjectOf(caller);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soonest - Date.now())));
  return { world, callers };
};

/** One letter is another one: the token's checksum no longer fits. */
const mistype = (token: string): string => {
  const letter = token.charAt(10);
  return `${token.slice(0, 10)}${letter === 'a' ? 'b' : 'a'}${token.slice(11)}`;
};
