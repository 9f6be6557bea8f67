import { firstIncluded } from '../../../../../shared/client/documents.ts';
import { addTagBindings, removeTags, replaceTagBindings } from '../../../../../shared/client/workspaces.ts';
import { workspacePaths } from '../../api/workspaces.ts';
import { ResourceLink } from '../../components/resource-link.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { TagsSection } from '../tags-section.tsx';
import { useReload, useWorkspace } from './use-workspace.ts';

/** Shows the tags in force for a workspace, and changes its own. */
export const TagsCard = () => {
  const { organization, name, reply, document, workspace } = useWorkspace();
  const reload = useReload();
  const project = firstIncluded(document, 'projects');
  return (
    <TagsSection
      name={name}
      description="The workspace also inherits the tags of its project."
      emptyText="No tags. Tags of the project are inherited."
      origin={
        <>the project {project && <ResourceLink type="projects" id={project.id} name={project.attributes.name} />}</>
      }
      disabledReason={missingPermission(workspace.attributes.permissions, 'can-manage-tags')}
      resource={{
        organization,
        type: 'workspace',
        reply,
        reload,
        origin: `the project ${project?.attributes.name ?? ''}`.trimEnd(),
        invalidates: workspacePaths(organization, workspace),
        add: (bindings) => addTagBindings(workspace.id, bindings),
        remove: ({ key, value }, remaining, etag) =>
          value === '' ? removeTags(workspace.id, [key]) : replaceTagBindings(workspace.id, remaining, etag),
        removal: 'If the project has a tag with this key, the workspace inherits it again.',
      }}
    />
  );
};
