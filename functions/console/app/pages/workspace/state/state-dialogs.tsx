import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useRef } from 'react';
import { countChanges, type ResourceChange } from '../../../../../../shared/client/compare-states.ts';
import { downloadState, type StateVersion } from '../../../../../../shared/client/state-versions.ts';
import { holderName } from '../../../../../../shared/client/workspaces.ts';
import { queryKeyOf } from '../../../api/query-client.ts';
import { stateVersionQuery } from '../../../api/state-versions.ts';
import { workspacePaths } from '../../../api/workspaces.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ChangedValue } from '../../../components/changes.tsx';
import { Curl } from '../../../components/curl.tsx';
import { Dialog, DialogActions, DialogBody } from '../../../components/dialog.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { Time } from '../../../components/time.tsx';
import { toast } from '../../../components/toast.tsx';
import { missingPermission } from '../../../lib/permissions.ts';
import { formatCount } from '../../../lib/words.ts';
import { useLockHolders } from '../lock-card.tsx';
import { useWorkspace } from '../use-workspace.ts';

import './state-dialogs.css';
import { toVisible } from '../../../components/visible-text.tsx';
import { rollBack, rollbackSteps } from './roll-back.ts';
import { ReadResult, useStateContent } from './state-content.tsx';
import { useShown } from './use-shown.tsx';
import { useStateJob } from './use-state-job.ts';
import { Creator, useCreatorNames } from './version-parts.tsx';

/** Largest state that the page reads, in bytes. */
const LARGEST = 20_000_000;

/** Returns why a version cannot be read, if that is known. */
export const unreadable = (version: StateVersion | undefined): string | undefined => {
  if (version === undefined) return undefined;
  const { status, size } = version.attributes;
  if (status !== 'finalized') return 'Its content is not available.';
  return (size ?? 0) > LARGEST ? 'It has more than 20 MB. Download it instead.' : undefined;
};

interface ComparisonProps {
  /** Id of a state version. */
  readonly older: string;
  readonly newer: string;
  /** Opens the rollback to the older version, if the newer one is current. */
  readonly onRollBack: ((version: StateVersion) => void) | undefined;
  readonly onClose: () => void;
}

/** Loads two state versions, which may be on different pages of the list, and shows what differs between them. */
export const Comparison = ({ older, newer, ...actions }: ComparisonProps) => {
  const [old, current] = [useQuery(stateVersionQuery(older)), useQuery(stateVersionQuery(newer))];
  const error = old.error ?? current.error;
  if (error !== null) {
    return (
      <Dialog title="The state versions cannot be compared" onClose={actions.onClose}>
        <DialogBody>
          <ErrorNotice error={error} />
        </DialogBody>
      </Dialog>
    );
  }
  if (old.data === undefined || current.data === undefined) return null;
  return <CompareDialog older={old.data.document.data} newer={current.data.document.data} {...actions} />;
};

interface CompareDialogProps extends Pick<ComparisonProps, 'onRollBack' | 'onClose'> {
  readonly older: StateVersion;
  readonly newer: StateVersion;
}

/** Shows the resources that differ between two state versions. */
const CompareDialog = ({ older, newer, onRollBack, onClose }: CompareDialogProps) => (
  <Dialog
    title={`Changes from state version ${older.attributes.serial} to ${newer.attributes.serial}`}
    description="Values that providers mark as sensitive are not shown."
    size="medium"
    onClose={onClose}
  >
    <DialogBody>
      <Difference from={older} to={newer} onStop={onClose} />
    </DialogBody>
    <DialogActions>
      <Curl requests={[downloadState(older.id), downloadState(newer.id)]} />
      {onRollBack !== undefined && (
        <Button onClick={() => onRollBack(older)}>Roll back to version {older.attributes.serial}…</Button>
      )}
    </DialogActions>
  </Dialog>
);

interface RollbackDialogProps {
  /** Id of the current version. */
  readonly current: string;
  /** The version to roll back to. */
  readonly version: StateVersion;
  readonly onClose: () => void;
}

/** Shows what a rollback changes by resource, and rolls back: under a lock, which it takes and releases. */
export const RollbackDialog = ({ current, version, onClose }: RollbackDialogProps) => {
  const { organization, workspace, document } = useWorkspace();
  const present = useQuery(stateVersionQuery(current));
  const holder = useLockHolders()(workspace, holderName(document, workspace));
  const names = useCreatorNames([version]);
  const queryClient = useQueryClient();
  // `isPending` is rendered too late for the second of two quick clicks.
  const isRunning = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => rollBack(workspace, current, version.id),
    onSuccess: (isReleased) => {
      const done = `Rolled back to state version ${version.attributes.serial}.`;
      if (isReleased) toast(done);
      else toast(`${done} The lock could not be released, and ends in ten minutes.`, 'danger');
      onClose();
    },
    onSettled: () => {
      isRunning.current = false;
      return Promise.all(
        [...workspacePaths(organization, workspace), '/state-versions'].map((path) =>
          queryClient.invalidateQueries({ queryKey: queryKeyOf(path) }),
        ),
      );
    },
  });
  const start = () => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutate();
  };
  const { attributes } = workspace;
  const blocked = attributes.locked && holder.holding === 'foreign' ? `Locked by ${holder.label}.` : undefined;
  const reason =
    missingPermission(attributes.permissions, 'can-create-state-versions') ??
    missingPermission(attributes.permissions, 'can-lock') ??
    blocked;
  const { begin, change, end } = rollbackSteps(workspace, version.id);
  const shown = present.data?.document.data;
  return (
    <Dialog
      title={`Roll back to state version ${version.attributes.serial}`}
      description="The content of this version becomes the current state. The next run compares it with the infrastructure, which stays as it is."
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        {error !== null && <ErrorNotice error={error} />}
        {present.error !== null && <ErrorNotice error={present.error} />}
        {blocked !== undefined && <Notice kind="warning">{toVisible(blocked)}</Notice>}
        <p className="muted">
          Version {version.attributes.serial} was created <Time value={version.attributes['created-at']} isFull /> by{' '}
          <Creator version={version} names={names} />.
        </p>
        {shown !== undefined &&
          (unreadable(shown) === undefined && unreadable(version) === undefined ? (
            <Difference key={current} from={shown} to={version} onStop={onClose} />
          ) : (
            <Notice kind="warning">The versions are too large to be compared here.</Notice>
          ))}
      </DialogBody>
      <DialogActions>
        <Curl requests={[begin, change, ...(end === undefined ? [] : [end])]} />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isPending={isPending} disabledReason={reason} onClick={start}>
          Roll back
        </Button>
      </DialogActions>
    </Dialog>
  );
};

interface DifferenceProps {
  readonly from: StateVersion;
  readonly to: StateVersion;
  readonly onStop: () => void;
}

/** Compares the contents of two state versions, as soon as both are given. */
export const useComparison = (from: StateVersion | undefined, to: StateVersion | undefined) => {
  const [old, current] = [useStateContent(from), useStateContent(to)];
  return { contents: [old, current], result: useStateJob(old.data && current.data && [old.data, current.data]) };
};

/** Shows what differs between two state versions. */
const Difference = ({ from, to, onStop }: DifferenceProps) => {
  const comparison = useComparison(from, to);
  return (
    <ReadResult {...comparison} onStop={onStop}>
      {(found) => 'changes' in found && <Changes changes={found.changes} />}
    </ReadResult>
  );
};

const kinds = { added: 'success', removed: 'danger', changed: 'info' } as const;

const Changes = ({ changes }: { readonly changes: readonly ResourceChange[] }) => {
  if (changes.length === 0) return <p role="status">All resources and outputs are equal.</p>;
  const { outputs, ...counts } = countChanges(changes);
  return (
    <>
      <p role="status">
        {Object.entries(counts).map(([kind, count], index) => (
          <Fragment key={kind}>
            {index > 0 && ', '}
            <span className={count === 0 ? 'muted' : undefined}>{`${count.toLocaleString()} ${kind}`}</span>
          </Fragment>
        ))}
        {outputs > 0 && ` · ${formatCount(outputs, 'output')}`}
      </p>
      <ChangeList changes={changes} />
    </>
  );
};

/** Shows the resources and outputs that differ, with their attributes. */
export const ChangeList = ({ changes }: { readonly changes: readonly ResourceChange[] }) => {
  const { shown, more } = useShown(changes);
  return (
    <>
      <ul className="state-changes">
        {shown.map(({ address, kind, attributes }) => (
          <li key={address}>
            <div className="state-change">
              <Badge kind={kinds[kind]}>{kind}</Badge> <code>{toVisible(address)}</code>
            </div>
            {kind === 'changed' ? (
              <ChangedAttributes attributes={attributes} />
            ) : (
              attributes.length > 0 && (
                <details>
                  <summary>{formatCount(attributes.length, 'attribute')}</summary>
                  <ChangedAttributes attributes={attributes} />
                </details>
              )
            )}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

/** Number of attributes of a resource that are shown first. */
const FIRST_ATTRIBUTES = 20;

const ChangedAttributes = ({ attributes }: Pick<ResourceChange, 'attributes'>) => {
  const { shown, more } = useShown(attributes, FIRST_ATTRIBUTES);
  return (
    <>
      <ul className="changes">
        {shown.map(({ name, old, new: current }) =>
          old === undefined ? (
            <li key={name}>
              <span className="changes-name">{toVisible(name)}</span> <span className="muted">changed (sensitive)</span>
            </li>
          ) : (
            <ChangedValue key={name} name={name} old={old} new={current} />
          ),
        )}
      </ul>
      {more}
    </>
  );
};
