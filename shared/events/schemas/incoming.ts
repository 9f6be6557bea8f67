import Type, { type Static, type TSchema } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { runStatuses } from '../../domain/runs/run.ts';
import { TIMESTAMP } from '../../domain/timestamps.ts';

/**
 * What comes in by the bus, from whatever runs the infrastructure tool: the `detail` of events of that source. Members
 * that are not described are ignored, so that a newer runner can tell more.
 */

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const text = (description: string, maxLength: number) => Type.String({ minLength: 1, maxLength, description });
const nullable = (description: string, maxLength: number) =>
  optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description }));
const time = (description: string) => Type.String({ pattern: TIMESTAMP, maxLength: limits.expiry, description });
const flag = (description: string) => optional(Type.Boolean({ description }));
const id = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}[1-9A-HJ-NP-Za-km-z]{16}$`, description });
const oneOf = <const S extends string>(values: readonly S[], description: string) =>
  Type.Unsafe<S>({ type: 'string', enum: [...values], description });

const whose = {
  organization: text('Its name.', limits.organizationName),
  workspace: id('ws-', 'Id of a workspace of that organization.'),
};

const run = Type.Object(
  {
    id: id('run-', 'Made by the runner: `run-` and 16 letters and digits without 0, O, I and l.'),
    status: oneOf(runStatuses, 'The status that the run had.'),
    at: time('When it came to have it.'),
    'created-at': time('When the run was created.'),
    'plan-only': Type.Boolean({ description: 'It changes nothing, and needs no lock.' }),
    'save-plan': flag('It keeps its plan, to be applied once that is confirmed: it needs the lock only then.'),
    'is-destroy': flag('It destroys what the workspace manages.'),
    'auto-apply': flag('It applies what it has planned without asking.'),
    'has-changes': optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Once planned.' })),
    message: nullable('What it is about.', limits.description),
    source: nullable('What made it, such as `tfe-api`.', limits.sourceName),
    'configuration-version': optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: '^cv-[1-9A-HJ-NP-Za-km-z]{16}$',
        description: 'Id of the one that it works with.',
      }),
    ),
    'token-sha256': optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'Digest of a token that the runner made for the run, in force until it ends.',
      }),
    ),
  },
  { description: 'All that is known of it at that time: what is left out is false or null.' },
);

const ingressAttributes = Type.Object(
  {
    branch: nullable('That was built.', limits.branch),
    'clone-url': nullable('Where the repository is.', limits.sourceUrl),
    'commit-message': nullable('In full.', limits.description * 10),
    'commit-sha': nullable('In hexadecimal.', 64),
    'commit-url': nullable('Where the commit is shown.', limits.sourceUrl),
    'compare-url': nullable('Where it is compared with the one before.', limits.sourceUrl),
    identifier: nullable('Of the repository: `:org/:repo`.', limits.identifier),
    'is-pull-request': flag('It is of a pull request.'),
    'on-default-branch': flag('Its branch is the default one.'),
    'pull-request-number': optional(
      Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description: 'Of the pull request.' }),
    ),
    'pull-request-title': nullable('Of the pull request.', limits.description),
    'pull-request-url': nullable('Where it is shown.', limits.sourceUrl),
    'sender-username': nullable('Who pushed it.', limits.identifier),
    tag: nullable('That was built.', limits.branch),
  },
  { description: 'The commit that it was made from.' },
);

const configurationVersion = Type.Object(
  {
    id: id('cv-', 'Made by the runner: `cv-` and 16 letters and digits without 0, O, I and l.'),
    status: oneOf(configurationStatuses, 'The status that it had.'),
    at: time('When it came to have it.'),
    'created-at': time('When it was created.'),
    speculative: Type.Boolean({ description: 'For plan-only runs alone: it never becomes the current one.' }),
    source: nullable('Where it came from, such as `github`.', limits.sourceName),
    'auto-queue-runs': flag('It starts a run once it has come.'),
    error: nullable('Why it failed, in a word.', limits.description),
    'error-message': nullable('The same at length.', limits.description),
    'ingress-attributes': optional(
      Type.Unsafe<Static<typeof ingressAttributes> | null>({
        anyOf: [ingressAttributes, { type: 'null' }],
      }),
    ),
    readme: optional(Type.String({ maxLength: limits.readmeInEvent, description: 'Its README.md, up to 100 KB.' })),
    'readme-object': flag(
      'Its README.md is longer, and lies in the bucket: `readmes/<workspace id>/<configuration version id>`.',
    ),
  },
  { description: 'All that is known of it at that time: what is left out is false or null.' },
);

/** By detail-type. */
export const incomingEvents = {
  'run.updated': Type.Object({ ...whose, run }, { title: 'run.updated', description: 'A run has come to a status.' }),
  'configuration-version.updated': Type.Object(
    { ...whose, 'configuration-version': configurationVersion },
    { title: 'configuration-version.updated', description: 'A configuration version has come to a status.' },
  ),
  'release.published': Type.Object(
    { version: text('Exact, such as 1.15.2.', limits.version) },
    {
      title: 'release.published',
      description: 'There is a new release of the infrastructure tool, which workspaces can use from now on.',
    },
  ),
} as const;

export type IncomingType = keyof typeof incomingEvents;
export type OperationRequest<T extends IncomingType> = Static<(typeof incomingEvents)[T]>;
