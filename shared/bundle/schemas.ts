import Type, { type TProperties } from 'typebox';
import { count, flag, list, nullable, oneOf, optional, text } from '../schemas/schema.ts';

/**
 * Schemas of the lines of a bundle (docs/reference/bundle.md). A member that is absent is unknown to the source. Objects are open: a
 * later version of the format may add members.
 */

const name = (description?: string) => text(description, { minLength: 1 });
const reference = (description: string) => optional(nullable(name(description)));
const references = (description: string) => optional(list(name(), description));
const texts = (description: string) => optional(list(text(), description));
const setting = (description: string) => optional(flag(description));
const time = (description: string) => optional(nullable(text(description, { format: 'date-time' })));
const textOrNull = (description: string) => optional(nullable(text(description)));

const origin = optional(
  Type.Object(
    {
      id: optional(text('Id at the source.')),
      'created-at': time('When it was created at the source.'),
      'updated-at': time('When its settings last changed at the source.'),
      'created-by': optional(
        nullable(Type.Object({ type: text('Such as `users`.'), id: text() }, { description: 'Who created it.' })),
      ),
      'imported-from': optional(
        Type.Object(
          {
            host: name(),
            organization: textOrNull('Organization there.'),
            id: name(),
            name: textOrNull('Name of the workspace there.'),
            'created-at': time('When it was created there.'),
            'created-by': textOrNull('Who created it there.'),
            commit: textOrNull('Commit of the configuration.'),
          },
          { description: 'Where the source imported it from. Absent unless it was imported.' },
        ),
      ),
      'version-id': optional(text('Version of a variable.')),
      'external-id': optional(text('Further id of an organization.')),
      username: textOrNull('Name of a member. Null while the member is invited.'),
      status: optional(oneOf(['active', 'invited'], 'Whether a member has accepted.')),
      'vcs-commit-sha': textOrNull('Commit of the run of a state version.'),
      'vcs-commit-url': textOrNull('URL of that commit.'),
      'oauth-token-id': optional(nullable(text('Id of the token of a VCS connection.'))),
    },
    { description: 'Facts of the source that an import cannot repeat. Two bundles are compared without it.' },
  ),
);

const record = <const P extends TProperties>(description: string, members: P) =>
  Type.Object({ ...members, origin }, { description });

const executionMode = oneOf(['remote', 'local', 'agent']);
const retention = optional(
  nullable(
    Type.Object(
      { 'delete-older-than-n-days': nullable(Type.Integer({ minimum: 1 })) },
      { description: 'Data retention policy. Null: none of its own. Days of null: all state versions are kept.' },
    ),
  ),
);
const tagBindings = optional(
  Type.Record(Type.String(), Type.String(), { description: 'Values of the tag bindings by their keys.' }),
);
const flagsByName = (description: string) => optional(Type.Record(Type.String(), Type.Boolean(), { description }));
const anyByName = (description: string) =>
  optional(Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.String()]), { description }));

const variableMembers = {
  category: oneOf(['infra', 'env'], '`infra`: a variable of the tool. `env`: of the environment.'),
  key: name(),
  value: optional(nullable(text('Null if it is sensitive or a reference.'))),
  'value-reference': textOrNull('Place of the value in AWS; null if it has a value of its own.'),
  needs: optional(oneOf(['value'], 'Present if the value cannot be exported: an import needs it from elsewhere.')),
  description: textOrNull('For people.'),
  sensitive: setting('Whether the value cannot be read.'),
  hcl: setting('Whether the value is an expression.'),
};

/** Schemas of the records by their type. */
export const schemas = {
  organization: record('Settings of the organization.', {
    name: name(),
    email: optional(text()),
    'default-project': reference('Project of workspaces that name none.'),
    'default-agent-pool': reference('Agent pool of workspaces that have none of their own.'),
    'default-execution-mode': optional(executionMode),
    'default-deletion-protection': setting('Whether workspaces are protected against deletion by default.'),
    'production-tag': textOrNull('Tag of the workspaces that are production, or of their projects.'),
    'allow-force-delete-workspaces': setting('Whether admins of a workspace may force-delete it.'),
    'allowed-value-references': texts('Prefixes of the value references that variables may have.'),
    'speculative-plan-management-enabled': setting('Whether a newer commit cancels speculative plans of older ones.'),
    'send-passing-statuses-for-untriggered-speculative-plans': setting('Whether a commit without a plan passes.'),
    'aggregated-commit-status-enabled': setting('Whether a commit gets one status for all workspaces.'),
    'user-tokens-enabled': setting('Whether tokens of users are accepted.'),
    'max-ttl-enabled': setting('Whether the limits of the lifetime of tokens are in force.'),
    'enforce-hyok': setting('Stored, without effect.'),
    'stacks-enabled': setting('Stored, without effect.'),
    'cost-estimation-enabled': setting('Stored, without effect.'),
    'owners-team-saml-role-id': textOrNull('Group at identity providers whose people are owners.'),
    'collaborator-auth-policy': optional(text('Stored, without effect.')),
    'session-timeout': optional(nullable(count('Minutes after which idle sessions end.'))),
    'sign-in-policy': optional(oneOf(['any', 'sso'], 'Whether tokens of users need a recent sign-in.')),
    'session-remember': optional(nullable(count('Minutes after which sessions end.'))),
    'data-retention-policy': retention,
    'token-ttl-policies': optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: 'Longest lifetime of new tokens in milliseconds, by the type of the token.',
      }),
    ),
  }),
  projects: record('A project.', {
    name: name(),
    description: textOrNull('For people.'),
    'default-execution-mode': optional(nullable(executionMode)),
    'default-agent-pool': reference('Null: the value of the organization.'),
    'default-deletion-protection': optional(nullable(flag('Null: the value of the organization.'))),
    'auto-destroy-activity-duration': textOrNull('Such as `14d`.'),
    'allowed-value-references': texts('Prefixes of the value references that variables may have.'),
    'tag-bindings': tagBindings,
  }),
  teams: record('A team. Its members are in `memberships`.', {
    name: name(),
    visibility: optional(oneOf(['secret', 'organization'])),
    'sso-team-id': textOrNull('Group at identity providers whose people are members.'),
    'allow-member-token-management': setting('Stored, without effect.'),
    'organization-access': flagsByName('What the team may do in the organization.'),
  }),
  memberships: record('A member of the organization.', {
    email: name(),
    teams: references('Teams of the member.'),
  }),
  'agent-pools': record('An agent pool.', {
    name: name(),
    'organization-scoped': setting('Whether every workspace may use it.'),
    'allowed-projects': references('Projects whose workspaces may use it otherwise.'),
    'allowed-workspaces': references('Workspaces that may use it otherwise.'),
    'excluded-workspaces': references('Workspaces that may never use it.'),
  }),
  'ssh-keys': record('An SSH key. No service returns the private key.', {
    name: name(),
    needs: optional(oneOf(['private-key'], 'An import needs it from elsewhere.')),
  }),
  'vcs-connections': record('A VCS connection. No service returns its token.', {
    name: name(),
    'service-provider': optional(text('Such as `github`.')),
    'http-url': optional(text()),
    'api-url': textOrNull('Null: that of the provider.'),
    'organization-scoped': setting('Whether every workspace may use it.'),
    projects: references('Projects whose workspaces may use it otherwise.'),
    needs: optional(oneOf(['token'], 'An import needs it from elsewhere.')),
  }),
  'reserved-tag-keys': record('A reserved tag key.', {
    key: name(),
    'disable-overrides': setting('Whether workspaces may not override the value of their project.'),
  }),
  'project-access': record('Access of a team to a project.', {
    project: name(),
    team: name(),
    access: text('The level, or `custom`.'),
    'project-access': anyByName('Parts of the level `custom` on the project.'),
    'workspace-access': anyByName('Parts of the level `custom` on its workspaces.'),
  }),
  workspaces: record('A workspace. A setting of null is inherited or empty.', {
    name: name(),
    project: nullable(name('Null only if the caller could not read it.')),
    description: textOrNull('For people.'),
    'execution-mode': optional(nullable(executionMode)),
    'agent-pool': reference('Null: none of its own.'),
    'deletion-protection': optional(nullable(flag('Null: inherited.'))),
    'allow-destroy-plan': setting('Whether destroy plans can be queued.'),
    'auto-apply': setting('Whether successful plans are applied without confirmation.'),
    'auto-apply-run-trigger': setting('The same for runs that another workspace triggered.'),
    'auto-destroy-at': time('When a destroy run is due.'),
    'auto-destroy-activity-duration': textOrNull('Null: none, or that of the project.'),
    'inherits-project-auto-destroy': setting('Whether the duration of the project applies.'),
    'file-triggers-enabled': setting('Whether only changes of certain files start a run.'),
    'global-remote-state': setting('Whether every workspace of the organization may read the state.'),
    'project-remote-state': setting('Whether every workspace of the project may read the state.'),
    'queue-all-runs': setting('Whether runs are queued before the first one was queued manually.'),
    'speculative-enabled': setting('Whether pull requests are planned.'),
    'structured-run-output-enabled': setting('Whether runs show structured output.'),
    'source-name': textOrNull('Client that created it.'),
    'source-url': textOrNull('URL of that client.'),
    'infra-version': optional(text('Version of the tool: exact, a constraint, or `latest`.')),
    'trigger-prefixes': texts('Directories whose changes start a run.'),
    'trigger-patterns': texts('Glob patterns of files whose changes start a run.'),
    'working-directory': textOrNull('Directory in which runs are executed.'),
    'ssh-key': reference('Assigned SSH key.'),
    'vcs-connection': reference('VCS connection of the repository.'),
    'vcs-repo': optional(
      nullable(
        Type.Object(
          {
            identifier: text('Such as `acme/infrastructure`.'),
            branch: optional(text('Empty: the default branch.')),
            'ingress-submodules': setting('Whether submodules are fetched.'),
            'tags-regex': textOrNull('RE2 expression of the Git tags that start a run.'),
            'app-installation-id': optional(text('App installation, which the API does not name.')),
          },
          { description: 'The repository. Null: none.' },
        ),
      ),
    ),
    'tag-names': texts('Flat tags, in the order in which they were added.'),
    'tag-bindings': tagBindings,
    'data-retention-policy': retention,
  }),
  'workspace-access': record('Access of a team to a workspace.', {
    workspace: name(),
    team: name(),
    access: text('The level, or `custom`.'),
    parts: anyByName('Parts of the level `custom`.'),
  }),
  'remote-state-consumers': record('A workspace that may read the state of another one.', {
    workspace: name('Owner of the state.'),
    consumer: name('Reader of the state.'),
  }),
  variables: record('A variable of a workspace.', { workspace: name(), ...variableMembers }),
  'variable-sets': record('A variable set.', {
    name: name(),
    description: optional(text()),
    global: setting('Whether it applies to all workspaces of its owner.'),
    priority: setting('Whether its values precede those of workspaces.'),
    'owner-project': reference('Null: the organization owns it.'),
    projects: references('Projects to which it is assigned.'),
    workspaces: references('Workspaces to which it is assigned.'),
  }),
  'variable-set-variables': record('A variable of a variable set.', { 'variable-set': name(), ...variableMembers }),
  'workload-identities': record('A workload identity.', {
    name: name(),
    issuer: optional(text('URL of the issuer.')),
    audience: optional(text('Audience that identity tokens must have.')),
    conditions: optional(
      list(
        Type.Object({ claim: text(), equals: optional(list(text())), matches: optional(text()) }),
        'Conditions on claims.',
      ),
    ),
    'lifetime-minutes': optional(count('Lifetime of its tokens.')),
    enabled: setting('Whether tokens are given.'),
    team: reference('Team whose rights the tokens have.'),
    projects: references('Projects to which the tokens are limited.'),
    workspaces: references('Workspaces to which the tokens are limited.'),
  }),
  'state-versions': record('A state version.', {
    workspace: name(),
    position: Type.Integer({ minimum: 1, description: 'Place in the history of the workspace, from 1, the oldest.' }),
    serial: count(),
    lineage: optional(nullable(text())),
    'is-current': flag('Whether it is the current one.'),
    intermediate: setting('Whether it was a snapshot during a run.'),
    sha256: nullable(
      text('Of the bytes: the name of their file in `states/sha256`. Null: the content was deleted before.', {
        pattern: '^[0-9a-f]{64}$',
      }),
    ),
    md5: optional(text('Of the bytes.')),
    size: optional(nullable(count('Number of bytes.'))),
  }),
  withheld: Type.Object(
    {
      type: name('Type of what is missing.'),
      name: name('Name of what is missing, or of its owner.'),
      reason: oneOf(
        ['not-permitted', 'not-included', 'changing'],
        '`not-permitted`: the caller may not read it. `not-included`: it was deleted, or is outside of the filters. `changing`: it changed with each reading.',
      ),
      detail: text('For people.'),
    },
    { description: 'Something that is missing in the bundle, or that may be.' },
  ),
} as const;

/** Schema of the file `bundle.json`. */
export const manifest = Type.Object(
  {
    format: text('Always `holdfast-bundle`.'),
    version: text('Version of the format: major and minor.', { pattern: '^[0-9]+\\.[0-9]+$' }),
    'written-by': text('Program and its version.'),
    'created-at': text('When the bundle was written.', { format: 'date-time' }),
    source: Type.Object(
      { url: text('Address of the service.'), organization: name() },
      { description: 'Where the content is from.' },
    ),
    caller: Type.Object({ name: text(), kind: nullable(text('Kind of the token.')) }, { description: 'Who read it.' }),
    states: oneOf(['all', 'current', 'none'], 'Which state versions it contains.'),
    filters: Type.Record(Type.String(), Type.Unknown(), { description: 'Filters of the workspaces. Empty: all.' }),
    consistency: text('What belongs to one point in time.'),
    counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: 'Lines of each file.' }),
    'state-files': count('Number of files in `states/sha256`.'),
    'state-bytes': count('Their size.'),
  },
  { description: 'What a bundle contains, and where it is from.' },
);
