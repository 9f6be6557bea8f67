import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Workspace } from '../../../../../shared/client/types.ts';
import {
  forceUnlockWorkspace,
  holderName,
  lockWorkspace,
  unlockWorkspace,
} from '../../../../../shared/client/workspaces.ts';
import { errorDetails } from '../../api/errors.ts';
import { accountQuery } from '../../api/organizations.ts';
import { useAction } from '../../api/use-action.ts';
import { type WorkspaceDocument, workspacePaths, workspaceQuery } from '../../api/workspaces.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { HolderLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { HIDDEN_HOLDER } from '../../lib/actor.ts';
import { missingPermission } from '../../lib/permissions.ts';
import { useAddressedDialog } from '../../lib/use-addressed-dialog.ts';

/** Whether the caller holds a lock. The token of a team does not say of which team, so it may hold the locks of teams. */
type Holding = 'own' | 'possibly-own' | 'foreign';

const kinds = { users: 'user', teams: 'team', runs: 'run' } as const;

/** Holder of a lock. */
interface LockHolder {
  readonly name: string;
  /** The name with the kind of the holder, or "you". */
  readonly label: string;
  /** Undefined as long as the user of the token is not known. */
  readonly holding: Holding | undefined;
}

/** Returns a function that describes the holder of the lock of a workspace. */
export const useLockHolders = () => {
  const account = useQuery({ ...accountQuery(), retry: false });
  return ({ relationships }: Workspace, name = HIDDEN_HOLDER): LockHolder => {
    const holder = relationships['locked-by'].data;
    if (holder === null) return { name, label: name, holding: 'foreign' };
    if (holder.id === account.data?.document.data.id) return { name, label: `${name} (you)`, holding: 'own' };
    const holding = account.isError && holder.type === 'teams' ? 'possibly-own' : 'foreign';
    return { name, label: `${name} (${kinds[holder.type]})`, holding: account.isPending ? undefined : holding };
  };
};

interface UnlockButtonsProps {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly holding: Holding | undefined;
  readonly onForceUnlock: () => void;
  /** Labels the buttons with the name of the workspace, where there are several. */
  readonly isInList?: boolean;
}

/** Shows what releases a lock: the holder unlocks it at once, everybody else needs to force-unlock it with a reason. */
export const UnlockButtons = ({ organization, workspace, holding, onForceUnlock, isInList }: UnlockButtonsProps) => {
  const { id } = workspace;
  const { permissions, name } = workspace.attributes;
  const action = useAction({
    invalidates: workspacePaths(organization, workspace),
    onDone: () => toast(unlockedMessage(name)),
  });
  useEffect(() => {
    if (action.error !== null) toast(errorDetails(action.error).join(' '), 'danger');
  }, [action.error]);
  const labelled = (label: string) => (isInList ? { 'aria-label': `${label} ${name}` } : { icon: 'unlocked' as const });
  return (
    <>
      {(holding === 'own' || holding === 'possibly-own') && (
        <Button
          {...labelled('Unlock')}
          look={isInList ? 'quiet' : 'secondary'}
          isPending={action.isPending}
          onClick={() => action.run(unlockWorkspace(id))}
          disabledReason={missingPermission(permissions, 'can-unlock')}
        >
          Unlock
        </Button>
      )}
      {(holding === 'foreign' || holding === 'possibly-own') && (
        <Button
          {...labelled('Force-unlock')}
          look={isInList ? 'quiet-danger' : 'secondary-danger'}
          onClick={onForceUnlock}
          disabledReason={missingPermission(permissions, 'can-force-unlock')}
        >
          Force-unlock
        </Button>
      )}
    </>
  );
};

const unlockedMessage = (name: string): string => `Unlocked the workspace ${name}.`;

/** Returns the facts of a lock that its holder has set: why it is held, and since when. */
const reasonAndAge = ({ attributes }: Workspace) =>
  [
    ['Reason', attributes['locked-reason'] || 'none given'],
    ['Since', attributes['locked-at'] === null ? 'unknown' : <Time key="at" value={attributes['locked-at']} isFull />],
  ] as const;

interface LockCardProps {
  readonly organization: string;
  readonly document: WorkspaceDocument;
}

/** Shows who holds the lock of a workspace, why and until when, and locks or unlocks it. */
export const LockCard = ({ organization, document }: LockCardProps) => {
  const workspace = document.data;
  const { attributes } = workspace;
  const [open, setOpen] = useState<'lock' | 'unlock' | 'force-unlock'>();
  const holder = useLockHolders()(workspace, holderName(document, workspace));
  const { label, holding } = holder;
  const missing = missingPermission(attributes.permissions, 'can-lock');
  const close = () => setOpen(undefined);
  useAddressedDialog(['lock', 'unlock'], (wanted) => {
    // A lock that has begun or ended meanwhile leaves nothing to do.
    if (wanted === 'lock') setOpen(attributes.locked ? undefined : 'lock');
    else if (attributes.locked) setOpen(holding === 'foreign' ? 'force-unlock' : 'unlock');
  });
  const dialog = { organization, workspace, onClose: close };
  return (
    <Section
      title={
        <span className="cluster">
          <Icon name={attributes.locked ? 'lock' : 'unlocked'} />
          {attributes.locked ? (
            <span>Locked by {holding === 'own' ? 'you' : <HolderLink workspace={workspace} {...holder} />}</span>
          ) : (
            'Not locked'
          )}
        </span>
      }
    >
      {attributes.locked && holding === 'foreign' && !attributes.permissions['can-force-unlock'] && (
        <p>Only {toVisible(label)} or an admin of the workspace can unlock it.</p>
      )}
      {attributes.locked ? (
        <Facts
          facts={[
            ...reasonAndAge(workspace),
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
        <p className="muted">Lock it so that nobody else can change its state.</p>
      )}
      <div className="cluster">
        {attributes.locked ? (
          <UnlockButtons
            organization={organization}
            workspace={workspace}
            holding={holding}
            onForceUnlock={() => setOpen('force-unlock')}
          />
        ) : (
          <Button icon="lock" onClick={() => setOpen('lock')} disabledReason={missing}>
            Lock
          </Button>
        )}
      </div>
      {open === 'lock' && <LockDialog {...dialog} />}
      {open === 'unlock' && <UnlockDialog {...dialog} />}
      {open === 'force-unlock' && <ForceUnlockDialog {...dialog} holder={holder} />}
    </Section>
  );
};

interface DialogProps {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

const useLockAction = ({ organization, workspace, onClose }: DialogProps, message: string) =>
  useDialogAction({ invalidates: workspacePaths(organization, workspace), message, onClose });

const leases = [
  { value: '', label: 'Until somebody unlocks it' },
  { value: '3600', label: 'For one hour' },
  { value: '14400', label: 'For four hours' },
  { value: '86400', label: 'For one day' },
] as const;

const LockDialog = (props: DialogProps) => {
  const { id, attributes } = props.workspace;
  const [reason, setReason] = useState('');
  const [lease, setLease] = useState<(typeof leases)[number]['value']>('');
  const action = useLockAction(props, `Locked the workspace ${attributes.name}.`);
  return (
    <ActionDialog
      title={`Lock “${attributes.name}”`}
      description="While you hold the lock, nobody else can change its state."
      submitLabel="Lock"
      action={action}
      request={lockWorkspace(id, reason, lease === '' ? undefined : Number(lease))}
      onClose={props.onClose}
    >
      <TextField
        name="reason"
        label="Reason"
        hint="Everyone who can see the workspace can read it."
        isOptional
        value={reason}
        onChange={setReason}
        autoFocus
      />
      <SelectField name="lease-seconds" label="Duration" value={lease} options={leases} onChange={setLease} />
    </ActionDialog>
  );
};

/** Confirms that a lock is released. An address that opens it must not change anything by itself. */
const UnlockDialog = (props: DialogProps) => {
  const { id, attributes } = props.workspace;
  const action = useLockAction(props, unlockedMessage(attributes.name));
  return (
    <ActionDialog
      title={`Unlock “${attributes.name}”`}
      description="Others can lock it and change its state afterwards."
      submitLabel="Unlock"
      action={action}
      request={unlockWorkspace(id)}
      onClose={props.onClose}
    />
  );
};

type HeldProps = DialogProps & { readonly holder: LockHolder };

/** Time after which the lock is read again, in milliseconds. */
const LOCK_AGE = 5_000;

/**
 * Returns the present lock, and whether it is another lock than the page shows. The page may be old, and the release of a
 * lock names no holder: it releases any.
 */
const usePresentLock = ({ organization, workspace: shown, holder: shownHolder }: HeldProps) => {
  const [opened] = useState(shown.attributes['locked-at']);
  const holderOf = useLockHolders();
  const { data, isFetchedAfterMount } = useQuery({
    ...workspaceQuery(organization, shown.attributes.name),
    refetchOnMount: 'always',
    refetchInterval: LOCK_AGE,
  });
  if (data === undefined || !isFetchedAfterMount) return { workspace: shown, holder: shownHolder, isOther: false };
  const workspace = data.document.data;
  const { locked, 'locked-at': at } = workspace.attributes;
  const holder = locked ? holderOf(workspace, holderName(data.document, workspace)) : shownHolder;
  return { workspace, holder, isOther: locked && at !== opened };
};

/** Releases the lock of any holder, with a reason. */
export const ForceUnlockDialog = (props: HeldProps) => {
  const { workspace, holder, isOther } = usePresentLock(props);
  const { id, attributes } = workspace;
  const [reason, setReason] = useState('');
  const action = useLockAction(props, `Force-unlocked the workspace ${attributes.name}.`);
  return (
    <ActionDialog
      title={`Force-unlock “${attributes.name}”`}
      description={`The holder “${holder.name}” loses the lock, even in the middle of a change. A run that still works on the state can then conflict with other changes.`}
      submitLabel="Force-unlock"
      isDangerous
      action={action}
      request={forceUnlockWorkspace(id, reason)}
      required={{ 'Your reason': reason }}
      disabledReason={attributes.locked ? undefined : 'The workspace is not locked any more.'}
      onClose={props.onClose}
    >
      {isOther && (
        <Notice kind="warning" isLive title="This is another lock">
          <p>The one that you wanted to release has ended meanwhile.</p>
        </Notice>
      )}
      <Facts
        facts={attributes.locked ? [['Held by', holder.label], ...reasonAndAge(workspace)] : [['Held by', 'nobody']]}
      />
      <TextField
        name="reason"
        label="Your reason"
        isRequired
        hint="The history of the workspace shows it."
        value={reason}
        onChange={setReason}
        autoFocus
      />
    </ActionDialog>
  );
};
