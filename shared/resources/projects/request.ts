import Type, { type Static } from 'typebox';
import { executionModes } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import {
  boolean,
  id,
  identifiers,
  nullableObject,
  nullableText,
  oneOf,
  patterns,
  resourceIdentifier,
  text,
} from '../../schemas/parts.ts';
import { bindingElements } from '../tags/request.ts';

const projectAttributes = Type.Object({
  name: Type.Optional(
    text(limits.projectName, { minLength: 3, pattern: patterns.projectName, examples: ['Platform'] }),
  ),
  description: Type.Optional(nullableText(limits.recordDescription)),
  'default-execution-mode': Type.Optional(
    Type.Unsafe<(typeof executionModes)[number] | null>({
      type: ['string', 'null'],
      enum: [...executionModes, null],
      description: "What its workspaces use; null: the organization's.",
    }),
  ),
  'default-agent-pool-id': Type.Optional(id),
  'setting-overwrites': Type.Optional(
    nullableObject({ 'default-execution-mode': boolean, 'default-agent-pool': boolean }),
  ),
  'auto-destroy-activity-duration': Type.Optional(
    nullableText(5, { pattern: '^(?!0+[dh])[0-9]{1,4}[dh]$', examples: ['14d'] }),
  ),
});

const project = Type.Object({
  data: Type.Object({
    type: oneOf(['projects']),
    id: Type.Optional(id),
    attributes: Type.Optional(projectAttributes),
    relationships: Type.Optional(
      Type.Object({
        'default-agent-pool': Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })),
        'tag-bindings': Type.Optional(nullableObject({ data: Type.Optional(bindingElements) })),
      }),
    ),
  }),
});

const projectWorkspaces = Type.Object({ data: identifiers(['workspaces'], limits.movedWorkspaces) });

export const projectBodies = { project, projectWorkspaces };

export type ProjectAttributes = Static<typeof projectAttributes>;
