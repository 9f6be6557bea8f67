import type { CustomAccess } from '../../domain/directory/grants.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { TeamWorkspaceAttributes, attributes as table } from './attributes.ts';

/** Access to a workspace in a request: the level, and parts of custom access. Absent parts keep their values. */
type TeamWorkspaceRequest = CustomAccess & Pick<TeamWorkspaceAttributes, 'access'>;

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, TeamWorkspaceRequest> = {
  access: (access) => ({ access }),
  runs: (runs) => ({ runs }),
  variables: (variables) => ({ variables }),
  'state-versions': (stateVersions) => ({ stateVersions }),
  'sentinel-mocks': (sentinelMocks) => ({ sentinelMocks }),
  'workspace-locking': (workspaceLocking) => ({ workspaceLocking }),
  'run-tasks': (runTasks) => ({ runTasks }),
  'policy-overrides': (policyOverrides) => ({ policyOverrides }),
};

/** Maps the attributes of a request to access to a workspace. An omitted attribute is absent from the result. */
export const teamWorkspaceRequest = (attributes: TeamWorkspaceAttributes): TeamWorkspaceRequest =>
  mapRequest(mappings, attributes);
