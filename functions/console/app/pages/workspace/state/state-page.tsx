import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ApiRequest } from '../../../../../../shared/client/request.ts';
import type { Reply } from '../../../../../../shared/client/send.ts';
import {
  listOutputs,
  listStateVersions,
  STATES_PAGE_SIZE,
  type StateVersion,
} from '../../../../../../shared/client/state-versions.ts';
import { errorDetails } from '../../../api/errors.ts';
import type { ListDocument } from '../../../api/read-whole-list.ts';
import { stateVersionsQuery } from '../../../api/state-versions.ts';
import '../../../components/form.css';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { DataTable, toColumns } from '../../../components/data-table.tsx';
import { ImportedFrom } from '../../../components/imported-from.tsx';
import { ListMenu } from '../../../components/list-menu.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Menu } from '../../../components/menu.tsx';
import type { MenuEntry } from '../../../components/menu-entries.ts';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Section } from '../../../components/page.tsx';
import { Pages } from '../../../components/pages.tsx';
import { toast } from '../../../components/toast.tsx';
import { IfPermitted } from '../if-permitted.tsx';
import { useWorkspace } from '../use-workspace.ts';
import { NoState } from './no-state.tsx';
import { Outputs } from './outputs.tsx';
import { SavingDialog, useSaveState } from './state-content.tsx';
import { Comparison, RollbackDialog, unreadable } from './state-dialogs.tsx';
import { Creator, formatSize, isRollback, useCreatorNames, VersionBadges, VersionLink } from './version-parts.tsx';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/state');

/** Shows the state versions of a workspace, their outputs and resources, and the difference between two of them. */
export const StatePage = () => (
  <IfPermitted permission="can-read-state-versions" name="the state">
    <StateVersions />
  </IfPermitted>
);

const StateVersions = () => {
  const { organization, name, workspace } = useWorkspace();
  const [page, setPage] = useState(1);
  // Not always the newest one: that can be pending, or wait for the end of the lock (STATE-8).
  const current = workspace.relationships['current-state-version'].data?.id;
  const versions = useQuery(stateVersionsQuery(organization, name, page));
  const queryClient = useQueryClient();
  return (
    <Loaded query={versions}>
      {({ document: { data, meta } }) =>
        data.length === 0 ? (
          <NoState />
        ) : (
          <div className="stack">
            {page === 1 && current !== undefined && (
              <Section
                title="Outputs"
                description="Of the current version. Sensitive values are not shown here, but a downloaded version contains them."
                actions={<ListMenu title="Outputs" request={listOutputs(current)} />}
              >
                <Outputs version={current} />
              </Section>
            )}
            <Versions
              versions={data}
              current={current}
              isLastPage={page * STATES_PAGE_SIZE >= meta.pagination['total-count']}
              loadNextPage={() => queryClient.fetchQuery(stateVersionsQuery(organization, name, page + 1))}
              request={listStateVersions(organization, name, page)}
            >
              <Pages
                page={page}
                pageSize={STATES_PAGE_SIZE}
                total={meta.pagination['total-count']}
                onChange={setPage}
              />
            </Versions>
          </div>
        )
      }
    </Loaded>
  );
};

/** Checks whether a version is among others, also after all of them were loaded again. */
const isIn = (versions: readonly StateVersion[], { id }: StateVersion): boolean =>
  versions.some((version) => version.id === id);

/** Names a version in labels, where a rollback differs from the version whose number it has. */
const nameOf = (version: StateVersion): string =>
  `version ${version.attributes.serial}${isRollback(version) ? ' (rollback)' : ''}`;

interface VersionsProps {
  readonly versions: readonly StateVersion[];
  /** Id of the version that runs read; undefined if there is none. */
  readonly current: string | undefined;
  readonly isLastPage: boolean;
  readonly loadNextPage: () => Promise<Reply<{ readonly data: readonly StateVersion[] }>>;
  /** The request that has loaded the versions. */
  readonly request: ApiRequest<ListDocument>;
  readonly children: ReactNode;
}

const Versions = ({ versions, current, isLastPage, loadNextPage, request, children }: VersionsProps) => {
  const [compared, setCompared] = useState<readonly StateVersion[]>([]);
  const { older: comparedOlder, newer: comparedNewer } = route.useSearch();
  const navigate = route.useNavigate();
  const [restored, setRestored] = useState<StateVersion>();
  const { save, saving, error, stop } = useSaveState();
  const names = useCreatorNames(versions);
  const toggle = (version: StateVersion) =>
    setCompared((before) =>
      isIn(before, version) ? before.filter(({ id }) => id !== version.id) : [...before.slice(-1), version],
    );
  const compare = (older: StateVersion | undefined, newer: StateVersion | undefined) => {
    if (older !== undefined && newer !== undefined) navigate({ search: { older: older.id, newer: newer.id } });
  };
  const previousOf = (version: StateVersion): StateVersion | undefined => versions[versions.indexOf(version) + 1];
  // The previous version can be on the next page.
  const labelOf = (version: StateVersion) => `Compare with ${previousOf(version)?.attributes.serial ?? 'the previous'}`;
  const oldest = isLastPage ? versions.at(-1) : undefined;
  const compareWithPrevious = async (version: StateVersion) => {
    try {
      const next = previousOf(version) === undefined ? (await loadNextPage()).document.data : [];
      // A version that was added meanwhile has moved the last one of this page to the next page.
      const previous = previousOf(version) ?? next.find(({ id }) => versions.every((shown) => shown.id !== id));
      compare(previous, version);
    } catch (cause) {
      toast(errorDetails(cause).join(' '), 'danger');
    }
  };
  const entriesOf = (version: StateVersion): readonly MenuEntry[] => {
    const reason = unreadable(version);
    const note: readonly MenuEntry[] = reason === undefined ? [] : [{ kind: 'note', label: reason }];
    if (version.attributes.status !== 'finalized') return note;
    return [
      ...note,
      { kind: 'item', label: 'Download', onSelect: () => save(version) },
      ...(current === undefined || version.id === current
        ? []
        : [{ kind: 'item', label: 'Roll back to it', onSelect: () => setRestored(version) } as const]),
    ];
  };
  const [newer, older] = compared.toSorted((a, b) =>
    b.attributes['created-at'].localeCompare(a.attributes['created-at']),
  );
  return (
    <Section
      title="State versions"
      description={
        versions.some(isRollback) && 'A rollback adds a version with the number and the content of the older one.'
      }
      actions={
        <>
          {current !== undefined && <VersionLink version="current">All resources</VersionLink>}
          <ListMenu title="State versions" request={request} />
          <Button
            disabledReason={older === undefined ? 'Choose two versions in the list first.' : undefined}
            onClick={() => compare(older, newer)}
          >
            Compare
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {saving !== undefined && <SavingDialog saving={saving} onStop={stop} />}
      <DataTable
        label="State versions"
        rows={versions}
        rowKey={({ id }) => id}
        columns={toColumns<StateVersion>({
          serial: {
            name: 'Version',
            cell: (version) => (
              <span className="cluster">
                <input
                  type="checkbox"
                  className="checkbox"
                  checked={isIn(compared, version)}
                  disabled={unreadable(version) !== undefined}
                  onChange={() => toggle(version)}
                  aria-label={`Compare ${nameOf(version)}`}
                />
                <VersionLink version={version.id}>{version.attributes.serial}</VersionLink>
                <VersionBadges version={version} current={current} previous={previousOf(version)} />
                {version.attributes.status !== 'finalized' && (
                  <Badge>{version.attributes.status.replaceAll('_', ' ')}</Badge>
                )}
              </span>
            ),
          },
          'created-at': true,
          'Created by': { cell: (version) => <Creator version={version} names={names} /> },
          'imported-from': versions.some(({ attributes }) => attributes['imported-from'] !== null) && {
            cell: ({ attributes: { 'imported-from': source } }) => source && <ImportedFrom source={source} />,
          },
          'resource-count': {
            name: 'Resources',
            isNumber: true,
            cell: ({ attributes }) => attributes['resource-count']?.toLocaleString() ?? 'unknown',
          },
          size: { isNumber: true, cell: ({ attributes }) => formatSize(attributes.size) },
          'terraform-version': {
            name: 'Tool version',
            cell: ({ attributes }) => attributes['terraform-version'] ?? 'unknown',
          },
          Actions: {
            isNameHidden: true,
            cell: (version) => (
              <span className="row-actions">
                {version !== oldest && (
                  <Button
                    look="quiet"
                    aria-label={`${labelOf(version)}: changes of ${nameOf(version)}`}
                    disabledReason={unreadable(version) ?? unreadable(previousOf(version))}
                    onClick={() => compareWithPrevious(version)}
                  >
                    {labelOf(version)}
                  </Button>
                )}
                <Menu
                  trigger={
                    <Button
                      look="quiet"
                      icon="more"
                      label={`More actions on ${nameOf(version)}`}
                      isPending={saving?.id === version.id}
                    />
                  }
                  entries={entriesOf(version)}
                />
              </span>
            ),
          },
          // Next to the number, unless the version is finalized.
          status: false,
          // What the service reads from the state, for clients.
          lineage: false,
          md5: false,
          intermediate: false,
          'resources-processed': false,
          'state-version': false,
          // Links to contents, and the commit, which the service does not know.
          'hosted-json-state-download-url': false,
          'hosted-json-state-upload-url': false,
          'hosted-state-download-url': false,
          'hosted-state-upload-url': false,
          'vcs-commit-sha': false,
          'vcs-commit-url': false,
        })}
      />
      {children}
      {comparedOlder !== undefined && comparedNewer !== undefined && (
        <Comparison
          older={comparedOlder}
          newer={comparedNewer}
          onRollBack={
            comparedNewer === current
              ? (version) => {
                  setRestored(version);
                  navigate({ search: {}, replace: true });
                }
              : undefined
          }
          onClose={() => navigate({ search: {}, replace: true })}
        />
      )}
      {restored !== undefined && current !== undefined && (
        <RollbackDialog current={current} version={restored} onClose={() => setRestored(undefined)} />
      )}
    </Section>
  );
};
