import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
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
import { Form, FormErrors, TextField } from '../components/form.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { formBlocker } from '../lib/form-blocker.ts';
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
  readonly add: (bindings: readonly TagBinding[]) => ApiRequest;
  /** @param remaining the other bindings of the revision that `etag` names. */
  readonly remove: (tag: TagBinding, remaining: readonly TagBinding[], etag: string | undefined) => ApiRequest;
  /** Says what the removal of a tag does. */
  readonly removal: string;
}

interface ResourceProps {
  readonly resource: TaggedResource;
}

interface RemoveProps extends ResourceProps {
  readonly tag: Tag;
  readonly onClose: () => void;
}

/** Shows the tags of a workspace or a project, and changes them. */
export const TagsEditor = ({ resource }: ResourceProps) => {
  const { type, reply, origin } = resource;
  const [entries, setEntries] = useState(noEntries);
  const [removed, setRemoved] = useState<Tag>();
  const form = useRef<HTMLDivElement>(null);
  const focus = (name: keyof Entries) => form.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
  const tags = tagsOf(reply.document);
  return (
    <>
      <div ref={form}>
        <TagForm
          resource={resource}
          entries={entries}
          onChange={setEntries}
          onDone={() => {
            setEntries(noEntries);
            focus('key');
          }}
        />
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
            { name: 'Value', cell: ({ value }) => value || <span className="muted">none</span> },
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
                    onClick={() => {
                      setEntries(tag);
                      focus('value');
                    }}
                  >
                    {tag.isInherited ? 'Override' : 'Edit'}
                  </Button>
                  {!tag.isInherited && (
                    <Button look="quiet-danger" aria-label={`Remove ${tag.key}`} onClick={() => setRemoved(tag)}>
                      Remove
                    </Button>
                  )}
                </span>
              ),
            },
          ]}
        />
      )}
      {removed !== undefined && (
        <RemoveDialog resource={resource} tag={removed} onClose={() => setRemoved(undefined)} />
      )}
    </>
  );
};

const useTagAction = ({ organization, invalidates }: TaggedResource, message: string, onClose: () => void) =>
  useDialogAction<unknown>({
    invalidates: [...invalidates, `/organizations/${organization}/tags`],
    message,
    onClose,
  });

interface Entries {
  readonly key: string;
  readonly value: string;
}

const noEntries: Entries = { key: '', value: '' };

interface TagFormProps extends ResourceProps {
  readonly entries: Entries;
  readonly onChange: (entries: Entries) => void;
  readonly onDone: () => void;
}

/** Adds a tag, changes the value of an own tag with the same key, or overrides an inherited one. */
const TagForm = ({ resource, entries, onChange, onDone }: TagFormProps) => {
  const { organization, type, reply } = resource;
  const known = useQuery(organizationTagsQuery(organization));
  // A tag is shown as key=value everywhere else, so it is also written like that.
  const written = entries.value.trim() === '' ? splitTag(entries.key.trim()) : entries;
  const tag = { key: written.key.trim(), value: written.value.trim() };
  const present = tagsOf(reply.document).find(({ key }) => key === tag.key);
  const label = present === undefined ? 'Add' : present.isInherited ? 'Override' : 'Save';
  const message =
    present === undefined ? `Added the tag ${tag.key} to the ${type}.` : `Changed the tag ${tag.key} of the ${type}.`;
  const action = useTagAction(resource, message, onDone);
  const request = resource.add([tag]);
  // Only tags of workspaces can do without a value (TAG-18).
  const isOptional = type === 'workspace';
  const reason = formBlocker(
    { Key: tag.key, ...(!isOptional && { Value: tag.value }) },
    present !== undefined && present.value === tag.value,
  );
  const submit = () => {
    if (reason === undefined) action.run(request);
  };
  return (
    <Form error={action.error} onSubmit={submit}>
      <FormErrors />
      <div className="field-row">
        <TextField
          name="key"
          label="Key"
          placeholder="owner=platform"
          value={entries.key}
          onChange={(key) => onChange({ ...entries, key })}
          suggestions={(known.data?.document.data ?? []).map(({ attributes }) => attributes.name)}
          isCode
        />
        <TextField
          name="value"
          label="Value"
          value={entries.value}
          onChange={(value) => onChange({ ...entries, value })}
          isOptional={isOptional}
          isCode
        />
        <span className="cluster">
          <Curl requests={[request]} />
          <Button type="submit" look="primary" isPending={action.isPending} disabledReason={reason}>
            {label}
          </Button>
        </span>
      </div>
    </Form>
  );
};

/**
 * Removes an own tag. The API removes a binding only by replacing all of them: the request names the revision that it is based
 * on, so that no binding of somebody else is lost.
 */
const RemoveDialog = ({ resource, tag, onClose }: RemoveProps) => {
  const [opened] = useState(resource.reply);
  const action = useTagAction(resource, `Removed the tag ${tag.key} from the ${resource.type}.`, onClose);
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
