import {
  addProjectAccess,
  changeProjectAccess,
  listProjectAccess,
  type ProjectAccess,
  removeProjectAccess,
  type TeamProject,
} from '../../../../../shared/client/projects.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { projectLevels } from '../../lib/access-levels.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { InheritedAccess } from '../inherited-access.tsx';
import { TeamAccessList } from '../team-access-list.tsx';
import { useOrganizationName } from './use-organization.ts';

interface ProjectAccessDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Shows which teams may use a project, and changes it. */
export const ProjectAccessDialog = ({ project: { id, attributes }, onClose }: ProjectAccessDialogProps) => {
  const organization = useOrganizationName();
  return (
    <Dialog title={`Team access to “${attributes.name}”`} size="medium" onClose={onClose}>
      <DialogBody>
        <TeamAccessList<ProjectAccess, TeamProject>
          organization={organization}
          name={attributes.name}
          levels={projectLevels}
          columns={{ 'project-access': false, 'workspace-access': false }}
          invalidates={['/team-projects', `/organizations/${organization}/projects`]}
          disabledReason={missingPermission(attributes.permissions, 'can-manage-teams')}
          emptyTitle="No team has access to this project alone"
          list={(page) => listProjectAccess(id, page)}
          add={(team, access) => addProjectAccess(id, team, access)}
          change={changeProjectAccess}
          remove={removeProjectAccess}
        />
        <InheritedAccess
          organization={organization}
          title="Access through the organization"
          description="Access to all workspaces, those of this project included."
        />
      </DialogBody>
    </Dialog>
  );
};
