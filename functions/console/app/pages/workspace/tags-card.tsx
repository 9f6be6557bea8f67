import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import { addTagBindings, removeTags, replaceTagBindings } from '../../../../../shared/client/workspaces.ts';
import { showWorkspace, workspacePaths } from '../../api/workspaces.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { DisabledReasons } from '../../components/disabled-reasons.tsx';
import { Section } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { type Tag, TagsEditor, tagsOf } from '../tags-editor.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Shows the tags in force for a workspace, and changes its own. */
export const TagsCard = () => {
  const { organization, name, query, reply, document, workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const tags = tagsOf(document);
  const inherited = tags.filter(({ isInherited }) => isInherited);
  const missing = missingPermission(workspace.attributes.permissions, 'can-manage-tags');
  const origin = `the project ${firstIncluded(document, 'projects')?.attributes.name ?? ''}`.trimEnd();
  return (
    <Section
      title="Tags"
      actions={
        <Button look="quiet" aria-label="Edit tags" disabledReason={missing} onClick={() => setOpen(true)}>
          Edit
        </Button>
      }
    >
      <DisabledReasons actions={[['Edit', missing]]} />
      {tags.length === 0 ? (
        <p className="muted">No tags. Tags of the project are inherited.</p>
      ) : (
        <>
          <TagList tags={tags.filter(({ isInherited }) => !isInherited)} />
          {inherited.length > 0 && (
            <>
              <p className="muted">Inherited from {toVisible(origin)}:</p>
              <TagList tags={inherited} />
            </>
          )}
        </>
      )}
      {isOpen && (
        <Dialog
          title={`Tags of “${name}”`}
          description="The workspace also inherits the tags of its project."
          size="medium"
          onClose={() => setOpen(false)}
        >
          <DialogBody>
            <TagsEditor
              resource={{
                organization,
                type: 'workspace',
                reply,
                reload: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
                origin,
                invalidates: workspacePaths(organization, workspace),
                list: showWorkspace(organization, name),
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

const TagList = ({ tags }: { readonly tags: readonly Tag[] }) =>
  tags.length > 0 && (
    <ul className="cluster">
      {tags.map(({ key, value }) => (
        <li key={key}>
          <Badge>{value === '' ? key : `${key}=${value}`}</Badge>
        </li>
      ))}
    </ul>
  );
