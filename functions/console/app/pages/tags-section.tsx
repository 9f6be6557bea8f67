import { type ReactNode, useState } from 'react';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody } from '../components/dialog.tsx';
import { Section } from '../components/page.tsx';
import { type Tag, type TaggedResource, TagsEditor, tagsOf } from './tags-editor.tsx';

interface TagsSectionProps {
  /** Name of the workspace or the project. */
  readonly name: string;
  readonly resource: TaggedResource;
  /** Says where tags come from, or where they apply. */
  readonly description: string;
  readonly emptyText: string;
  /** Names the project from which the workspace inherits, next to inherited tags. */
  readonly origin?: ReactNode;
  /** Reason why the user cannot change the tags. */
  readonly disabledReason: string | undefined;
}

/** Shows the tags of a workspace or a project, and changes them in a dialog. */
export const TagsSection = ({ name, resource, description, emptyText, origin, disabledReason }: TagsSectionProps) => {
  const [isOpen, setOpen] = useState(false);
  const tags = tagsOf(resource.reply.document);
  const inherited = tags.filter(({ isInherited }) => isInherited);
  return (
    <Section
      title="Tags"
      actions={
        <Button look="quiet" aria-label="Edit tags" disabledReason={disabledReason} onClick={() => setOpen(true)}>
          Edit
        </Button>
      }
    >
      {tags.length === 0 ? (
        <p className="muted">{emptyText}</p>
      ) : (
        <>
          <TagList tags={tags.filter(({ isInherited }) => !isInherited)} />
          {inherited.length > 0 && (
            <>
              <p className="muted">Inherited from {origin}:</p>
              <TagList tags={inherited} />
            </>
          )}
        </>
      )}
      {isOpen && (
        <Dialog title={`Tags of “${name}”`} description={description} size="medium" onClose={() => setOpen(false)}>
          <DialogBody>
            <TagsEditor resource={resource} />
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
