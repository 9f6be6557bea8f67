import { firstIncluded } from '../../../../../shared/client/documents.ts';
import {
  type AccessLevel,
  addTeamAccess,
  changeTeamAccess,
  listTeamAccess,
  removeTeamAccess,
  type TeamWorkspace,
} from '../../../../../shared/client/team-access.ts';
import { workspaceLevels } from '../../lib/access-levels.ts';
import { workspaceAccessGroups } from '../../lib/custom-access.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { InheritedAccess } from '../inherited-access.tsx';
import { TeamAccessList } from '../team-access-list.tsx';
import { IfPermitted } from './if-permitted.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shows which teams may use a workspace, changes what they may do with it alone, and says where the rest comes from. */
export const AccessPage = () => (
  <IfPermitted permission="can-read-settings" name="the access of teams">
    <Access />
  </IfPermitted>
);

const Access = () => {
  const { organization, name, workspace, document } = useWorkspace();
  const project = firstIncluded(document, 'projects');
  return (
    <div className="stack">
      <TeamAccessList<AccessLevel, TeamWorkspace>
        organization={organization}
        name={name}
        levels={workspaceLevels}
        groups={workspaceAccessGroups}
        invalidates={['/team-workspaces']}
        disabledReason={missingPermission(workspace.attributes.permissions, 'can-manage-teams')}
        description="Given for this workspace, in addition to access through its project and the organization."
        emptyTitle="No additional access for this workspace"
        columns={{
          runs: true,
          variables: true,
          'state-versions': { name: 'State' },
          'workspace-locking': { name: 'Locking' },
          'policy-overrides': false,
          'run-tasks': false,
          'sentinel-mocks': false,
        }}
        list={(page) => listTeamAccess(workspace.id, page)}
        add={(team, access) => addTeamAccess(workspace.id, team, access)}
        change={changeTeamAccess}
        remove={removeTeamAccess}
      />
      <InheritedAccess
        organization={organization}
        title="Access through the project and the organization"
        {...(project === undefined && {
          description: 'You may not see the project, so the teams that have access through it are missing.',
        })}
        project={project}
      />
    </div>
  );
};
