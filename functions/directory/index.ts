import { endpoints } from '../../shared/http/endpoints.ts';
import { membership, organization, teamWorkspace, teamWorkspaceUpdate } from '../../shared/schemas/compiled/bodies.js';
import { memberships } from './memberships.ts';
import { organizations } from './organizations.ts';
import { openDirectoryServices } from './services.ts';
import { teamWorkspaces } from './team-workspaces.ts';
import { users } from './users.ts';

const services = openDirectoryServices();

const operations = {
  ...organizations(services),
  ...memberships(services),
  ...users(services),
  ...teamWorkspaces(services),
};

export const handler = endpoints('directory', operations, {
  ...services,
  validators: { organization, membership, teamWorkspace, teamWorkspaceUpdate },
});
