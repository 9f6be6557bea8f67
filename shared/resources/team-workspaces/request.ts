import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { related, resourceDocument } from '../../schemas/request-schema.ts';
import { exampleId, oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const relationships = {
  team: { data: { type: 'teams', id: exampleId(prefixes.team) } },
  workspace: { data: { type: 'workspaces', id: exampleId(prefixes.workspace) } },
};
/** A level, and custom access. */
const levels = [
  { access: 'write' },
  { access: 'custom', runs: 'plan', variables: 'read', 'state-versions': 'read-outputs', 'workspace-locking': true },
];

const teamWorkspace = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['team-workspaces'])),
      attributes: requestAttributes(attributes, ['access']),
      relationships: Type.Object({ team: related, workspace: related }),
    }),
  },
  { examples: levels.map((attributes) => ({ data: { type: 'team-workspaces', attributes, relationships } })) },
);

const teamWorkspaceUpdate = resourceDocument(
  'team-workspaces',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  ...levels.map((attributes) => ({ attributes })),
);

export const teamWorkspaceBodies = { teamWorkspace, teamWorkspaceUpdate };
