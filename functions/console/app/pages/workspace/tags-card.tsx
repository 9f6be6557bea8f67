import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { firstIncluded } from '../../api/documents.ts';
import { organizationTagsQuery } from '../../api/organizations.ts';
import {
  addTagBindings,
  removeTags,
  replaceTagBindings,
  type WorkspaceDocument,
  workspacePaths,
} from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useWorkspace } from './use-workspace.ts';

/** A tag in force: a flat one without a value, or a binding. */
interface Tag {
  readonly key: string;
  /** Empty for a flat tag. */
  readonly value: string;
  readonly isInherited: boolean;
}

const tagsOf = ({ data, included = [] }: WorkspaceDocument): readonly Tag[] => [
  ...data.attributes['tag-names'].map((key) => ({ key, value: '', isInherited: false })),
  ...included.flatMap((resource) =>
    resource.type === 'effective-tag-bindings'
      ? [{ ...resource.attributes, isInherited: resource.links !== undefined }]
      : [],
  ),
];

const originOf = (document: WorkspaceDocument): string =>
  `the project ${firstIncluded(document, 'projects')?.attributes.name ?? ''}`.trimEnd();

/** Shows the tags in force for a workspace, and changes its own. */
export const TagsCard = () => {
  const { document, workspace } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const tags = tagsOf(document);
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
              {isInherited && <span className="muted">inherited from {toVisible(originOf(document))}</span>}
            </li>
          ))}
        </ul>
      )}
      {isOpen && <TagsDialog onClose={() => setOpen(false)} />}
    </Section>
  );
};

/** What the user does: adds a tag, edits one, or removes one. */
type Change = 'add' | { readonly edited: Tag } | { readonly removed: Tag };

const TagsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { document, name } = useWorkspace();
  const [change, setChange] = useState<Change>();
  const close = () => setChange(undefined);
  const tags = tagsOf(document);
  return (
    <Dialog title={`Tags of “${name}”`} size="medium" onClose={onClose}>
      <DialogBody>
        <div className="cluster cluster-end">
          <Button look="primary" icon="plus" onClick={() => setChange('add')}>
            Add tag
          </Button>
        </div>
        {tags.length === 0 ? (
          <EmptyState title="The workspace has no tags" />
        ) : (
          <DataTable
            label="Tags"
            rows={tags}
            rowKey={({ key }) => key}
            columns={[
              { name: 'Key', cell: ({ key }) => key },
              { name: 'Value', cell: ({ value }) => value || <span className="muted">none</span> },
              {
                name: 'Origin',
                cell: ({ isInherited }) => (isInherited ? `inherited from ${originOf(document)}` : 'this workspace'),
              },
              {
                name: 'Actions',
                isNameHidden: true,
                cell: (tag) => (
                  <span className="row-actions">
                    <Button
                      look="quiet"
                      aria-label={`${tag.isInherited ? 'Override' : 'Edit'} ${tag.key}`}
                      onClick={() => setChange({ edited: tag })}
                    >
                      {tag.isInherited ? 'Override' : 'Edit'}
                    </Button>
                    {!tag.isInherited && (
                      <Button
                        look="quiet-danger"
                        aria-label={`Remove ${tag.key}`}
                        onClick={() => setChange({ removed: tag })}
                      >
                        Remove
                      </Button>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
        {change === 'add' && <AddDialog tags={tags} onClose={close} />}
        {typeof change === 'object' && 'edited' in change && <ValueDialog tag={change.edited} onClose={close} />}
        {typeof change === 'object' && 'removed' in change && <RemoveDialog tag={change.removed} onClose={close} />}
      </DialogBody>
    </Dialog>
  );
};

const useTagAction = (message: string, onClose: () => void) => {
  const { organization, workspace } = useWorkspace();
  const invalidates = [...workspacePaths(organization, workspace), `/organizations/${organization}/tags`];
  return useDialogAction({ invalidates, message, onClose });
};

const VALUE_HINT = 'Without a value, the tag is its key alone.';

const AddDialog = ({ tags, onClose }: { readonly tags: readonly Tag[]; readonly onClose: () => void }) => {
  const { organization, workspace } = useWorkspace();
  const known = useQuery(organizationTagsQuery(organization));
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const action = useTagAction(`Added ${key.trim()}.`, onClose);
  const isPresent = tags.some((tag) => tag.key === key.trim() && !tag.isInherited);
  return (
    <ActionDialog
      title="Add a tag"
      submitLabel="Add"
      action={action}
      request={addTagBindings(workspace.id, [{ key: key.trim(), value: value.trim() }])}
      required={{ Key: key }}
      disabledReason={isPresent ? 'The workspace has a tag with this key. Edit it instead.' : undefined}
      onClose={onClose}
    >
      <TextField
        name="key"
        label="Key"
        value={key}
        onChange={setKey}
        suggestions={(known.data?.document.data ?? []).map(({ attributes }) => attributes.name)}
        autoFocus
        isCode
      />
      <TextField name="value" label="Value" hint={VALUE_HINT} value={value} onChange={setValue} isOptional isCode />
    </ActionDialog>
  );
};

interface TagDialogProps {
  readonly tag: Tag;
  readonly onClose: () => void;
}

/** Changes the value of an own tag, or overrides that of an inherited one. */
const ValueDialog = ({ tag: { key, value: present, isInherited }, onClose }: TagDialogProps) => {
  const { document, workspace } = useWorkspace();
  const [value, setValue] = useState(present);
  const action = useTagAction(`Changed ${key}.`, onClose);
  return (
    <ActionDialog
      title={`${isInherited ? 'Override' : 'Edit'} “${key}”`}
      {...(isInherited && {
        description: toVisible(`The workspace gets a tag of its own in place of that of ${originOf(document)}.`),
      })}
      submitLabel="Save"
      action={action}
      request={addTagBindings(workspace.id, [{ key, value: value.trim() }])}
      isUnchanged={value.trim() === present}
      onClose={onClose}
    >
      <TextField
        name="value"
        label="Value"
        hint={VALUE_HINT}
        value={value}
        onChange={setValue}
        isOptional
        isCode
        autoFocus
      />
    </ActionDialog>
  );
};

/**
 * Removes an own tag. The API removes a binding only by replacing all of them: the request names the revision that it is based
 * on, so that no binding of somebody else is lost.
 */
const RemoveDialog = ({ tag: { key, value }, onClose }: TagDialogProps) => {
  const { query, reply, workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [opened] = useState(reply);
  const action = useTagAction(`Removed ${key}.`, onClose);
  const { base, changes } = useRevision(opened, action.error, () => queryClient.fetchQuery({ ...query, staleTime: 0 }));
  const { document, etag } = base ?? opened;
  const remaining = tagsOf(document).filter((tag) => !tag.isInherited && tag.value !== '' && tag.key !== key);
  return (
    <ActionDialog
      title={`Remove “${key}”`}
      description="If the project has a tag with this key, the workspace inherits it again."
      submitLabel="Remove"
      isDangerous
      action={action}
      request={value === '' ? removeTags(workspace.id, [key]) : replaceTagBindings(workspace.id, remaining, etag)}
      changes={changes}
      onClose={onClose}
    />
  );
};
