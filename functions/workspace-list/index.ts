import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { listWorkspaces } from './list.ts';

const services = openServices('workspace-list', openSnapshots(readEnvironment('workspace-list')));

export const handler = createHandler('workspace-list', { 'workspaces.list': listWorkspaces(services) }, services);
