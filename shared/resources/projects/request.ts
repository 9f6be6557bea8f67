import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { identifiers, resourceDocument, toOne } from '../../schemas/request-schema.ts';
import { exampleId, nullableObject } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { bindingElements } from '../tags/request.ts';
import { attributes } from './attributes.ts';

const project = resourceDocument(
  'projects',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
    relationships: Type.Optional(
      Type.Object({
        'default-agent-pool': toOne,
        'tag-bindings': Type.Optional(nullableObject({ data: Type.Optional(bindingElements) })),
      }),
    ),
  },
  { attributes: { name: 'Platform', description: 'Networks and clusters' } },
);

const projectWorkspaces = Type.Object(
  { data: identifiers(['workspaces'], limits.movedWorkspaces) },
  { examples: [{ data: [{ type: 'workspaces', id: exampleId(prefixes.workspace) }] }] },
);

export const projectBodies = { project, projectWorkspaces };
