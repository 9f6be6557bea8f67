import { findIncluded } from '../../api/documents.ts';
import {
  addProjectAccess,
  changeProjectAccess,
  listProjectAccess,
  type ProjectAccess,
  removeProjectAccess,
} from '../../api/projects.ts';
import type { Project } from '../../api/types.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { type AccessLevels, AddTeamDialog, ChangeAccessDialog } from '../team-access-dialog.tsx';
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
export const ProjectAccessDialog = ({ project, onClose }: ProjectAccessDialogProps) => {
  const organization = useOrganizationName();
  const { name } = project.attributes;
  const reason = missingPermission(project.attributes.permissions, 'can-manage-teams');
  const invalidates = ['/team-projects', `/organizations/${organization}/projects`];
  return (
    <Dialog title={`Team access to ${name}`} size="medium" onClose={onClose}>
      <DialogBody>
        <ResourceList
          title="Teams"
          request={(page) => listProjectAccess(project.id, page)}
          nameOf={({ relationships: { team } }, document) =>
            findIncluded(document, 'teams', team.data)?.attributes.name ?? team.data.id
          }
          emptyTitle="No team has access to this project alone"
          columns={(_, nameOf) => [
            { name: 'Team', cell: nameOf },
            { name: 'Access', cell: ({ attributes }) => attributes.access },
          ]}
          add={{
            label: 'Add team',
            disabledReason: reason,
            dialog: (close) => (
              <AddTeamDialog
                organization={organization}
                name={name}
                levels={levels}
                request={(team, access) => addProjectAccess(project.id, team, access)}
                invalidates={invalidates}
                onClose={close}
              />
            ),
          }}
          actions={[
            {
              label: 'Change',
              disabledReason: () => reason,
              dialog: ({ id, attributes }, close, team) => (
                <ChangeAccessDialog
                  team={team}
                  access={attributes.access}
                  levels={levels}
                  request={(access) => changeProjectAccess(id, access)}
                  invalidates={invalidates}
                  onClose={close}
                />
              ),
            },
            {
              label: 'Remove',
              disabledReason: () => reason,
              dialog: ({ id }, close, team) => (
                <ConfirmDialog
                  title={`Remove the access of ${team}`}
                  description={`Its members can use ${name} only through other rights from then on.`}
                  submitLabel="Remove"
                  request={removeProjectAccess(id)}
                  invalidates={invalidates}
                  message={`Removed the access of ${team}.`}
                  onClose={close}
                />
              ),
            },
          ]}
        />
      </DialogBody>
    </Dialog>
  );
};
