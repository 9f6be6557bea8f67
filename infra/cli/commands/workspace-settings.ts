import type { ExecutionMode, Schemas } from '../../../shared/client/types.ts';
import type { WorkspaceChange } from '../../../shared/client/workspaces.ts';
import { everyOf } from '../every-of.ts';
import { usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { choice, type Parameter, text, texts, truth, type ValuesOf } from '../parameters.ts';
import { unsetFlag } from '../resource-commands.ts';
import { type EmptyValues, given, isSet, type Settings } from '../settings.ts';
import { agentPools } from './agent-pools.ts';
import { projects } from './project-rows.ts';

type Body = Schemas['WorkspaceUpdateBody'];
type Attributes = NonNullable<WorkspaceChange['attributes']>;
type Repository = NonNullable<Attributes['vcs-repo']>;

/** Attributes without a flag: other names of a setting, and the client of a creation. */
type Omitted = 'operations' | 'terraform-version' | 'source-name' | 'source-url';
/** Attributes whose flags have other names or values. */
type Special = 'name' | 'setting-overwrites' | 'agent-pool-id' | 'vcs-repo';

const attributeFlags = {
  description: text('Description for people.', 'TEXT'),
  'infra-version': text('Version of the infrastructure tool: exact, a constraint, or "latest".', 'VERSION'),
  'execution-mode': choice(
    'Where runs are executed. "local" only stores state.',
    everyOf<ExecutionMode>()('remote', 'local', 'agent'),
  ),
  'working-directory': text('Relative path of the directory in which runs are executed.', 'PATH'),
  'deletion-protection': truth('Reject deletions of the workspace.'),
  'global-remote-state': truth('Let all workspaces of the organization read the state.'),
  'project-remote-state': truth('Let all workspaces of the project read the state.'),
  'auto-apply': truth('Apply successful plans without confirmation.'),
  'auto-apply-run-trigger': truth('Apply them also in runs that another workspace has triggered.'),
  'allow-destroy-plan': truth('Allow destroy plans.'),
  'queue-all-runs': truth('Queue runs before the first one was queued manually.'),
  'speculative-enabled': truth('Plan pull requests.'),
  'structured-run-output-enabled': truth('Show structured output of runs.'),
  'file-triggers-enabled': truth('Start runs only for changes of certain files.'),
  'trigger-prefixes': texts('Directory whose changes start a run.', 'PATH'),
  'trigger-patterns': texts('Glob pattern of files whose changes start a run.', 'PATTERN'),
  'auto-destroy-at': text('When a destroy run is due, such as 2030-01-31T08:00:00Z.', 'TIME'),
  'auto-destroy-activity-duration': text('Request a destroy run after so long without activity: 14d, 24h.', 'DURATION'),
  'inherits-project-auto-destroy': truth('Use the auto-destroy duration of the project.'),
} satisfies Settings<Body, Omitted | Special>;

/** A flag for each member of `vcs-repo`. */
const repositoryFlags = {
  'vcs-repo-identifier': text('Repository whose changes start runs.', 'ORG/REPO'),
  'vcs-repo-oauth-token-id': text('VCS connection of the repository.', 'ID'),
  'vcs-repo-app-installation-id': text('App installation of the repository, in place of a VCS connection.', 'ID'),
  'vcs-repo-branch': text('Branch. Default: that of the repository.', 'BRANCH'),
  'vcs-repo-ingress-submodules': truth('Fetch submodules.'),
  'vcs-repo-tags-regex': text('RE2 expression of the Git tags that start a run.', 'EXPRESSION'),
} satisfies {
  [N in Exclude<keyof Repository, 'github-app-installation-id'> as `vcs-repo-${N}`]: Parameter<
    Exclude<Repository[N], null> | undefined
  >;
};

const emptyValues: EmptyValues<Body, Omitted | Special> & Readonly<Record<'vcs-repo', null>> = {
  description: null,
  'working-directory': null,
  'trigger-prefixes': [],
  'trigger-patterns': [],
  'auto-destroy-at': null,
  'auto-destroy-activity-duration': null,
  'vcs-repo': null,
};

/** Settings that can be inherited. */
const inheritable = everyOf<keyof NonNullable<Attributes['setting-overwrites']>>()(
  'execution-mode',
  'agent-pool',
  'deletion-protection',
);

/** Settings of a workspace as flags. */
export const settingFlags = {
  project: text('Project.', 'NAME', projects.argument.complete),
  'agent-pool': text('Agent pool, for the execution mode "agent".', 'NAME', agentPools.argument.complete),
  ...attributeFlags,
  ...repositoryFlags,
};

/** The flag that removes values of settings. */
export const unset = unsetFlag({ ...Object.fromEntries(inheritable.map((name) => [name, null])), ...emptyValues });

const settings: readonly string[] = [
  ...Object.keys(attributeFlags),
  ...everyOf<Special>()('name', 'setting-overwrites', 'agent-pool-id', 'vcs-repo'),
];

/** Returns whether an attribute of a workspace is a setting, and not something that follows from others. */
export const isSetting = (name: string): boolean => settings.includes(name);

// The OpenAPI document mentions null, which removes the repository, only in the description.
const emptyOf = (names: readonly string[]): Attributes =>
  Object.fromEntries(Object.entries(emptyValues).filter(([name]) => names.includes(name)));

const toRepository = (flags: ValuesOf<typeof repositoryFlags>): Repository =>
  Object.fromEntries(
    Object.entries(given(repositoryFlags, flags)).map(([name, value]) => [name.slice('vcs-repo-'.length), value]),
  );

/**
 * Converts flags to the change that the API accepts. It is empty without any flag.
 * @param removed settings whose values are removed.
 * @param organization in which projects and agent pools are looked up.
 * @throws Failure `usage` if a setting is both set and unset.
 */
export const toChange = async (
  invocation: Invocation,
  flags: ValuesOf<typeof settingFlags> & { readonly name?: string | undefined },
  removed: readonly string[] = [],
  organization?: string,
): Promise<WorkspaceChange> => {
  for (const [flag, value] of Object.entries(flags)) {
    const other = removed.find((name) => flag === name || flag.startsWith(`${name}-`));
    if (other !== undefined && isSet(value)) throw usageError(`--${flag} and --unset ${other} exclude each other.`);
  }
  const { name, project, 'agent-pool': pool } = flags;
  const repository = toRepository(flags);
  const inherited = inheritable.filter((setting) => removed.includes(setting));
  const attributes: Attributes = {
    ...(name !== undefined && { name }),
    ...given(attributeFlags, flags),
    ...emptyOf(removed),
    ...(pool !== undefined && { 'agent-pool-id': await agentPools.findId(invocation, pool, organization) }),
    ...(Object.keys(repository).length > 0 && { 'vcs-repo': repository }),
    ...(inherited.length > 0 && {
      'setting-overwrites': Object.fromEntries(inherited.map((setting) => [setting, false])),
    }),
  };
  return {
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(project !== undefined && {
      relationships: { project: { data: { id: await projects.findId(invocation, project, organization) } } },
    }),
  };
};
