import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  forceDeleteWorkspace,
  previewSafeDelete,
  safeDeleteWorkspace,
} from '../../../../../shared/client/workspaces.ts';
import { consumersQuery } from '../../api/consumers.ts';
import { restorableDaysQuery } from '../../api/deleted-workspaces.ts';
import { apiQuery, queryKeyOf } from '../../api/query-client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useRevision } from '../../components/changed-meanwhile.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { toastOnNextPage } from '../../components/toast.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { forgetPage } from '../../lib/recent-pages.ts';
import { formatCount } from '../../lib/words.ts';
import './delete-section.css';
import { useReload, useWorkspace } from './use-workspace.ts';

/** Returns a sentence that says for how long the workspace can be restored; empty until that is known. */
const useRestoration = (): string => {
  const { organization } = useWorkspace();
  const days = useQuery(restorableDaysQuery(organization)).data?.document.meta['restorable-days'];
  if (days === undefined) return '';
  return days === 0
    ? 'Nobody can restore it afterwards.'
    : `You can restore the workspace for ${formatCount(days, 'day')} on the page Deleted workspaces.`;
};

/** Reads the first page of the workspaces that read the state of this one. */
const useReaders = () => {
  const { workspace } = useWorkspace();
  const { data, isLoading } = useQuery(consumersQuery(workspace.id, 1));
  return {
    readers: data,
    // Nobody deletes a workspace before the warning about its readers can be shown.
    waiting: isLoading ? 'Looking for workspaces that read its state.' : undefined,
  };
};

/** Names the workspaces whose runs lose the state that they read: some of them, because there can be thousands. */
const LostReaders = ({ data }: { readonly data: ReturnType<typeof useReaders>['readers'] }) => {
  if (data === undefined || data.document.data.length === 0) return null;
  const { data: readers, meta } = data.document;
  const names = readers.slice(0, 3).map(({ attributes }) => attributes.name);
  const others = meta.pagination['total-count'] - names.length;
  return (
    <Notice kind="warning" isLive title="Other workspaces read its state">
      <p>
        {toVisible([...names, ...(others > 0 ? [`${others.toLocaleString()} more`] : [])].join(', '))}. Their runs
        cannot read it afterwards.
      </p>
    </Notice>
  );
};

/** Deletes a workspace: safely, or whatever it manages. */
export const DeleteSection = () => {
  const { workspace } = useWorkspace();
  const [open, setOpen] = useState<'safe' | 'force'>();
  const { permissions, 'deletion-protection': isProtected } = workspace.attributes;
  const guarded = isProtected ? 'It is protected against deletion. Lift the protection above first.' : undefined;
  const unsafe = missingPermission(permissions, 'can-destroy') ?? guarded;
  const unforced = missingPermission(permissions, 'can-force-delete') ?? guarded;
  const close = () => setOpen(undefined);
  return (
    <Section title="Delete" description={useRestoration()}>
      <ul className="deletions">
        <li>
          <div>
            <h3>Only if nothing is lost</h3>
            <p className="muted">The workspace has to be unlocked, and to manage no resources.</p>
          </div>
          <Button onClick={() => setOpen('safe')} disabledReason={unsafe}>
            Delete safely
          </Button>
        </li>
        <li>
          <div>
            <h3>Even if it is locked or manages resources</h3>
            <p className="muted">The resources continue to exist, and nothing manages them any more.</p>
          </div>
          <Button look="danger" onClick={() => setOpen('force')} disabledReason={unforced}>
            Force delete
          </Button>
        </li>
      </ul>
      {open === 'safe' && <SafeDeleteDialog onClose={close} />}
      {open === 'force' && <ForceDeleteDialog onClose={close} />}
    </Section>
  );
};

const useDeleteAction = () => {
  const { organization, name } = useWorkspace();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const restoration = useRestoration();
  const list = `/organizations/${organization}/workspaces`;
  return useAction({
    invalidates: [`/organizations/${organization}/deleted-workspaces`],
    onDone: async () => {
      toastOnNextPage(`Deleted the workspace ${name}. ${restoration}`);
      forgetPage([organization, 'workspaces', name]);
      await navigate({ to: '/$organization/workspaces', params: { organization } });
      // Not earlier: the page of the workspace would look for it again.
      queryClient.removeQueries({ queryKey: queryKeyOf(`${list}/${name}`) });
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(list) });
    },
  });
};

/** Returns the revision that the user has opened, and what somebody else has changed since then. */
const useOpenedRevision = (error: unknown) => {
  const { reply } = useWorkspace();
  const [opened] = useState(reply);
  return useRevision(opened, error, useReload());
};

const SafeDeleteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { name, workspace } = useWorkspace();
  const action = useDeleteAction();
  const { base, changes } = useOpenedRevision(action.error);
  const restoration = useRestoration();
  const { readers, waiting } = useReaders();
  const preview = useQuery({ ...apiQuery(previewSafeDelete(workspace.id)), staleTime: 0, gcTime: 0 });
  const refusal = preview.data?.document?.data.attributes.refusal;
  return (
    <ActionDialog
      title={`Delete “${name}” safely`}
      // A refusal says by itself what is required.
      description={
        refusal == null ? `It is deleted only if it is unlocked and manages no resources. ${restoration}` : undefined
      }
      submitLabel="Delete safely"
      isDangerous
      action={action}
      request={safeDeleteWorkspace(workspace.id, base?.etag)}
      changes={changes}
      disabledReason={refusal == null ? waiting : 'It cannot be deleted now.'}
      onClose={onClose}
    >
      {refusal != null && action.error === null && (
        <Notice kind="warning" isLive title="It cannot be deleted now">
          <Obstacles otherwise={refusal.detail ?? refusal.title} />
        </Notice>
      )}
      <LostReaders data={readers} />
    </ActionDialog>
  );
};

/** Lists everything that prevents a safe deletion. The service reports only the first obstacle. */
const Obstacles = ({ otherwise }: { readonly otherwise: string | undefined }) => {
  const { organization, name, workspace } = useWorkspace();
  const { locked, 'resource-count': resources } = workspace.attributes;
  if (!locked && resources === 0) return <p>{otherwise}</p>;
  return (
    <ul>
      {locked && (
        <li>
          It is locked. Unlock it on its{' '}
          <Link to="/$organization/workspaces/$workspace" params={{ organization, workspace: name }}>
            overview
          </Link>
          .
        </li>
      )}
      {resources > 0 && (
        <li>It manages {formatCount(resources, 'resource')}. Destroy them first, for example by terraform destroy.</li>
      )}
    </ul>
  );
};

const ForceDeleteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { name, workspace } = useWorkspace();
  const action = useDeleteAction();
  const { base, changes } = useOpenedRevision(action.error);
  const { readers, waiting } = useReaders();
  const restoration = useRestoration();
  const resources = workspace.attributes['resource-count'];
  return (
    <ActionDialog
      title={`Force delete “${name}”`}
      description={`Deletes the workspace with its state, variables, runs and history, even if it is locked. It manages ${formatCount(resources, 'resource')}: they continue to exist, and nothing manages them any more. ${restoration}`}
      submitLabel="Force delete"
      isDangerous
      confirmName={name}
      action={action}
      request={forceDeleteWorkspace(workspace.id, base?.etag)}
      changes={changes}
      disabledReason={waiting}
      onClose={onClose}
    >
      <LostReaders data={readers} />
    </ActionDialog>
  );
};
