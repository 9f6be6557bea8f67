import Type, { type Static, type TProperties } from 'typebox';
import { parts, projectLevels, projectParts, teamPermissions, workspaceLevels } from '../domain/directory/grants.ts';
import { executionModes, plans, serviceProviders, teamVisibilities } from '../domain/directory/records.ts';
import { limits } from '../domain/limits.ts';
import { restoreChoices } from '../domain/restore-choices.ts';
import { TIMESTAMP } from '../domain/timestamps.ts';
import type { CommandTable } from './commands.ts';
import { patterns } from './patterns.ts';
import { oneOf } from './schema.ts';

/**
 * Commands of the `admin` function: descriptions, and parameters as JSON Schema. The build compiles them into
 * `shared/validators/compiled/admin.js`, with the texts of the help. Values of a command line are text, so text is
 * accepted for booleans. Unknown parameters are rejected as typing errors.
 */

const text = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: limits.recordName, description, ...options });
/** Builds the schema of a text that null or an empty text clears. */
const nullable = (description: string, options: object = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.recordName, description, ...options });
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const optional = Type.Optional;

const pathName = { pattern: patterns.pathName };
const shownName = { pattern: patterns.shownName };

const organizationName = (description = 'Name of the organization') =>
  text(description, { ...pathName, maxLength: limits.organizationName });
const organization = organizationName();
const projectName = (description: string) =>
  text(description, { minLength: 3, maxLength: limits.projectName, pattern: patterns.projectName });
const recordName = (description: string) => text(description, shownName);
const username = text('Name of the user: letters, digits, - and _', { ...pathName, maxLength: limits.username });
const newUsername = text('Another username: letters, digits, - and _', { ...pathName, maxLength: limits.username });
const email = text('E-mail address', { maxLength: limits.email, pattern: patterns.email });
const url = text('URL of the provider, such as https://github.com', {
  maxLength: limits.sourceUrl,
  pattern: '^https?://[^\\s]+$',
});
const provider = text('Name of the identity provider in the setting identityProviders', {
  maxLength: limits.organizationName,
});
const subject = text('Subject of the identity: the claim sub of its identity tokens', { maxLength: 255 });
const team = text('Name or id of the team');
const workspace = optional(text('Name or id of the workspace'));
const project = optional(text('Name or id of the project'));

const settings = {
  defaultExecutionMode: optional(oneOf(executionModes, 'Default execution mode of workspaces; initially remote')),
  allowForceDeleteWorkspaces: flag('Whether workspace admins may force delete; initially false'),
  assessmentsEnforced: flag('Whether health assessments are on in every workspace; initially false'),
  plan: optional(oneOf(plans, 'Plan of the organization, on the hosted edition; initially free')),
};
const executionDefaults = {
  defaultExecutionMode: optional(
    Type.Unsafe<(typeof executionModes)[number] | '' | null>({
      type: ['string', 'null'],
      enum: [...executionModes, '', null],
      description: `Default execution mode of its workspaces: ${executionModes.join(', ')}; empty: inherited from the organization`,
    }),
  ),
  defaultAgentPool: optional(nullable('Name or id of the agent pool in agent mode; empty: none')),
};

const description = optional(nullable('Purpose', { maxLength: limits.recordDescription }));
const permissions = optional(
  Type.Unsafe<string | readonly string[]>({
    type: ['array', 'string'],
    maxItems: teamPermissions.length,
    maxLength: 1_000,
    items: { type: 'string' },
    description: `Permissions in the whole organization, comma-separated: ${teamPermissions.join(', ')}`,
  }),
);
const visibility = optional(
  oneOf(teamVisibilities, 'Visible to its members only, or to the organization; initially secret'),
);
const serviceProvider = oneOf(serviceProviders, 'Kind of provider');
const version = text('Full version, such as 1.15.2', { maxLength: limits.version });
const serviceAccount = flag('Whether it is a program rather than a person; initially false');
const siteAdmin = flag('Whether the user may create organizations; initially false');

/** Builds the commands that create, update and delete one kind of record by name. */
const named = <K extends string, N extends TProperties[string], C extends TProperties, U extends TProperties>(
  label: K,
  name: (description: string) => N,
  creation: C,
  changes: U,
) => ({
  create: {
    description: `Creates ${label}; returns an existing one of that name unchanged`,
    parameters: Type.Object({ organization, name: name('Its name'), ...creation }),
  },
  update: {
    description: `Updates ${label}; omitted parameters stay unchanged`,
    parameters: Type.Object({
      organization,
      name: text('Its name, or its id'),
      newName: optional(name('New name')),
      ...changes,
    }),
  },
  remove: {
    description: `Deletes ${label}, unless it is in use; takes half a minute`,
    parameters: Type.Object({ organization, name: text('Its name, or its id') }),
  },
});

const tagBindings = optional(
  nullable('Tags that its workspaces inherit, such as env=prod,owner=ada; empty: none', { maxLength: 5_000 }),
);
const ofProject = { description, tagBindings, ...executionDefaults };
const projects = named('a project', projectName, ofProject, ofProject);
const service = flag('Whether automation may act as the team without a token; default false, cannot change later');
const teams = named(
  'a team',
  (it) => text(it, { pattern: patterns.teamName }),
  { permissions, visibility, service },
  { permissions, visibility },
);
const agentPools = named('an agent pool', recordName, {}, {});
const vcsConnections = named(
  'a connection to a VCS provider',
  recordName,
  { serviceProvider, httpUrl: url },
  { serviceProvider: optional(serviceProvider), httpUrl: optional(url) },
);
const appInstallations = named(
  "an installation of the VCS provider's app",
  recordName,
  { httpUrl: optional(url) },
  { httpUrl: optional(url) },
);
const sshKeys = named('an SSH key', recordName, {}, {});

const member = Type.Object({ organization, team: optional(team), username });
const grant = { organization, team, workspace, project };

const described = (words: readonly string[]) => `With custom access: ${words.join(', ')}`;
const part = <P extends keyof typeof parts>(name: P) => optional(oneOf(parts[name], described(parts[name])));
const projectPart = <P extends keyof typeof projectParts>(name: P) =>
  optional(oneOf(projectParts[name], `With custom access to a project: ${projectParts[name].join(', ')}`));
const customFlag = flag('With custom access: true or false');
const projectFlag = flag('With custom access to a project: true or false');
const levels = [...new Set([...workspaceLevels, ...projectLevels, 'custom'])] as const;

export const commands = {
  help: {
    description: 'Lists the commands and their parameters, or those of one command',
    parameters: Type.Object({ of: optional(text('Name of one command')) }),
  },

  createOrganization: {
    description: "Creates an organization with its default project and owners team; returns an owner's token, once",
    parameters: Type.Object({
      name: organizationName('Its name: letters, digits, - and _; it can never change'),
      email,
      owner: optional(
        text('Username of its first owner; default: the user with the e-mail address', {
          ...pathName,
          maxLength: limits.username,
        }),
      ),
      defaultAgentPool: optional(nullable('Name of an agent pool to create as the default one', shownName)),
      ...settings,
      shards: optional(
        oneOf(
          ['4', '8', '16', '32', '64'],
          'Number of shards of its list index, each for 500 changes a second; default 4, can never change',
        ),
      ),
    }),
  },
  updateOrganization: {
    description: 'Updates settings of an organization; omitted parameters stay unchanged',
    parameters: Type.Object({
      name: organization,
      email: optional(email),
      ...settings,
      defaultAgentPool: executionDefaults.defaultAgentPool,
    }),
  },
  deleteOrganization: {
    description: 'Deletes an organization without workspaces and everything that belongs to it; takes half a minute',
    parameters: Type.Object({ name: organization }),
  },

  createProject: projects.create,
  updateProject: projects.update,
  deleteProject: projects.remove,

  createTeam: teams.create,
  updateTeam: teams.update,
  deleteTeam: { ...teams.remove, description: 'Deletes a team, its tokens and its grants; takes half a minute' },

  createUser: {
    description: 'Creates a user, or the account of an invited one; of an existing user only siteAdmin is changed',
    parameters: Type.Object({ username, email, serviceAccount, siteAdmin }),
  },
  updateUser: {
    description: 'Updates a user; omitted parameters stay unchanged',
    parameters: Type.Object({
      username,
      newUsername: optional(newUsername),
      email: optional(email),
      serviceAccount,
      siteAdmin,
    }),
  },
  deleteUser: {
    description: 'Deletes a user, with their memberships and tokens',
    parameters: Type.Object({ username }),
  },

  suspendUser: {
    description:
      'Suspends a user: ends their sessions and rejects their tokens until resume-user; nothing else changes',
    parameters: Type.Object({ username }),
  },
  resumeUser: {
    description: 'Ends the suspension of a user, whose tokens then work again',
    parameters: Type.Object({ username }),
  },
  endSessions: {
    description:
      'Ends the sessions of a user, or all that come from an identity provider. Repeat the command until nothing is left',
    parameters: Type.Object({ username: optional(username), provider: optional(provider) }),
  },

  exemptUser: {
    description:
      'Exempts a member from the sign-in policy of an organization for some hours, so that their tokens work without a sign-in; 0 ends it',
    parameters: Type.Object({
      organization,
      username,
      hours: text('Hours from now, at most 720', { pattern: '^(\\d{1,2}|[1-6]\\d\\d|7[01]\\d|720)$' }),
    }),
  },
  signInLink: {
    description: 'Creates a link that signs a user in to the console for an hour; it works once, within ten minutes',
    parameters: Type.Object({ username }),
  },
  disableProvider: {
    description:
      'Disables an identity provider: nobody can sign in there, and its sessions end. Repeat the command until nothing is left',
    parameters: Type.Object({ provider }),
  },
  enableProvider: {
    description: 'Enables an identity provider again',
    parameters: Type.Object({ provider }),
  },
  linkIdentity: {
    description: 'Links an identity at an identity provider with a user, also with an owner or a site administrator',
    parameters: Type.Object({ username, provider, subject }),
  },
  unlinkIdentity: {
    description: 'Unlinks an identity of a user, and ends its sessions',
    parameters: Type.Object({ username, provider, subject }),
  },

  createAgentPool: agentPools.create,
  updateAgentPool: agentPools.update,
  deleteAgentPool: agentPools.remove,

  createVcsConnection: vcsConnections.create,
  updateVcsConnection: vcsConnections.update,
  deleteVcsConnection: vcsConnections.remove,

  createAppInstallation: appInstallations.create,
  updateAppInstallation: appInstallations.update,
  deleteAppInstallation: appInstallations.remove,

  deleteSshKey: {
    ...sshKeys.remove,
    description: 'Deletes an SSH key, and unassigns it everywhere; takes half a minute',
  },

  createRelease: {
    description: 'Adds a release of the infrastructure tool that workspaces can use',
    parameters: Type.Object({ version }),
  },
  deleteRelease: {
    description: 'Removes a release of the infrastructure tool that workspaces can use',
    parameters: Type.Object({ version }),
  },

  addMember: { description: 'Adds a user to a team, or to the organization only', parameters: member },
  removeMember: {
    description: 'Removes a user from a team, or from the organization and all its teams',
    parameters: member,
  },

  grantAccess: {
    description: 'Gives a team access to one workspace or one project; replaces the access it had there',
    parameters: Type.Object({
      ...grant,
      access: oneOf(
        levels,
        `On a workspace ${workspaceLevels.join(', ')}; on a project ${projectLevels.join(', ')}; or custom`,
      ),
      runs: part('runs'),
      variables: part('variables'),
      stateVersions: part('stateVersions'),
      sentinelMocks: part('sentinelMocks'),
      workspaceLocking: customFlag,
      runTasks: customFlag,
      policyOverrides: customFlag,
      create: projectFlag,
      delete: projectFlag,
      move: projectFlag,
      projectSettings: projectPart('projectSettings'),
      projectTeams: projectPart('projectTeams'),
      variableSets: projectPart('variableSets'),
    }),
  },
  revokeAccess: {
    description: "Revokes a team's access to one workspace or one project",
    parameters: Type.Object(grant),
  },

  createToken: {
    description:
      'Creates a token and returns it, once; replaces the one token of an organization; a token of kind site creates organizations over HTTP',
    parameters: Type.Object({
      kind: oneOf(['user', 'team', 'organization', 'site'], 'Kind of the token'),
      username: optional(username),
      organization: optional(organization),
      team: optional(team),
      description: optional(nullable('Purpose', { maxLength: limits.recordDescription })),
      expiresAt: optional(
        nullable('When it expires, such as 2027-01-31T08:00:00Z; never otherwise', { maxLength: limits.expiry }),
      ),
    }),
  },
  newRunToken: {
    description: 'Generates a token for a run and its digest for the events of the run; stores nothing',
    parameters: Type.Object({}),
  },
  revokeToken: {
    description: 'Revokes a token, given by its id or by the token itself',
    parameters: Type.Object({ id: optional(text('Its id, at-…')), token: optional(text('The token')) }),
  },

  afterRestore: {
    description:
      'Deals with what a table that was restored to a point in time brings back. Run it during maintenance. Repeat the command until nothing is left',
    parameters: Type.Object({
      tokens: oneOf(restoreChoices, 'Tokens to revoke: compare (with the replaced table), end (all) or keep'),
      memberships: oneOf(['compare', 'keep'] as const, 'Memberships to end: compare (with the replaced table) or keep'),
      locks: oneOf(restoreChoices, 'Locks to release: compare (with the replaced table), end (all) or keep'),
      destroyRuns: oneOf(
        restoreChoices,
        'Due destroy runs to skip: compare (with the replaced table), end (all) or keep',
      ),
      dryRun: flag('Whether only to report what would be done; initially false'),
      restart: flag('Whether to start again instead of continuing; initially false'),
    }),
  },
  exportHistory: {
    description:
      'Writes the history of an organization, or of one of its workspaces, to the bucket as JSON lines, newest first. Repeat the command with the cursor of its response until there is none',
    parameters: Type.Object({
      organization,
      workspace,
      since: optional(text('Time of the oldest entry, such as 2026-01-31T12:00:00Z', { pattern: TIMESTAMP })),
      until: optional(text('Time of the newest entry', { pattern: TIMESTAMP })),
      cursor: optional(text('Cursor of the previous response')),
    }),
  },
  checkTable: {
    description:
      'Checks every item of the table and reports items that contradict each other. Repeat the command until nothing is left',
    parameters: Type.Object({ restart: flag('Whether to start again instead of continuing; initially false') }),
  },
  indexVariables: {
    description:
      'Lets searches find the keys of variables that an earlier version wrote. Repeat the command until nothing is left',
    parameters: Type.Object({ restart: flag('Whether to start again instead of continuing; initially false') }),
  },
} as const satisfies CommandTable;

export type CommandKey = keyof typeof commands;
/** Validated parameters of each command. */
export type Parameters<C extends CommandKey> = Static<(typeof commands)[C]['parameters']>;
