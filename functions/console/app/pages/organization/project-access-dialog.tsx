import {
  addProjectAccess,
  changeProjectAccess,
  listProjectAccess,
  type ProjectAccess,
  removeProjectAccess,
} from '../../api/projects.ts';
import type { Project } from '../../api/types.ts';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import type { AccessLevels } from '../team-access-dialog.tsx';
import { TeamAccessList } from '../team-access-list.tsx';
import { useOrganizationName } from './use-organization.ts';

const levels: AccessLevels<ProjectAccess> = [
  { value: 'read', label: 'Read: see everything' },
  { value: 'write', label: 'Write: plan, apply, lock, change variables' },
  { value: 'maintain', label: 'Maintain: also create and delete workspaces' },
  { value: 'admin', label: 'Admin: everything' },
];

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
        <TeamAccessList
          organization={organization}
          name={attributes.name}
          levels={levels}
          invalidates={['/team-projects', `/organizations/${organization}/projects`]}
          disabledReason={missingPermission(attributes.permissions, 'can-manage-teams')}
          emptyTitle="No team has access to this project alone"
          list={(page) => listProjectAccess(id, page)}
          add={(team, access) => addProjectAccess(id, team, access)}
          change={changeProjectAccess}
          remove={removeProjectAccess}
        />
      </DialogBody>
    </Dialog>
  );
};
