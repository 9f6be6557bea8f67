import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { CONSUMERS_PAGE_SIZE, listConsumers } from '../../../../../shared/client/consumers.ts';
import type { Workspace } from '../../../../../shared/client/types.ts';
import { listAllWorkspaces } from '../../../../../shared/client/workspaces.ts';
import { sendPatiently } from '../../api/send.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { OptionsMenu } from '../../components/options-menu.tsx';
import { Section } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import type { Progress } from '../../lib/run-all.ts';
import { findReadableWorkspaces, type ReadableWorkspace, type ReadableWorkspaces } from './find-readable-workspaces.ts';
import { useWorkspace } from './use-workspace.ts';

/** Largest size of a page of the API. */
const LIST_SIZE = 100;

const isConsumer = async (workspace: string, consumer: string): Promise<boolean> => {
  for (let page = 1; ; page += 1) {
    const { data, meta } = (await sendPatiently(listConsumers(workspace, page, LIST_SIZE))).document;
    if (data.some(({ id }) => id === consumer)) return true;
    if (page * LIST_SIZE >= meta.pagination['total-count']) return false;
  }
};

interface Search {
  readonly phase: 'list' | 'consumers';
  readonly progress: Progress;
}

/** Searches all workspaces of the organization for those whose state a workspace may read, until the page is left. */
export const useReadableWorkspaces = (organization: string, workspace: Workspace) => {
  const [search, setSearch] = useState<Search>();
  const [result, setResult] = useState<ReadableWorkspaces & { readonly isStopped: boolean }>();
  const [error, setError] = useState<unknown>();
  const [page, setPage] = useState(1);
  const isStopped = useRef(false);
  const stop = useCallback(() => {
    isStopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);
  const start = async () => {
    isStopped.current = false;
    setError(undefined);
    try {
      const outcome = await findReadableWorkspaces(workspace, {
        readPage: async (number) => {
          const { data, meta } = (await sendPatiently(listAllWorkspaces(organization, number, LIST_SIZE))).document;
          return { data, pages: Math.ceil(meta.pagination['total-count'] / LIST_SIZE) };
        },
        isConsumerOf: (id) => isConsumer(id, workspace.id),
        isStopped: () => isStopped.current,
        onProgress: (phase, progress) => setSearch({ phase, progress }),
      });
      setResult({ ...outcome, isStopped: isStopped.current });
      setPage(1);
    } catch (cause) {
      setError(cause);
    }
    setSearch(undefined);
  };
  const shown = result?.found.slice((page - 1) * CONSUMERS_PAGE_SIZE, page * CONSUMERS_PAGE_SIZE) ?? [];
  return { search, result, error, start, stop, page, setPage, shown };
};

const sharing: Readonly<Record<ReadableWorkspace['sharedWith'], string>> = {
  organization: 'all workspaces of the organization',
  project: 'all workspaces of the project',
  consumers: 'selected workspaces',
};

/** Shows the workspaces whose state a workspace may read, after the user has started the search. */
export const ReadableWorkspacesSection = ({
  search,
  result,
  error,
  start,
  stop,
  page,
  setPage,
  shown,
}: ReturnType<typeof useReadableWorkspaces>) => {
  const { organization } = useWorkspace();
  return (
    <Section
      title="States that this workspace may read"
      description="Found among the workspaces that you can see. With many workspaces, the search takes some time."
      actions={
        <>
          <OptionsMenu of="the search" requests={[listAllWorkspaces(organization, 1, LIST_SIZE)]} />
          {search === undefined ? (
            <Button onClick={start}>{result === undefined ? 'Find the workspaces' : 'Search again'}</Button>
          ) : (
            <Button onClick={stop}>Stop</Button>
          )}
        </>
      }
    >
      {error !== undefined && <ErrorNotice error={error} />}
      {search !== undefined && (
        <ProgressBar
          label={search.phase === 'list' ? 'Reading the list of workspaces' : 'Reading the consumers of workspaces'}
          {...search.progress}
        />
      )}
      {result?.isStopped && (
        <Notice kind="warning" title="The search was stopped">
          <p>There may be more workspaces.</p>
        </Notice>
      )}
      {result !== undefined && result.unreadable > 0 && (
        <Notice
          kind="warning"
          title={`The consumers of ${result.unreadable.toLocaleString()} workspaces could not be read`}
        />
      )}
      {result !== undefined &&
        (result.found.length === 0 ? (
          <EmptyState title="No other workspace shares its state with this one" />
        ) : (
          <>
            <DataTable
              label="Workspaces whose state it may read"
              rows={shown}
              rowKey={({ workspace }) => workspace.id}
              columns={[
                {
                  name: 'Workspace',
                  cell: ({ workspace: { attributes } }) => (
                    <Link
                      to="/$organization/workspaces/$workspace/consumers"
                      params={{ organization, workspace: attributes.name }}
                    >
                      {attributes.name}
                    </Link>
                  ),
                },
                { name: 'Its state is shared with', cell: ({ sharedWith }) => sharing[sharedWith] },
              ]}
            />
            <Pages page={page} pageSize={CONSUMERS_PAGE_SIZE} total={result.found.length} onChange={setPage} />
          </>
        ))}
    </Section>
  );
};
