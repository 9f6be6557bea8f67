import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';
import { listWorkspaces } from './list.ts';

const services = openServices('workspace-list');

export const handler = endpoints('workspace-list', { 'workspaces.list': listWorkspaces(services) }, services);
