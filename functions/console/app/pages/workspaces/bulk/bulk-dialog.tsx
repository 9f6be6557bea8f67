import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../../../../shared/client/errors.ts';
import type { WorkspaceListQuery } from '../../../../../../shared/client/workspaces.ts';
import { errorDetails } from '../../../api/errors.ts';
import { accountQuery } from '../../../api/organizations.ts';
import { sendPatiently, type UnansweredKeys } from '../../../api/send.ts';
import { loadWorkspacePage, PAGE_SIZE, type WorkspaceRow } from '../../../api/workspaces.ts';
import { Badge, type BadgeKind } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Changes } from '../../../components/changes.tsx';
import { Curl } from '../../../components/curl.tsx';
import { Dialog, DialogActions, DialogBody } from '../../../components/dialog.tsx';
import { CheckboxField, Form } from '../../../components/form.tsx';
import { Icon } from '../../../components/icon.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { ProgressBar } from '../../../components/progress-bar.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import { type Progress, runAll } from '../../../lib/run-all.ts';
import { formatCount } from '../../../lib/words.ts';
import { isSelected, type Selection, selectionSize } from '../selection.ts';
import { useUnused } from '../use-unused.ts';
import {
  type BulkAction,
  type BulkActionName,
  type BulkInput,
  bulkActions,
  emptyInput,
  type Preview,
} from './actions.ts';
import { BulkFields } from './bulk-fields.tsx';
import './bulk-dialog.css';

/** One workspace of the selection: first its preview, then the result. */
interface Item {
  readonly row: WorkspaceRow;
  readonly preview: Preview | undefined;
  readonly result: 'done' | 'failed' | undefined;
  readonly reason: string | undefined;
}

type Phase = 'input' | 'previewing' | 'previewed' | 'applying' | 'applied';

interface BulkDialogProps {
  readonly organization: string;
  readonly query: WorkspaceListQuery;
  readonly total: number;
  readonly selection: Selection;
  readonly name: BulkActionName;
  readonly onClose: () => void;
}

/** Does one action on several workspaces: input, preview of every change, progress, and a result for each workspace. */
export const BulkDialog = ({ organization, query, total, selection, name, onClose }: BulkDialogProps) => {
  const queryClient = useQueryClient();
  const action: BulkAction = bulkActions[name];
  const account = useQuery({ ...accountQuery(), retry: false, enabled: name === 'unlock' });
  const caller = account.data?.document.data.id;
  const [input, setInput] = useState<BulkInput>(emptyInput);
  const [phase, setPhase] = useState<Phase>('input');
  const [items, setItems] = useState<readonly Item[]>([]);
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<unknown>();
  // Leaves out the workspaces with warnings.
  const [isCautious, setCautious] = useState(false);
  const isStopped = useRef(false);
  // A request whose response was lost is continued with its key, so that it is executed once.
  const unanswered = useRef<UnansweredKeys>(new Map());
  const missing = action.missing(input);
  const isLeftOut = (item: Item) => isCautious && isWarned(item);
  const chosen = items.filter((item) => item.preview?.outcome === 'changed' && !isLeftOut(item));
  const changing = chosen.filter(({ result }) => result !== 'done');

  const stop = useCallback(() => {
    isStopped.current = true;
  }, []);
  // Nobody would see what happens after the page was left.
  useEffect(() => stop, [stop]);
  const isWorking = phase === 'previewing' || phase === 'applying';
  const close = () => {
    stop();
    // The results stay until the user closes the dialog again.
    if (phase !== 'applying') onClose();
  };

  const loadSelected = async (): Promise<readonly WorkspaceRow[]> => {
    if (!selection.isAll) return [...selection.rows.values()];
    const pages = Array.from({ length: Math.ceil(total / PAGE_SIZE) }, (_, index) => index + 1);
    const rows = new Map<string, WorkspaceRow>();
    const load = async (page: number) => {
      const loaded = await loadWorkspacePage(organization, query, page);
      for (const row of loaded.rows) rows.set(row.workspace.id, row);
    };
    await runAll(pages, load, () => isStopped.current, setProgress);
    return [...rows.values()].filter((row) => isSelected(selection, row));
  };

  const preview = async () => {
    if (missing !== undefined || isWorking) return;
    isStopped.current = false;
    setPhase('previewing');
    setError(undefined);
    try {
      const rows = await loadSelected();
      const previews = new Map<string, Preview>();
      const work = async (row: WorkspaceRow) => {
        const result = await Promise.resolve(action.preview(row, input, caller)).catch(
          (cause): Preview => ({ outcome: 'refused', changes: [], reason: errorDetails(cause).join(' ') }),
        );
        previews.set(row.workspace.id, result);
      };
      await runAll(rows, work, () => isStopped.current, setProgress);
      if (isStopped.current) return setPhase('input');
      const previewed = rows.map((row) => {
        const preview = previews.get(row.workspace.id);
        return { row, preview, result: undefined, reason: undefined };
      });
      const withOutcome = (wanted: Preview['outcome']) =>
        previewed.filter(({ preview }) => preview?.outcome === wanted);
      setItems([...withOutcome('changed'), ...withOutcome('refused'), ...withOutcome('unchanged')]);
      setCautious(false);
      setPhase('previewed');
    } catch (cause) {
      setError(cause);
      setPhase('input');
    }
  };

  const apply = async () => {
    if (isWorking) return;
    isStopped.current = false;
    setPhase('applying');
    const results = new Map<string, Pick<Item, 'result' | 'reason'>>();
    const work = async ({ row }: Item) => {
      try {
        for (const request of action.requests(row, input)) await sendPatiently(request, unanswered.current);
        results.set(row.workspace.id, { result: 'done', reason: undefined });
      } catch (cause) {
        results.set(row.workspace.id, { result: 'failed', reason: errorDetails(cause).join(' ') });
        // All others would fail until the user has signed in again.
        if (cause instanceof ApiError && cause.status === 401) stop();
      }
      setItems((former) => former.map((item) => ({ ...item, ...results.get(item.row.workspace.id) })));
    };
    await runAll(changing, work, () => isStopped.current, setProgress);
    setItems((former) => former.toSorted((a, b) => orderOf(a) - orderOf(b)));
    setPhase('applied');
    await queryClient.invalidateQueries();
  };

  const unused = useUnused(organization, phase === 'previewed' ? (action.sought?.(input) ?? []) : []);
  const warned = items.filter(isWarned).length;
  const changes = formatCount(changing.length, 'workspace');
  const labels: Readonly<Record<Phase, string>> = {
    input: 'Preview',
    previewing: 'Preview',
    previewed: `Change ${changes}`,
    applying: `Change ${changes}`,
    applied: `Continue with ${changes}`,
  };
  const isIdle = phase === 'previewed' && changing.length === 0;
  const blocker = isIdle ? 'Nothing would change.' : phase === 'input' ? missing : undefined;

  const count = (isCounted: (item: Item) => boolean) => items.filter(isCounted).length;
  return (
    <Dialog
      title={`${action.label}: ${formatCount(selectionSize(selection, total), 'workspace')}`}
      size="medium"
      onClose={close}
    >
      <Form error={undefined} onSubmit={phase === 'input' ? preview : apply}>
        <DialogBody>
          {error !== undefined && <ErrorNotice error={error} />}
          {phase === 'input' && (
            <BulkFields name={name} organization={organization} input={input} onChange={setInput} />
          )}
          {isWorking && progress !== undefined && (
            <ProgressBar label={phase === 'applying' ? 'Changing' : 'Preparing the preview'} {...progress} />
          )}
          {phase === 'previewed' && (
            <Counts
              counts={[
                [
                  changing.length,
                  warned > 0 && !isCautious ? `will change (${warned.toLocaleString()} with warnings)` : 'will change',
                ],
                [count(isLeftOut), 'left out'],
                [count(({ preview }) => preview?.outcome === 'unchanged'), 'unchanged'],
                [count(({ preview }) => preview?.outcome === 'refused'), 'cannot be changed'],
              ]}
            />
          )}
          {phase === 'previewed' && warned > 0 && (
            <CheckboxField
              name="isCautious"
              label={`Leave out ${warned === 1 ? 'the workspace' : `the ${warned.toLocaleString()} workspaces`} with warnings`}
              isChecked={isCautious}
              onChange={setCautious}
            />
          )}
          {phase === 'previewed' && unused.length > 0 && (
            <Notice kind="warning">
              {unused.map((sentence) => (
                <p key={sentence}>{toVisible(sentence)}</p>
              ))}
            </Notice>
          )}
          {(phase === 'applying' || phase === 'applied') && (
            <Counts
              counts={[
                [count(({ result }) => result === 'done'), 'done'],
                [count(({ result }) => result === 'failed'), 'failed'],
                [
                  chosen.filter(({ result }) => result === undefined).length,
                  phase === 'applied' ? 'not started' : 'waiting',
                ],
                [count(isLeftOut), 'left out'],
              ]}
            />
          )}
          {phase !== 'input' && phase !== 'previewing' && <Items items={items} isLeftOut={isLeftOut} />}
        </DialogBody>
        <DialogActions>
          {phase !== 'input' && phase !== 'previewing' && (
            <Curl requests={chosen.flatMap(({ row }) => action.requests(row, input))} />
          )}
          {isWorking && <Button onClick={stop}>Stop</Button>}
          {phase === 'input' && <Button onClick={close}>Cancel</Button>}
          {phase === 'previewed' && <Button onClick={() => setPhase('input')}>Back</Button>}
          {phase === 'applied' && <Button onClick={close}>Close</Button>}
          {/* One button for all steps, so that it keeps the focus. */}
          {(phase !== 'applied' || changing.length > 0) && (
            <Button type="submit" look="primary" isPending={isWorking} disabledReason={blocker}>
              {labels[phase]}
            </Button>
          )}
        </DialogActions>
      </Form>
    </Dialog>
  );
};

/** Shows how many workspaces have which outcome. The first count is shown even if it is 0. */
const Counts = ({ counts }: { readonly counts: readonly (readonly [count: number, outcome: string])[] }) => (
  <p role="status">
    {counts
      .filter(([count], index) => index === 0 || count > 0)
      .map(([count, outcome], index) => (
        <Fragment key={outcome}>
          {index > 0 && ', '}
          <strong>{count.toLocaleString()}</strong> {outcome}
        </Fragment>
      ))}
    .
  </p>
);

/** Returns whether an item would change, with warnings. */
const isWarned = ({ preview }: Item): boolean => preview?.outcome === 'changed' && (preview.warnings ?? []).length > 0;

/** Orders the results: failures first, then what has not been changed, then what is done. */
const orderOf = ({ result }: Item): number => (result === 'failed' ? 0 : result === 'done' ? 2 : 1);

const statusOf = ({ preview, result }: Item): { readonly kind: BadgeKind; readonly label: string } => {
  if (result === 'done') return { kind: 'success', label: 'done' };
  if (result === 'failed') return { kind: 'danger', label: 'failed' };
  if (preview?.outcome === 'changed') return { kind: 'info', label: 'will change' };
  if (preview?.outcome === 'unchanged') return { kind: 'neutral', label: 'no change needed' };
  return { kind: 'warning', label: 'cannot change' };
};

const ITEM_HEIGHT = 64;

const Items = ({
  items,
  isLeftOut,
}: {
  readonly items: readonly Item[];
  readonly isLeftOut: (item: Item) => boolean;
}) => {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ITEM_HEIGHT,
    getItemKey: (index) => items[index]?.row.workspace.id ?? index,
  });
  return (
    // The container scrolls, so it must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className="bulk-items" ref={scroller} aria-label="Workspaces of the selection" tabIndex={0}>
      <ul style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const { kind, label } = isLeftOut(item) ? ({ kind: 'neutral', label: 'left out' } as const) : statusOf(item);
          const reason = item.reason ?? item.preview?.reason;
          return (
            <li
              key={key}
              className="bulk-item"
              data-index={index}
              ref={virtualizer.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <div className="cluster cluster-spread">
                <strong>{item.row.workspace.attributes.name}</strong>
                <Badge kind={kind}>{label}</Badge>
              </div>
              {reason !== undefined ? (
                <p className="muted">{reason}</p>
              ) : (
                <Changes changes={item.preview?.changes ?? []} />
              )}
              {item.result !== 'done' &&
                item.preview?.warnings?.map((warning) => (
                  <p key={warning} className="bulk-warning">
                    <Icon name="warning" /> {warning}
                  </p>
                ))}
            </li>
          );
        })}
      </ul>
    </section>
  );
};
