import { readEnvironment } from '../../shared/env.ts';
import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';
import { openSnapshots } from '../../shared/snapshots/open-snapshots.ts';
import { listWorkspaces } from './list.ts';

const services = openServices('workspace-list', openSnapshots(readEnvironment('workspace-list')));

export const handler = endpoints('workspace-list', { 'workspaces.list': listWorkspaces(services) }, services);
