import type { RouteId } from '../../routes/index.ts';
import type { OperationDescription } from '../operation.ts';
import { consumers } from './consumers.ts';
import { deletedWorkspaces } from './deleted-workspaces.ts';
import { directory } from './directory/index.ts';
import { documentation } from './documentation.ts';
import { history } from './history.ts';
import { retention } from './retention.ts';
import { runs } from './runs.ts';
import { service } from './service.ts';
import { sshKey } from './ssh-key.ts';
import { stateVersions } from './state-versions.ts';
import { tags } from './tags.ts';
import { variableSets } from './variable-sets.ts';
import { variables } from './variables.ts';
import { workspaces } from './workspaces.ts';

/** Groups of operations, in the order of the document. */
export const groups = [
  workspaces,
  deletedWorkspaces,
  tags,
  consumers,
  sshKey,
  retention,
  variables,
  variableSets,
  stateVersions,
  runs,
  history,
  ...directory.groups,
  service,
  documentation,
];

/** Operations of all routes. A route without a description is a type error. */
export const operations: Readonly<Record<RouteId, OperationDescription>> = {
  ...workspaces.operations,
  ...deletedWorkspaces.operations,
  ...tags.operations,
  ...consumers.operations,
  ...sshKey.operations,
  ...retention.operations,
  ...variables.operations,
  ...variableSets.operations,
  ...stateVersions.operations,
  ...runs.operations,
  ...history.operations,
  ...directory.operations,
  ...service.operations,
  ...documentation.operations,
};
