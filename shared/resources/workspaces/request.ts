import Type, { type Static } from 'typebox';
import { executionModes } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { TIMESTAMP } from '../../domain/timestamps.ts';
import {
  boolean,
  flag,
  id,
  nullableObject,
  nullableText,
  oneOf,
  resourceIdentifier,
  text,
  toMany,
} from '../../schemas/parts.ts';
import { bindingElements, tagElements } from '../tags/request.ts';

const patterns = (description: string) =>
  Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    description,
    maxItems: limits.patterns,
    items: Type.String({ minLength: 1, maxLength: limits.pattern }),
  });
const workspaceAttributes = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Letters, digits, `-` and `_`; unique in the organization. Needed to create a workspace.',
      minLength: 1,
      maxLength: limits.workspaceName,
      pattern: '^[A-Za-z0-9_-]+$',
    }),
  ),
  description: Type.Optional(nullableText(limits.description)),
  'agent-pool-id': Type.Optional(
    nullableText(limits.id, { description: 'For the mode `agent`, and for no other; a pool of the organization.' }),
  ),
  'allow-destroy-plan': flag('Whether destroy plans can be queued; true at first.'),
  'assessments-enabled': flag('Whether health assessments run. On the hosted edition, for organizations of plan plus.'),
  'auto-apply': flag('Whether runs apply by themselves after a successful plan; false at first.'),
  'auto-apply-run-trigger': flag('The same, for runs that another workspace triggered.'),
  'auto-destroy-at': Type.Optional(
    nullableText(64, {
      description: 'When the next scheduled destroy run is due; not in the past.',
      format: 'date-time',
      pattern: TIMESTAMP,
      examples: ['2030-01-31T08:00:00Z'],
    }),
  ),
  'auto-destroy-activity-duration': Type.Optional(
    nullableText(5, {
      description: 'Without activity for so many days or hours, it is destroyed: `14d`, `24h`.',
      pattern: '^(?!0+[dh])[0-9]{1,4}[dh]$',
    }),
  ),
  'inherits-project-auto-destroy': boolean,
  'execution-mode': Type.Optional(
    oneOf(executionModes, { description: '`local` stores state only. Left out, it is inherited.' }),
  ),
  'file-triggers-enabled': flag('Whether only changes of certain files start a run; true at first.'),
  'global-remote-state': flag('Whether every workspace of the organization may read its state.'),
  'infra-version': Type.Optional(
    text(limits.version, {
      description: 'Exact, a constraint, or `latest`. Left out, the newest release, fixed then.',
      minLength: 1,
    }),
  ),
  'terraform-version': Type.Optional(
    text(limits.version, { description: 'Another name of `infra-version`.', minLength: 1 }),
  ),
  operations: Type.Optional(
    Type.Boolean({ description: 'False stores state only; `execution-mode` takes its place.', deprecated: true }),
  ),
  'queue-all-runs': flag('Whether runs are queued before one was queued by hand; false at first.'),
  'setting-overwrites': Type.Optional(
    nullableObject(
      { 'execution-mode': boolean, 'agent-pool': boolean },
      { description: 'True: the workspace keeps its own value. False: it inherits.' },
    ),
  ),
  'source-name': Type.Optional(
    nullableText(limits.sourceName, { description: 'The client that makes it; only when it is created.' }),
  ),
  'source-url': Type.Optional(
    nullableText(limits.sourceUrl, {
      description: 'Where that client is; only when it is created.',
      pattern: '^(https?://[^\\s]+)?$',
    }),
  ),
  'speculative-enabled': flag('Whether pull requests are planned; true at first.'),
  'structured-run-output-enabled': boolean,
  'trigger-patterns': Type.Optional(patterns('Globs of files whose changes start a run.')),
  'trigger-prefixes': Type.Optional(patterns('Directories whose changes start a run.')),
  'working-directory': Type.Optional(
    nullableText(limits.workingDirectory, { description: "Where runs execute; the repository's root unless given." }),
  ),
  'vcs-repo': Type.Optional(
    nullableObject(
      {
        branch: Type.Optional(nullableText(limits.branch, { description: "Empty: the repository's default branch." })),
        identifier: Type.Optional(
          text(limits.identifier, { description: 'The repository, `org/repo`.', pattern: '^[^/\\s]+(/[^/\\s]+)+$' }),
        ),
        'ingress-submodules': flag('Whether submodules are fetched; false at first.'),
        'oauth-token-id': Type.Optional(nullableText(limits.id, { description: 'The VCS connection.' })),
        'app-installation-id': Type.Optional(
          nullableText(limits.id, { description: 'An app installation in its place; only in updates.' }),
        ),
        'github-app-installation-id': Type.Optional(
          nullableText(limits.id, { description: 'Another name of `app-installation-id`.' }),
        ),
        'tags-regex': Type.Optional(
          nullableText(limits.tagsRegex, { description: 'RE2 expression of the Git tags that start a run.' }),
        ),
      },
      { description: 'The first time, `oauth-token-id` and `identifier` are needed; null removes it.' },
    ),
  ),
});

const workspace = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['workspaces']),
      id: Type.Optional(id),
      attributes: Type.Optional(workspaceAttributes),
      relationships: Type.Optional(
        Type.Object({
          project: Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })),
          tags: toMany(tagElements),
          'tag-bindings': toMany(bindingElements),
        }),
      ),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'workspaces',
          attributes: { name: 'network', 'auto-apply': true, 'infra-version': '~> 1.9.0' },
          relationships: { project: { data: { type: 'projects', id: 'prj-CvpbqPPtsWSnyrTk' } } },
        },
      },
    ],
  },
);

const reason = Type.Optional(nullableText(limits.lockReason, { description: 'Why, for others to see.' }));

/** Three forms are sent (LOCK-2): `{"reason"}`, the same inside a JSON:API document of any type, and nothing. */
const workspaceLock = nullableObject(
  {
    reason,
    data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject({ reason })) })),
  },
  { examples: [{ reason: 'migrating' }] },
);

export const workspaceBodies = { workspace, workspaceLock };

export type WorkspaceAttributes = Static<typeof workspaceAttributes>;
