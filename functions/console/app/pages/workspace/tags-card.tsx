import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { firstIncluded } from '../../api/documents.ts';
import { addTagBindings, removeTags, replaceTagBindings, workspacePaths } from '../../api/workspaces.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { Section } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { TagsEditor, tagsOf } from '../tags-editor.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shows the tags in force for a workspace, and changes its own. */
export const TagsCard = () => {
  const { organization, name, query, reply, document, workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const tags = tagsOf(document);
  const origin = `the project ${firstIncluded(document, 'projects')?.attributes.name ?? ''}`.trimEnd();
  return (
    <Section
      title="Tags"
      actions={
        <Button
          look="quiet"
          aria-label="Edit tags"
          disabledReason={missingPermission(workspace.attributes.permissions, 'can-manage-tags')}
          onClick={() => setOpen(true)}
        >
          Edit
        </Button>
      }
    >
      {tags.length === 0 ? (
        <p className="muted">No tags. Tags of the project are inherited.</p>
      ) : (
        <ul className="stack stack-tight">
          {tags.map(({ key, value, isInherited }) => (
            <li key={key} className="cluster">
              <Badge>{value === '' ? key : `${key}=${value}`}</Badge>
              {isInherited && <span className="muted">inherited from {toVisible(origin)}</span>}
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <Dialog title={`Tags of “${name}”`} size="medium" onClose={() => setOpen(false)}>
          <DialogBody>
            <TagsEditor
              resource={{
                organization,
                type: 'workspace',
                reply,
                reload: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
                origin,
                invalidates: workspacePaths(organization, workspace),
                add: (bindings) => addTagBindings(workspace.id, bindings),
                remove: ({ key, value }, remaining, etag) =>
                  value === '' ? removeTags(workspace.id, [key]) : replaceTagBindings(workspace.id, remaining, etag),
                removal: 'If the project has a tag with this key, the workspace inherits it again.',
              }}
            />
          </DialogBody>
        </Dialog>
      )}
    </Section>
  );
};
