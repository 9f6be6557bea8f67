import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { listSshKeys } from '../../../../../shared/client/integrations.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { assignSshKey } from '../../../../../shared/client/workspaces.ts';
import { allPagesQuery } from '../../api/query-client.ts';
import { workspacePaths } from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { SelectField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { NamedLink } from '../named-link.tsx';
import { useWorkspace } from './use-workspace.ts';

/** Number of SSH keys of a page; the largest that the API returns. */
const PAGE_SIZE = 100;

const TITLE = 'Edit the SSH key';

/** Shows the SSH key of a workspace, assigns another one or removes it. */
export const SshKeySection = () => {
  const { organization, workspace } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const missing = missingPermission(workspace.attributes.permissions, 'can-update');
  const list = (page: number) => listSshKeys(organization, page, PAGE_SIZE);
  const keys = useQuery({ ...allPagesQuery(list), enabled: missing === undefined });
  // For organization tokens, the list does not exist (SSH-2).
  const isForbidden = isNotFound(keys.error);
  const assigned = workspace.relationships['ssh-key'].data?.id;
  const reason =
    missing ?? (isForbidden ? 'You need a token of a user or a team: organization tokens see no SSH keys.' : undefined);
  const close = () => setOpen(false);
  return (
    <Section
      title="SSH key"
      description="With an SSH key, runs fetch modules from private Git repositories."
      actions={
        <Button aria-label={TITLE} disabledReason={reason} onClick={() => setOpen(true)}>
          Edit
        </Button>
      }
    >
      <p>{assigned === undefined ? 'None is assigned.' : <NamedLink type="ssh-keys" id={assigned} />}</p>
      {isOpen &&
        (keys.data === undefined ? (
          <Dialog title={TITLE} onClose={close}>
            <DialogBody>
              <Loaded query={keys}>{() => null}</Loaded>
            </DialogBody>
          </Dialog>
        ) : (
          <EditKeyDialog keys={keys.data.flatMap((page) => page.data)} assigned={assigned ?? ''} onClose={close} />
        ))}
    </Section>
  );
};

interface EditKeyDialogProps {
  readonly keys: readonly Schemas['SshKey'][];
  /** Id of the assigned key; empty without one. */
  readonly assigned: string;
  readonly onClose: () => void;
}

const EditKeyDialog = ({ keys, assigned, onClose }: EditKeyDialogProps) => {
  const { organization, name, workspace } = useWorkspace();
  const [chosen, setChosen] = useState(assigned);
  const action = useDialogAction({
    invalidates: [...workspacePaths(organization, workspace), `/organizations/${organization}/ssh-keys`],
    message: `Changed the SSH key of the workspace ${name}.`,
    onClose,
  });
  // A key that was deleted meanwhile is no choice any more.
  const key = keys.some(({ id }) => id === chosen) ? chosen : '';
  return (
    <ActionDialog
      title={TITLE}
      submitLabel="Save"
      action={action}
      request={assignSshKey(workspace.id, key === '' ? null : key)}
      isUnchanged={key === assigned}
      onClose={onClose}
    >
      <SelectField
        name="id"
        label="Key"
        hint={keys.length === 0 ? 'The organization has no SSH keys. Create one on its page SSH keys.' : undefined}
        value={key}
        options={[
          { value: '', label: 'None' },
          ...keys.map(({ id, attributes }) => ({ value: id, label: attributes.name })),
        ]}
        onChange={setChosen}
      />
    </ActionDialog>
  );
};
