import Type from 'typebox';
import { nullableId, related } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const teamWorkspace = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-workspaces'])),
    attributes: requestAttributes(attributes, ['access']),
    relationships: Type.Object({ team: related, workspace: related }),
  }),
});

const teamWorkspaceUpdate = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-workspaces'])),
    id: Type.Optional(nullableId),
    attributes: Type.Optional(requestAttributes(attributes)),
  }),
});

export const teamWorkspaceBodies = { teamWorkspace, teamWorkspaceUpdate };
