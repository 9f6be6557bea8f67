import Type, { type Static } from 'typebox';
import { parts, workspaceLevels } from '../../domain/directory/grants.ts';
import { boolean, id, oneOf, related } from '../../schemas/parts.ts';

/** The parts of custom access to a workspace; that they are custom is the domain's business (PERM-6). */
const attributes = {
  access: oneOf([...workspaceLevels, 'custom'] as const),
  runs: Type.Optional(oneOf(parts.runs)),
  variables: Type.Optional(oneOf(parts.variables)),
  'state-versions': Type.Optional(oneOf(parts.stateVersions)),
  'sentinel-mocks': Type.Optional(oneOf(parts.sentinelMocks)),
  'workspace-locking': boolean,
  'run-tasks': boolean,
  'policy-overrides': boolean,
};
const changes = Type.Object({ ...attributes, access: Type.Optional(attributes.access) });

const teamWorkspace = Type.Object({
  data: Type.Object({
    type: oneOf(['team-workspaces']),
    attributes: Type.Object(attributes),
    relationships: Type.Object({ team: related, workspace: related }),
  }),
});

const teamWorkspaceUpdate = Type.Object({
  data: Type.Object({
    type: Type.Optional(oneOf(['team-workspaces'])),
    id: Type.Optional(id),
    attributes: Type.Optional(changes),
  }),
});

export const teamWorkspaceBodies = { teamWorkspace, teamWorkspaceUpdate };

export type TeamWorkspaceAttributes = Static<typeof changes>;
