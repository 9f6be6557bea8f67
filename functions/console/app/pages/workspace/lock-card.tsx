import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../api/organizations.ts';
import {
  forceUnlockWorkspace,
  holderName,
  lockWorkspace,
  unlockWorkspace,
  type WorkspaceDocument,
  workspacePaths,
} from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { missingPermission } from '../../lib/permissions.ts';

interface LockCardProps {
  readonly organization: string;
  readonly document: WorkspaceDocument;
}

const kinds = { users: 'user', teams: 'team', runs: 'run' } as const;

/** Shows who holds the lock of a workspace, why and until when, and locks or unlocks it. */
export const LockCard = ({ organization, document }: LockCardProps) => {
  const [open, setOpen] = useState<'lock' | 'unlock' | 'force-unlock'>();
  const account = useQuery({ ...accountQuery(), retry: false });
  const workspace = document.data;
  const { attributes, relationships } = workspace;
  const { permissions } = attributes;
  const holder = relationships['locked-by'].data;
  const name = holderName(document, workspace) ?? '';
  const isOwn = holder !== null && holder.id === account.data?.document.data.id;
  const close = () => setOpen(undefined);
  const dialog = { organization, document, onClose: close };

  const isUnknown = account.isPending || holder?.type === 'teams';
  const othersLock = isOwn || isUnknown ? undefined : `Only ${name} can unlock it.`;
  return (
    <Section
      title={
        <span className="cluster">
          <Icon name={attributes.locked ? 'lock' : 'unlocked'} />
          {attributes.locked ? `Locked by ${name}` : 'Not locked'}
        </span>
      }
      actions={
        attributes.locked ? (
          <>
            <Button
              onClick={() => setOpen('unlock')}
              disabledReason={missingPermission(permissions, 'can-unlock') ?? othersLock}
            >
              Unlock
            </Button>
            <Button
              onClick={() => setOpen('force-unlock')}
              disabledReason={missingPermission(permissions, 'can-force-unlock')}
            >
              Force-unlock
            </Button>
          </>
        ) : (
          <Button
            icon="lock"
            onClick={() => setOpen('lock')}
            disabledReason={missingPermission(permissions, 'can-lock')}
          >
            Lock
          </Button>
        )
      }
    >
      {attributes.locked ? (
        <Facts
          facts={[
            ['Holder', holder === null ? name : `${name} (${isOwn ? 'you' : kinds[holder.type]})`],
            ['Reason', attributes['locked-reason'] || 'none given'],
            [
              'Since',
              attributes['locked-at'] === null ? 'unknown' : <Time key="at" value={attributes['locked-at']} isFull />,
            ],
            [
              'Expires',
              attributes['lock-expires-at'] === null ? (
                'never'
              ) : (
                <Time key="expiry" value={attributes['lock-expires-at']} isFull />
              ),
            ],
          ]}
        />
      ) : (
        <p className="muted">Anyone with the permission can change the state of this workspace.</p>
      )}
      {open === 'lock' && <LockDialog {...dialog} />}
      {open === 'unlock' && <UnlockDialog {...dialog} />}
      {open === 'force-unlock' && <ForceUnlockDialog {...dialog} holder={name} />}
    </Section>
  );
};

type DialogProps = LockCardProps & { readonly onClose: () => void };

const useLockAction = ({ organization, document, onClose }: DialogProps, message: string) =>
  useDialogAction({ invalidates: workspacePaths(organization, document.data), message, onClose });

const leases = [
  { value: '', label: 'Until somebody unlocks it' },
  { value: '3600', label: 'For one hour' },
  { value: '14400', label: 'For four hours' },
  { value: '86400', label: 'For one day' },
] as const;

const LockDialog = (props: DialogProps) => {
  const { id, attributes } = props.document.data;
  const [reason, setReason] = useState('');
  const [lease, setLease] = useState<(typeof leases)[number]['value']>('');
  const action = useLockAction(props, `Locked ${attributes.name}.`);
  return (
    <ActionDialog
      title={`Lock ${attributes.name}`}
      description="While you hold the lock, nobody else can change its state."
      submitLabel="Lock"
      action={action}
      request={lockWorkspace(id, reason, lease === '' ? undefined : Number(lease))}
      fields={['reason', 'lease-seconds']}
      onClose={props.onClose}
    >
      <TextField
        name="reason"
        label="Reason"
        hint="Everybody who can see the workspace reads it."
        isOptional
        value={reason}
        onChange={setReason}
        autoFocus
      />
      <SelectField name="lease-seconds" label="Duration" value={lease} options={leases} onChange={setLease} />
    </ActionDialog>
  );
};

const UnlockDialog = (props: DialogProps) => {
  const { id, attributes } = props.document.data;
  const action = useLockAction(props, `Unlocked ${attributes.name}.`);
  return (
    <ActionDialog
      title={`Unlock ${attributes.name}`}
      description="Others can lock it and change its state afterwards."
      submitLabel="Unlock"
      action={action}
      request={unlockWorkspace(id)}
      onClose={props.onClose}
    />
  );
};

/** Releases the lock of any holder, with a reason. */
export const ForceUnlockDialog = (props: DialogProps & { readonly holder: string }) => {
  const { id, attributes } = props.document.data;
  const [reason, setReason] = useState('');
  const action = useLockAction(props, `Released the lock of ${props.holder} on ${attributes.name}.`);
  return (
    <ActionDialog
      title={`Force-unlock ${attributes.name}`}
      description={`${props.holder} loses the lock, even in the middle of a change. A run that still works on the state can then conflict with other changes.`}
      submitLabel="Force-unlock"
      isDangerous
      action={action}
      request={forceUnlockWorkspace(id, reason)}
      fields={['reason']}
      disabledReason={reason.trim() === '' ? 'Give a reason first.' : undefined}
      onClose={props.onClose}
    >
      <TextField
        name="reason"
        label="Reason"
        hint="The history of the workspace shows it."
        value={reason}
        onChange={setReason}
        autoFocus
      />
    </ActionDialog>
  );
};
