import Type, { type Static, type TSchema } from 'typebox';
import { ID_BODY } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { runStatuses } from '../../domain/runs/run.ts';
import { TIMESTAMP } from '../../domain/timestamps.ts';
import { nullable, oneOf } from '../../schemas/schema.ts';

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const text = (description: string, maxLength: number) => Type.String({ minLength: 1, maxLength, description });
const textOrNull = (description: string, maxLength: number) =>
  optional(nullable(Type.String({ maxLength, description })));
const time = (description: string) => Type.String({ pattern: TIMESTAMP, maxLength: limits.expiry, description });
const flag = (description: string) => optional(Type.Boolean({ description }));
const id = (prefix: string, description: string) => Type.String({ pattern: `^${prefix}${ID_BODY}$`, description });

/** Members of every event about a workspace. */
const workspaceReference = {
  organization: text('Name of the organization.', limits.organizationName),
  workspace: id('ws-', 'Id of a workspace of that organization.'),
};

const run = Type.Object(
  {
    id: id('run-', 'Id that the runner generates: `run-` and 16 letters and digits without 0, O, I and l.'),
    status: oneOf(runStatuses, 'Status of the run at that time.'),
    at: time('When it reached that status.'),
    'created-at': time('When the run was created.'),
    'plan-only': Type.Boolean({ description: 'Whether the run only plans: it changes nothing and needs no lock.' }),
    'save-plan': flag(
      'Whether the run saves its plan and applies it after a confirmation. It takes the lock only then.',
    ),
    'is-destroy': flag('Whether the run destroys the managed infrastructure.'),
    'auto-apply': flag('Whether the run applies its plan without a confirmation.'),
    'has-changes': optional(
      nullable(Type.Boolean({ description: 'Whether the plan contains changes; known after the plan.' })),
    ),
    message: textOrNull('Message of the run.', limits.description),
    source: textOrNull('Source of the run, such as `tfe-api`.', limits.sourceName),
    'configuration-version': optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: `^cv-${ID_BODY}$`,
        description: 'Id of the configuration version that the run uses.',
      }),
    ),
    'token-sha256': optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of a token that the runner created for the run. The token is valid until the run ends.',
      }),
    ),
  },
  { description: 'Everything that is known at that time. An omitted member is false or null.' },
);

const ingressAttributes = Type.Object(
  {
    branch: textOrNull('Branch of the commit.', limits.branch),
    'clone-url': textOrNull('URL of the repository.', limits.sourceUrl),
    'commit-message': textOrNull('Complete commit message.', limits.description * 10),
    'commit-sha': textOrNull('SHA of the commit, in hexadecimal.', 64),
    'commit-url': textOrNull('URL of the commit.', limits.sourceUrl),
    'compare-url': textOrNull('URL of the comparison with the previous commit.', limits.sourceUrl),
    identifier: textOrNull('Identifier of the repository: `:org/:repo`.', limits.identifier),
    'is-pull-request': flag('Whether the commit belongs to a pull request.'),
    'on-default-branch': flag('Whether the branch is the default branch.'),
    'pull-request-number': optional(nullable(Type.Integer({ minimum: 0, description: 'Number of the pull request.' }))),
    'pull-request-title': textOrNull('Title of the pull request.', limits.description),
    'pull-request-url': textOrNull('URL of the pull request.', limits.sourceUrl),
    'sender-username': textOrNull('Username of the person who pushed the commit.', limits.identifier),
    tag: textOrNull('Tag of the commit.', limits.branch),
  },
  { description: 'The commit that the configuration version was built from.' },
);

const configurationVersion = Type.Object(
  {
    id: id('cv-', 'Id that the runner generates: `cv-` and 16 letters and digits without 0, O, I and l.'),
    status: oneOf(configurationStatuses, 'Status of the configuration version at that time.'),
    at: time('When it reached that status.'),
    'created-at': time('When the configuration version was created.'),
    speculative: Type.Boolean({
      description: 'Whether it is for plan-only runs only. It then never becomes the current one.',
    }),
    source: textOrNull('Source of the configuration version, such as `github`.', limits.sourceName),
    'auto-queue-runs': flag('Whether it starts a run when it arrives.'),
    error: textOrNull('Short reason of a failure.', limits.description),
    'error-message': textOrNull('Detailed reason of a failure.', limits.description),
    'ingress-attributes': optional(
      Type.Unsafe<Static<typeof ingressAttributes> | null>({
        anyOf: [ingressAttributes, { type: 'null' }],
      }),
    ),
    readme: optional(
      Type.String({ maxLength: limits.readmeInEvent, description: 'README.md of the configuration, up to 100 KB.' }),
    ),
    'readme-object': flag(
      'Whether README.md is longer and lies in the bucket: `readmes/<workspace id>/<configuration version id>`.',
    ),
  },
  { description: 'Everything that is known at that time. An omitted member is false or null.' },
);

/**
 * Schemas of the `detail` of events from the runner, by detail type. Members that a schema does not describe are ignored,
 * so that a newer runner can send more.
 */
export const incomingEvents = {
  'run.updated': Type.Object(
    { ...workspaceReference, run },
    { title: 'run.updated', description: 'A run reached a status.' },
  ),
  'configuration-version.updated': Type.Object(
    { ...workspaceReference, 'configuration-version': configurationVersion },
    { title: 'configuration-version.updated', description: 'A configuration version reached a status.' },
  ),
  'release.published': Type.Object(
    { version: text('Exact version, such as 1.15.2.', limits.version) },
    {
      title: 'release.published',
      description: 'A new release of the infrastructure tool is available to workspaces.',
    },
  ),
} as const;

export type IncomingType = keyof typeof incomingEvents;
export type OperationRequest<T extends IncomingType> = Static<(typeof incomingEvents)[T]>;
