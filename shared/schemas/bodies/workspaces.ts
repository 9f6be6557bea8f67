import Type, { type Static } from 'typebox';
import { executionModes } from '../../domain/directory.ts';
import { limits } from '../../domain/limits.ts';
import { TIMESTAMP } from '../../domain/timestamps.ts';
import { boolean, id, nullableObject, nullableText, oneOf, resourceIdentifier, text } from './parts.ts';

const patterns = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  maxItems: limits.patterns,
  items: Type.String({ minLength: 1, maxLength: limits.pattern }),
});
const workspaceAttributes = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: limits.workspaceName, pattern: '^[A-Za-z0-9_-]+$' })),
  description: Type.Optional(nullableText(limits.description)),
  'agent-pool-id': Type.Optional(id),
  'allow-destroy-plan': boolean,
  'assessments-enabled': boolean,
  'auto-apply': boolean,
  'auto-apply-run-trigger': boolean,
  'auto-destroy-at': Type.Optional(nullableText(64, { pattern: TIMESTAMP })),
  'auto-destroy-activity-duration': Type.Optional(nullableText(5, { pattern: '^(?!0+[dh])[0-9]{1,4}[dh]$' })),
  'inherits-project-auto-destroy': boolean,
  'execution-mode': Type.Optional(oneOf(executionModes)),
  'file-triggers-enabled': boolean,
  'global-remote-state': boolean,
  'infra-version': Type.Optional(text(limits.version, { minLength: 1 })),
  'terraform-version': Type.Optional(text(limits.version, { minLength: 1 })),
  operations: boolean,
  'queue-all-runs': boolean,
  'setting-overwrites': Type.Optional(nullableObject({ 'execution-mode': boolean, 'agent-pool': boolean })),
  'source-name': Type.Optional(nullableText(limits.sourceName)),
  'source-url': Type.Optional(nullableText(limits.sourceUrl, { pattern: '^(https?://[^\\s]+)?$' })),
  'speculative-enabled': boolean,
  'structured-run-output-enabled': boolean,
  'trigger-patterns': Type.Optional(patterns),
  'trigger-prefixes': Type.Optional(patterns),
  'working-directory': Type.Optional(nullableText(limits.workingDirectory)),
  'vcs-repo': Type.Optional(
    nullableObject({
      branch: Type.Optional(nullableText(limits.branch)),
      identifier: Type.Optional(text(limits.identifier, { pattern: '^[^/\\s]+(/[^/\\s]+)+$' })),
      'ingress-submodules': boolean,
      'oauth-token-id': Type.Optional(id),
      'app-installation-id': Type.Optional(id),
      'github-app-installation-id': Type.Optional(id),
      'tags-regex': Type.Optional(nullableText(limits.tagsRegex)),
    }),
  ),
});

const workspace = Type.Object({
  data: Type.Object({
    type: oneOf(['workspaces']),
    id: Type.Optional(id),
    attributes: Type.Optional(workspaceAttributes),
    relationships: Type.Optional(
      Type.Object({ project: Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })) }),
    ),
  }),
});

const reason = Type.Optional(nullableText(limits.lockReason));

/** Three forms are sent (contract 3.1): `{"reason"}`, the same inside a JSON:API document of any type, and nothing. */
const workspaceLock = nullableObject({
  reason,
  data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject({ reason })) })),
});

export const workspaceBodies = { workspace, workspaceLock };

export type WorkspaceAttributes = Static<typeof workspaceAttributes>;
