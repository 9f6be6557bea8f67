import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { identifiers, nullableId, toMany } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const agentPool = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['agent-pools'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
      relationships: Type.Optional(
        Type.Object({
          'allowed-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
          'allowed-projects': toMany(identifiers(['projects'], limits.agentPoolScope)),
          'excluded-workspaces': toMany(identifiers(['workspaces'], limits.agentPoolScope)),
        }),
      ),
    }),
  },
  { examples: [{ data: { type: 'agent-pools', attributes: { name: 'build' } } }] },
);

export const agentPoolBodies = { agentPool };
