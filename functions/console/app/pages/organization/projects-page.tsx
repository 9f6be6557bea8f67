import { listProjects } from '../../../../../shared/client/projects.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import { Page } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { ProjectDialog } from './project-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

/** Lists the projects of an organization. */
export const ProjectsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-create-project');
  return (
    <ResourceList
      title="Projects"
      frame={Page}
      request={(page) => listProjects(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="You see no project"
      columns={() => ({
        name: {
          cell: ({ id, attributes }) => (
            <>
              <ResourceLink type="projects" id={id} name={attributes.name} />
              {attributes.description && <div className="muted">{toVisible(attributes.description)}</div>}
            </>
          ),
        },
        'workspace-count': {
          name: 'Workspaces',
          isNumber: true,
          cell: ({ attributes }) => attributes['workspace-count']?.toLocaleString() ?? 'unknown',
        },
        'team-count': { name: 'Teams', isNumber: true },
        'default-execution-mode': {
          cell: ({ attributes }) => <ProjectDefault name="default-execution-mode" attributes={attributes} />,
        },
        'default-deletion-protection': {
          cell: ({ attributes }) => <ProjectDefault name="default-deletion-protection" attributes={attributes} />,
        },
        // Shown below the name.
        description: false,
        // Shown with the defaults.
        'setting-overwrites': false,
        'created-at': false,
        'auto-destroy-activity-duration': false,
        'allowed-value-references': false,
        'is-unified': false,
        permissions: false,
      })}
      add={{
        label: 'New project',
        disabledReason: missing,
        dialog: (onClose) => <ProjectDialog onClose={onClose} />,
      }}
    />
  );
};

interface ProjectDefaultProps {
  readonly name: 'default-execution-mode' | 'default-deletion-protection';
  readonly attributes: Project['attributes'];
}

/** Shows the default of a project for its workspaces, and whether the project inherits it. */
export const ProjectDefault = ({ name, attributes }: ProjectDefaultProps) => {
  const value = attributes[name];
  return (
    <span>
      {typeof value === 'boolean' ? (value ? 'on' : 'off') : value}{' '}
      {!attributes['setting-overwrites'][name] && <span className="muted">(inherited)</span>}
    </span>
  );
};
