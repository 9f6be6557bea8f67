import type { RouteId } from '../../routes/index.ts';
import type { Operation } from '../operation.ts';
import { consumers } from './consumers.ts';
import { directory } from './directory.ts';
import { documentation } from './documentation.ts';
import { retention } from './retention.ts';
import { runs } from './runs.ts';
import { service } from './service.ts';
import { sshKey } from './ssh-key.ts';
import { stateVersions } from './state-versions.ts';
import { tags } from './tags.ts';
import { variables } from './variables.ts';
import { workspaces } from './workspaces.ts';

/** The chapters of the document, in its order; a file of `operations/` for each file of `../routes/`, or several. */
export const groups = [
  workspaces,
  tags,
  consumers,
  sshKey,
  retention,
  variables,
  stateVersions,
  runs,
  ...directory.groups,
  service,
  documentation,
];

/** What each route does; a route that nobody described does not compile. */
export const operations: Readonly<Record<RouteId, Operation>> = {
  ...workspaces.operations,
  ...tags.operations,
  ...consumers.operations,
  ...sshKey.operations,
  ...retention.operations,
  ...variables.operations,
  ...stateVersions.operations,
  ...runs.operations,
  ...directory.operations,
  ...service.operations,
  ...documentation.operations,
};
