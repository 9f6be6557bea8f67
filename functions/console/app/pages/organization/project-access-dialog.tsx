import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../api/documents.ts';
import { addProjectAccess, listProjectAccess, type ProjectAccess, removeProjectAccess } from '../../api/projects.ts';
import { teamsQuery } from '../../api/team-access.ts';
import type { Project } from '../../api/types.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useOrganizationName } from './use-organization.ts';

const levels = [
  { value: 'read', label: 'Read: see everything' },
  { value: 'write', label: 'Write: plan, apply, lock, change variables' },
  { value: 'maintain', label: 'Maintain: also create and delete workspaces' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

type Grantable = (typeof levels)[number]['value'] & ProjectAccess;

interface ProjectAccessDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Shows which teams may use a project, and changes it. */
export const ProjectAccessDialog = ({ project, onClose }: ProjectAccessDialogProps) => {
  const organization = useOrganizationName();
  const reason = missingPermission(project.attributes.permissions, 'can-manage-teams');
  const paths = ['/team-projects', `/organizations/${organization}/projects`];
  return (
    <Dialog title={`Team access to ${project.attributes.name}`} size="medium" onClose={onClose}>
      <DialogBody>
        <ResourceList
          label="Teams"
          request={(page) => listProjectAccess(project.id, page)}
          nameOf={({ relationships }) => relationships.team.data.id}
          emptyTitle="No team has access to this project alone"
          columns={(document) => [
            {
              name: 'Team',
              cell: ({ relationships: { team } }) =>
                findIncluded(document, 'teams', team.data)?.attributes.name ?? team.data.id,
            },
            { name: 'Access', cell: ({ attributes }) => attributes.access },
          ]}
          add={{
            label: 'Add team',
            disabledReason: reason,
            dialog: (close) => <AddDialog project={project} paths={paths} onClose={close} />,
          }}
          actions={[
            {
              label: 'Remove',
              disabledReason: () => reason,
              dialog: ({ id }, close) => (
                <ConfirmDialog
                  title="Remove the access"
                  description="The members of the team can use the project only through other rights from then on."
                  submitLabel="Remove"
                  request={removeProjectAccess(id)}
                  invalidates={paths}
                  message="Removed the access."
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

const AddDialog = ({ project, paths, onClose }: ProjectAccessDialogProps & { readonly paths: readonly string[] }) => {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Grantable>('read');
  const found = useQuery(teamsQuery(useOrganizationName(), useDebounced(name)));
  const teams = found.data?.document.data ?? [];
  const team = teams.find(({ attributes }) => attributes.name === name.trim());
  const action = useDialogAction({
    invalidates: paths,
    message: `${name} has access to ${project.attributes.name} now.`,
    onClose,
  });
  return (
    <ActionDialog
      title="Add a team"
      submitLabel="Add"
      action={action}
      request={addProjectAccess(project.id, team?.id ?? '', access)}
      fields={['team', 'access']}
      disabledReason={team === undefined ? 'Type the name of a team that you can see.' : undefined}
      onClose={onClose}
    >
      <TextField
        name="team"
        label="Team"
        value={name}
        onChange={setName}
        suggestions={teams.map(({ attributes }) => attributes.name)}
        autoFocus
      />
      <SelectField name="access" label="Access" value={access} options={levels} onChange={setAccess} />
    </ActionDialog>
  );
};
