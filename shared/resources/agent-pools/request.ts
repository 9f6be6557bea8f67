import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { identifiers, resourceDocument, toMany } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const agentPool = resourceDocument(
  'agent-pools',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
    relationships: Type.Optional(
      Type.Object({
        'allowed-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
        'allowed-projects': toMany(identifiers(['projects'], limits.agentPoolScope)),
        'excluded-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
      }),
    ),
  },
  { attributes: { name: 'build' } },
);

export const agentPoolBodies = { agentPool };
