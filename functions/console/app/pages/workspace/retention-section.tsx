import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import {
  deleteRetentionPolicy,
  setRetentionPolicy,
  showRetentionPolicy,
} from '../../../../../shared/client/retention.ts';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { retentionPolicyQuery } from '../../api/retention.ts';
import { workspacePaths } from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Skeleton } from '../../components/loaded.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Section } from '../../components/page.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { formatCount } from '../../lib/words.ts';
import { useWorkspace } from './use-workspace.ts';

const TITLE = 'Edit the retention';

/** Shows how long old state versions are kept, and changes it. */
export const RetentionSection = () => {
  const { document, workspace } = useWorkspace();
  const owners = [workspace, firstIncluded(document, 'organizations')];
  // Without a policy, neither of the workspace nor of the organization, the response is 404 (RET-1).
  const isNone = owners.every((owner) => owner?.relationships['data-retention-policy']?.data === null);
  const policy = useQuery({ ...retentionPolicyQuery(workspace.id), enabled: !isNone });
  const [open, setOpen] = useState<'set' | 'remove'>();
  const missing = missingPermission(workspace.attributes.permissions, 'can-update');
  const found = isNone ? undefined : policy.data?.document.data;
  const isOwn = found?.relationships.target.data.type === 'workspaces';
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Retention"
      description="Old state versions can be deleted. The current version is always kept."
      actions={
        <>
          <OptionsMenu of="the retention" requests={[showRetentionPolicy(workspace.id)]} />
          <Button aria-label={TITLE} disabledReason={missing} onClick={() => setOpen('set')}>
            Edit
          </Button>
          {isOwn && (
            <Button disabledReason={missing} onClick={() => setOpen('remove')}>
              Remove the policy
            </Button>
          )}
        </>
      }
    >
      {policy.isLoading && <Skeleton lines={1} />}
      {policy.error !== null && !isNone && <ErrorNotice error={policy.error} onRetry={policy.refetch} />}
      {isNone && <p>All versions are kept.</p>}
      {found !== undefined && (
        <p>
          {found.type === 'data-retention-policy-dont-deletes'
            ? 'All versions are kept'
            : `Older versions are deleted after ${formatCount(found.attributes['delete-older-than-n-days'], 'day')}, with their content and for good`}
          {isOwn ? ' (policy of this workspace).' : ' (policy of the organization).'}
        </p>
      )}
      {open === 'set' &&
        (isNone ? (
          <PolicyDialog onClose={close} />
        ) : (
          <EditDialog title={TITLE} query={retentionPolicyQuery(workspace.id)} onClose={close}>
            {({ stored }) => <PolicyDialog policy={stored.document.data} onClose={close} />}
          </EditDialog>
        ))}
      {open === 'remove' && <RemoveDialog onClose={close} />}
    </Section>
  );
};

const useRetentionAction = (change: string, onClose: () => void) => {
  const { organization, name, workspace } = useWorkspace();
  return useDialogAction({
    invalidates: workspacePaths(organization, workspace),
    message: `${change} of the workspace ${name}.`,
    onClose,
  });
};

const choices = [
  { value: 'keep', label: 'Keep all versions' },
  { value: 'delete', label: 'Delete after a number of days' },
] as const;

type Policy = Schemas[`DataRetentionPolicy${'' | 'DeleteOlder' | 'DontDelete'}`];

interface PolicyDialogProps {
  /** Policy in force; undefined if there is none. */
  readonly policy?: Policy;
  readonly onClose: () => void;
}

/** Changes the retention policy. The form starts with the policy in force. */
const PolicyDialog = ({ policy, onClose }: PolicyDialogProps) => {
  const { workspace } = useWorkspace();
  const isInherited = policy?.relationships.target.data.type === 'organizations';
  const present =
    policy?.type === 'data-retention-policy-delete-olders' ? policy.attributes['delete-older-than-n-days'] : undefined;
  const inForce = present === undefined ? 'keep' : 'delete';
  const [choice, setChoice] = useState<(typeof choices)[number]['value']>(inForce);
  const [days, setDays] = useState(present?.toString() ?? '');
  const isSame = choice === inForce && (choice === 'keep' || Number(days) === present);
  const action = useRetentionAction('Changed the retention policy', onClose);
  return (
    <ActionDialog
      title={TITLE}
      description="Versions that are older than the new time are deleted within a day. They cannot be restored."
      submitLabel="Save"
      isDangerous={choice === 'delete'}
      action={action}
      request={setRetentionPolicy(workspace.id, choice === 'keep' ? undefined : Number(days))}
      isUnchanged={isSame && !isInherited}
      required={choice === 'keep' ? {} : { Days: days }}
      onClose={onClose}
    >
      <SelectField name="type" label="Old versions" value={choice} options={choices} onChange={setChoice} />
      {choice === 'delete' && (
        <TextField
          name="delete-older-than-n-days"
          label="Days"
          hint="From 1 to 36,500."
          type="number"
          value={days}
          onChange={setDays}
        />
      )}
    </ActionDialog>
  );
};

const RemoveDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { workspace } = useWorkspace();
  const action = useRetentionAction('Removed the retention policy', onClose);
  return (
    <ActionDialog
      title="Remove the policy"
      description="The policy of the organization applies then, if it has one. Otherwise all versions are kept."
      submitLabel="Remove"
      action={action}
      request={deleteRetentionPolicy(workspace.id)}
      onClose={onClose}
    />
  );
};
