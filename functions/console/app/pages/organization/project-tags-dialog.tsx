import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  addProjectTagBindings,
  replaceProjectTagBindings,
  showProject,
} from '../../../../../shared/client/projects.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import { projectQuery } from '../../api/projects.ts';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { TagsEditor } from '../tags-editor.tsx';
import { useOrganizationName } from './use-organization.ts';

interface ProjectTagsDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Shows the tags of a project, which its workspaces inherit, and changes them. */
export const ProjectTagsDialog = ({ project: { id, attributes }, onClose }: ProjectTagsDialogProps) => {
  const organization = useOrganizationName();
  const queryClient = useQueryClient();
  const query = projectQuery(id);
  return (
    <Dialog
      title={`Tags of “${attributes.name}”`}
      description="All workspaces of the project inherit its tags, and can override their values."
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        <Loaded query={useQuery(query)}>
          {(reply) => (
            <TagsEditor
              resource={{
                organization,
                type: 'project',
                reply,
                reload: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
                disabledReason: missingPermission(reply.document.data.attributes.permissions, 'can-update'),
                // Workspaces inherit the tags.
                invalidates: [`/projects/${id}`, `/organizations/${organization}/workspaces`],
                list: showProject(id),
                add: (bindings) => addProjectTagBindings(id, bindings),
                remove: (_, remaining, etag) => replaceProjectTagBindings(id, remaining, etag),
                removal: 'Workspaces of the project lose it too, unless they have a tag with this key of their own.',
              }}
            />
          )}
        </Loaded>
      </DialogBody>
    </Dialog>
  );
};
