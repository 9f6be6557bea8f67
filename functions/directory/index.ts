import { endpoints } from '../../shared/http/endpoints.ts';
import { organization, teamWorkspace, teamWorkspaceUpdate } from '../../shared/schemas/compiled/bodies.js';
import { organizations } from './organizations.ts';
import { openDirectoryServices } from './services.ts';
import { teamWorkspaces } from './team-workspaces.ts';

const services = openDirectoryServices();

const operations = { ...organizations(services), ...teamWorkspaces(services) };

export const handler = endpoints('directory', operations, {
  ...services,
  validators: { organization, teamWorkspace, teamWorkspaceUpdate },
});
