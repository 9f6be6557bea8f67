import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectDocument } from '../../../../shared/client/projects.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import type { TagBinding } from '../../../../shared/client/workspaces.ts';
import { organizationTagsQuery } from '../api/organizations.ts';
import type { WorkspaceDocument } from '../api/workspaces.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { Button } from '../components/button.tsx';
import { useRevision } from '../components/changed-meanwhile.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { Curl } from '../components/curl.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { TextField } from '../components/form.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { splitTag } from './workspaces/search.ts';

type TaggedDocument = WorkspaceDocument | ProjectDocument;

/** A tag in force: a flat one without a value, or a binding. */
export interface Tag extends TagBinding {
  readonly isInherited: boolean;
}

/** Returns the tags in force for a workspace or a project. The document has to include the effective bindings. */
export const tagsOf = ({ data: { attributes }, included = [] }: TaggedDocument): readonly Tag[] => [
  ...('tag-names' in attributes ? attributes['tag-names'] : []).map((key) => ({ key, value: '', isInherited: false })),
  ...(included as readonly NonNullable<TaggedDocument['included']>[number][]).flatMap((resource) =>
    resource.type === 'effective-tag-bindings'
      ? [{ ...resource.attributes, isInherited: resource.links !== undefined }]
      : [],
  ),
];

/** A workspace or a project whose tags are edited. */
export interface TaggedResource {
  readonly organization: string;
  readonly type: 'workspace' | 'project';
  readonly reply: Reply<TaggedDocument>;
  readonly reload: () => Promise<Reply<TaggedDocument>>;
  /** Source of inherited tags. */
  readonly origin?: string;
  /** Paths below `/api/v2` whose cached data are out of date after a change. */
  readonly invalidates: readonly string[];
  /** Lists the tags in force. */
  readonly list: ApiRequest;
  readonly add: (bindings: readonly TagBinding[]) => ApiRequest;
  /** @param remaining the other bindings of the revision that `etag` names. */
  readonly remove: (tag: TagBinding, remaining: readonly TagBinding[], etag: string | undefined) => ApiRequest;
  /** Says what the removal of a tag does. */
  readonly removal: string;
}

interface ResourceProps {
  readonly resource: TaggedResource;
  readonly onClose: () => void;
}

interface TagProps extends ResourceProps {
  readonly tag: Tag;
}

/** Action of the user: adds, edits or removes a tag. */
type Change = 'add' | { readonly edited: Tag } | { readonly removed: Tag };

/** Shows the tags of a workspace or a project in a dialog, and changes them. */
export const TagsEditor = ({ resource }: Pick<ResourceProps, 'resource'>) => {
  const { type, reply, origin, list } = resource;
  const [change, setChange] = useState<Change>();
  const dialog = { resource, onClose: () => setChange(undefined) };
  const tags = tagsOf(reply.document);
  return (
    <>
      <div className="cluster cluster-end">
        <Curl requests={[list]} />
        <Button look="primary" icon="plus" onClick={() => setChange('add')}>
          Add tag
        </Button>
      </div>
      {tags.length === 0 ? (
        <EmptyState title={`The ${type} has no tags`} />
      ) : (
        <DataTable
          label="Tags"
          rows={tags}
          rowKey={({ key }) => key}
          columns={[
            { name: 'Key', cell: ({ key }) => <code>{toVisible(key)}</code> },
            { name: 'Value', cell: ({ value }) => value || null },
            ...(origin === undefined
              ? []
              : [
                  {
                    name: 'Origin',
                    cell: ({ isInherited }: Tag) => (isInherited ? `inherited from ${origin}` : `this ${type}`),
                  },
                ]),
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
      {change === 'add' && <AddDialog {...dialog} />}
      {typeof change === 'object' && 'edited' in change && <ValueDialog {...dialog} tag={change.edited} />}
      {typeof change === 'object' && 'removed' in change && <RemoveDialog {...dialog} tag={change.removed} />}
    </>
  );
};

const useTagAction = ({ resource, onClose }: ResourceProps, message: string) => {
  const { organization, invalidates } = resource;
  return useDialogAction<unknown>({
    invalidates: [...invalidates, `/organizations/${organization}/tags`],
    message,
    onClose,
  });
};

/** Builds the props of the field of a value, which only tags of workspaces can do without (TAG-18). */
const valueField = ({ type }: TaggedResource) => ({
  name: 'value',
  label: 'Value',
  isCode: true,
  ...(type === 'workspace' && { isOptional: true, hint: 'Without a value, the tag is its key alone.' }),
});

const requiredValue = ({ type }: TaggedResource, value: string) => (type === 'project' ? { Value: value } : {});

const AddDialog = (props: ResourceProps) => {
  const { resource, onClose } = props;
  const { organization, type, reply } = resource;
  const known = useQuery(organizationTagsQuery(organization));
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  // A tag is shown as key=value everywhere else, so it is also written like that.
  const written = value.trim() === '' ? splitTag(key.trim()) : { key, value };
  const tag = { key: written.key.trim(), value: written.value.trim() };
  const action = useTagAction(props, `Added the tag ${tag.key} to the ${type}.`);
  const isPresent = tagsOf(reply.document).some((own) => own.key === tag.key && !own.isInherited);
  return (
    <ActionDialog
      title="Add a tag"
      submitLabel="Add"
      action={action}
      request={resource.add([tag])}
      required={{ Key: tag.key, ...requiredValue(resource, tag.value) }}
      disabledReason={isPresent ? `The ${type} has a tag with this key. Edit it instead.` : undefined}
      onClose={onClose}
    >
      <TextField
        name="key"
        label="Key"
        hint="Or key=value, such as owner=platform."
        value={key}
        onChange={setKey}
        suggestions={(known.data?.document.data ?? []).map(({ attributes }) => attributes.name)}
        autoFocus
        isCode
      />
      <TextField {...valueField(resource)} value={value} onChange={setValue} />
    </ActionDialog>
  );
};

/** Changes the value of an own tag, or overrides the value of an inherited tag. */
const ValueDialog = (props: TagProps) => {
  const {
    resource,
    tag: { key, value: present, isInherited },
    onClose,
  } = props;
  const [value, setValue] = useState(present);
  const action = useTagAction(props, `Changed the tag ${key} of the ${props.resource.type}.`);
  return (
    <ActionDialog
      title={`${isInherited ? 'Override' : 'Edit'} “${key}”`}
      {...(isInherited && {
        description: toVisible(`The ${resource.type} gets a tag of its own in place of that of ${resource.origin}.`),
      })}
      submitLabel={isInherited ? 'Override' : 'Save'}
      action={action}
      request={resource.add([{ key, value: value.trim() }])}
      required={requiredValue(resource, value)}
      isUnchanged={value.trim() === present}
      onClose={onClose}
    >
      <TextField {...valueField(resource)} value={value} onChange={setValue} autoFocus />
    </ActionDialog>
  );
};

/**
 * Removes an own tag. The API removes a binding only by replacing all of them: the request names the revision that it is based
 * on, so that no binding of somebody else is lost.
 */
const RemoveDialog = (props: TagProps) => {
  const { resource, tag, onClose } = props;
  const [opened] = useState(resource.reply);
  const action = useTagAction(props, `Removed the tag ${tag.key} from the ${resource.type}.`);
  const { base, changes } = useRevision(opened, action.error, resource.reload);
  const { document, etag } = base ?? opened;
  const remaining = tagsOf(document).filter(({ key, value, isInherited }) => !isInherited && value && key !== tag.key);
  return (
    <ActionDialog
      title={`Remove “${tag.key}”`}
      description={resource.removal}
      submitLabel="Remove"
      isDangerous
      action={action}
      request={resource.remove(tag, remaining, etag)}
      changes={changes}
      onClose={onClose}
    />
  );
};
