import type { RouteId } from '../routes.ts';
import type { Operation } from './operation.ts';
import { consumers } from './operations/consumers.ts';
import { directory } from './operations/directory.ts';
import { documentation } from './operations/documentation.ts';
import { retention } from './operations/retention.ts';
import { runs } from './operations/runs.ts';
import { service } from './operations/service.ts';
import { sshKey } from './operations/ssh-key.ts';
import { stateVersions } from './operations/state-versions.ts';
import { tags } from './operations/tags.ts';
import { variables } from './operations/variables.ts';
import { workspaces } from './operations/workspaces.ts';

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
