import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  listDeletedWorkspaces,
  purgeWorkspace,
  restoreWorkspace,
} from '../../../../../shared/client/deleted-workspaces.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { projectsQuery } from '../../api/organizations.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ActorLink, ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastOnNextPage } from '../../components/toast.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useOrganizationName } from './use-organization.ts';

type DeletedWorkspace = Schemas['DeletedWorkspace'];

/** Lists the deleted workspaces of an organization, restores them, and deletes them permanently. */
export const DeletedWorkspacesPage = () => {
  const organization = useOrganizationName();
  const projects = useQuery(projectsQuery(organization));
  const showProject = (id: string) => {
    const project = projects.data?.document.data.find((one) => one.id === id);
    return project === undefined ? id : <ResourceLink type="projects" id={id} name={project.attributes.name} />;
  };
  return (
    <ResourceList
      title="Deleted workspaces"
      frame={Page}
      request={(page) => listDeletedWorkspaces(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no deleted workspaces"
      hint="A deleted workspace is listed here as long as it can be restored. Afterwards it is deleted permanently."
      columns={() => ({
        name: {
          name: 'Workspace',
          cell: ({ attributes, relationships }) => (
            <>
              {toVisible(attributes.name)}
              <div className="muted">{showProject(relationships.project.data.id)}</div>
            </>
          ),
        },
        'deleted-at': {
          cell: ({ attributes }) => (
            <span>
              <Time value={attributes['deleted-at']} /> by <ActorLink actor={attributes['deleted-by']} />
            </span>
          ),
        },
        'restorable-until': {
          name: 'Kept until',
          cell: ({ attributes }) => <Time value={attributes['restorable-until']} isFull />,
        },
        'resource-count': { isNumber: true },
        'tag-names': { name: 'Tags' },
        // Shown with the time.
        'deleted-by': false,
        'created-at': false,
        'latest-change-at': false,
        permissions: false,
      })}
      actions={[
        {
          label: 'Restore',
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-restore'),
          dialog: (workspace, onClose) => (
            <RestoreDialog organization={organization} workspace={workspace} onClose={onClose} />
          ),
        },
        {
          label: 'Delete permanently',
          isDangerous: true,
          disabledReason: ({ attributes }) => missingPermission(attributes.permissions, 'can-destroy'),
          dialog: (workspace, onClose) => (
            <PurgeDialog organization={organization} workspace={workspace} onClose={onClose} />
          ),
        },
      ]}
    />
  );
};

interface DialogProps {
  readonly organization: string;
  readonly workspace: DeletedWorkspace;
  readonly onClose: () => void;
}

const changedPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/deleted-workspaces`,
  `/organizations/${organization}/workspaces`,
];

const RestoreDialog = ({ organization, workspace, onClose }: DialogProps) => {
  const oldName = workspace.attributes.name;
  const [name, setName] = useState(oldName);
  const navigate = useNavigate();
  const action = useAction({
    invalidates: changedPaths(organization),
    onDone: async () => {
      toastOnNextPage(`Restored the workspace ${name}.`);
      await navigate({ to: '/$organization/workspaces/$workspace', params: { organization, workspace: name } });
    },
  });
  return (
    <ActionDialog
      title={`Restore “${oldName}”`}
      description="It comes back unlocked, with its settings, tags, variables, states and access. Access of deleted teams is not restored."
      submitLabel="Restore"
      action={action}
      request={restoreWorkspace(workspace.id, name === oldName ? undefined : name)}
      required={{ Name: name }}
      onClose={onClose}
    >
      <TextField
        name="name"
        label="Name"
        hint="Choose another name if a workspace has taken this one."
        value={name}
        onChange={setName}
      />
    </ActionDialog>
  );
};

const PurgeDialog = ({ organization, workspace, onClose }: DialogProps) => {
  const { name } = workspace.attributes;
  const action = useAction({
    invalidates: changedPaths(organization),
    onDone: () => {
      toast(`Deleted the workspace ${name} permanently.`);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Delete “${name}” permanently`}
      description="Its states, variables and settings are deleted now, and nobody can restore them. Resources that it managed continue to exist."
      submitLabel="Delete permanently"
      isDangerous
      confirmName={name}
      action={action}
      request={purgeWorkspace(workspace.id)}
      onClose={onClose}
    />
  );
};
