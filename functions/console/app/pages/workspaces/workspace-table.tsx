import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { hasState, type WorkspaceListQuery } from '../../../../../shared/client/workspaces.ts';
import { errorDetails } from '../../api/errors.ts';
import { organizationsQuery } from '../../api/organizations.ts';
import type { WorkspacePage, WorkspaceRow } from '../../api/workspaces.ts';
import { Badge, RunStatus } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { ProductionBadge } from '../../components/production-badge.tsx';
import { HolderLink, ResourceLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { useVirtualRows, type VirtualColumn, type VirtualRows, VirtualTable } from '../../components/virtual-table.tsx';
import { HIDDEN_HOLDER } from '../../lib/actor.ts';
import { moveFocus } from '../../lib/focus.ts';
import { isSilent } from '../workspace/run-times.ts';
import '../workspace/last-report.css';
import './workspace-table.css';
import { toVisible } from '../../components/visible-text.tsx';
import { type SortColumn, validateWorkspaceSearch, type WorkspaceSearch, withTag } from './search.ts';
import { emptySelection, isSelected, type Selection, select } from './selection.ts';
import { useVisiblePages } from './use-rows.ts';

interface WorkspaceTableProps {
  readonly organization: string;
  readonly query: WorkspaceListQuery;
  readonly first: WorkspacePage;
  readonly sort: string;
  /** The rows belong to a former query, and the next ones are loading. */
  readonly isStale: boolean;
  readonly selection: Selection;
  readonly onSelect: (update: (former: Selection) => Selection) => void;
  readonly onChange: (changes: { readonly [N in keyof WorkspaceSearch]?: string }) => void;
}

/** Shows the workspaces. Only visible rows are drawn, and only visible pages are loaded. */
export const WorkspaceTable = ({
  organization,
  query,
  first,
  sort,
  isStale,
  selection,
  onSelect,
  onChange,
}: WorkspaceTableProps) => {
  const virtual = useVirtualRows(first.total, query);
  const rows = useVisiblePages(organization, query, first, virtual);

  const width = useTagsWidth(virtual);
  const production = useProductionTag(organization);
  const areLoadedSelected = rows.loaded.every((row) => isSelected(selection, row));
  const isPartlySelected = !areLoadedSelected && rows.loaded.some((row) => isSelected(selection, row));
  // The row whose box was changed last, from which Shift extends the selection.
  const lastChanged = useRef<{ readonly query: WorkspaceListQuery; readonly index: number }>(undefined);
  const change = async (row: WorkspaceRow, index: number, { target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const isAdded = target.checked;
    onSelect((former) => select(former, [row], isAdded));
    const { current: last } = lastChanged;
    lastChanged.current = { query, index };
    if (!(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey) || last?.query !== query) return;
    // The browser has extended the selection of text, too.
    window.getSelection()?.removeAllRanges();
    try {
      const range = await rows.load(Math.min(last.index, index), Math.max(last.index, index));
      onSelect((former) => select(former, range, isAdded));
    } catch (cause) {
      toast(errorDetails(cause).join(' '), 'danger');
    }
  };
  const checkbox = (row: WorkspaceRow, index: number) => (
    <input
      type="checkbox"
      className="checkbox"
      aria-label={`Select ${row.workspace.attributes.name}`}
      checked={isSelected(selection, row)}
      onChange={(event) => change(row, index, event)}
    />
  );
  const name = ({ workspace: { attributes }, tags }: WorkspaceRow) => (
    <span className="workspace-title">
      <Link
        to="/$organization/workspaces/$workspace"
        params={{ organization, workspace: attributes.name }}
        className="workspace-name clamped"
        title={attributes.name}
        // A Tab stop for each tag would make the way through the list long.
        onKeyDown={(event) => moveFocus(event, '[data-index]')}
      >
        {attributes.name}
      </Link>
      <ProductionBadge tags={tags} production={production} />
    </span>
  );
  const projectLink = ({ project }: WorkspaceRow) =>
    project && (
      <ResourceLink
        type="projects"
        id={project.id}
        name={project.attributes.name}
        tabIndex={-1}
        className="tag-link clamped"
        title={project.attributes.name}
        onKeyDown={(event) => moveFocus(event, '[data-index]')}
      />
    );
  const sortable = (label: string, column: SortColumn): Pick<VirtualColumn<never>, 'name' | 'heading' | 'sorted'> => {
    const sorted = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : undefined;
    const next = sorted === 'ascending' ? `-${column}` : column;
    return {
      name: label,
      sorted,
      heading: (
        <button type="button" className="sort-button" onClick={() => onChange({ sort: next })}>
          {label}
          <Icon name={sorted === 'descending' ? 'sort-descending' : 'sort-ascending'} />
        </button>
      ),
    };
  };

  const columns: readonly VirtualColumn<WorkspaceRow>[] = [
    {
      name: 'Selection',
      className: 'column-select',
      heading: (
        <input
          type="checkbox"
          className="checkbox"
          aria-label="Select all loaded workspaces"
          ref={(box) => {
            if (box !== null) box.indeterminate = isPartlySelected;
          }}
          checked={areLoadedSelected}
          onChange={() =>
            onSelect((former) => (areLoadedSelected ? emptySelection : select(former, rows.loaded, true)))
          }
        />
      ),
      cell: checkbox,
    },
    { ...sortable('Name', 'name'), className: 'column-name', isRowName: true, cell: name },
    {
      name: 'Project',
      className: 'column-project',
      cell: projectLink,
    },
    {
      name: 'Tags',
      className: 'column-tags',
      cell: ({ tags }) =>
        tags.length === 0 ? <None /> : <Tags organization={organization} tags={tags} width={width} />,
    },
    { ...sortable('Lock', 'locked-at'), className: 'column-lock', cell: (row) => <Lock {...row} /> },
    {
      ...sortable('Current run', 'current-run.created-at'),
      className: 'column-run',
      cell: (row) => <CurrentRun organization={organization} row={row} />,
    },
    {
      name: 'Tool version',
      className: 'column-version',
      cell: ({ workspace: { attributes } }) => (
        <>
          <Text text={attributes['infra-version']} />
          <span className="tight-mode muted" aria-hidden="true">
            {attributes['execution-mode']}
          </span>
        </>
      ),
    },
    { name: 'Mode', className: 'column-mode', cell: ({ workspace }) => workspace.attributes['execution-mode'] },
    {
      ...sortable('State changed', 'latest-change-at'),
      className: 'column-change',
      cell: ({ workspace }) =>
        hasState(workspace) ? <Time value={workspace.attributes['latest-change-at']} isShort /> : <None />,
    },
  ];
  const card = (row: WorkspaceRow, index: number): ReactNode => (
    <>
      {checkbox(row, index)}
      <div className="card-content">
        {name(row)}
        <div className="card-facts muted">
          {row.project !== undefined && <span>{projectLink(row)}</span>}
          <span>{row.workspace.attributes['infra-version']}</span>
          <span>{row.workspace.attributes['execution-mode']}</span>
          {hasState(row.workspace) && (
            <span>
              state changed <Time value={row.workspace.attributes['latest-change-at']} isShort />
            </span>
          )}
        </div>
        {row.workspace.attributes.locked && <Lock {...row} />}
        {row.run !== undefined && <CurrentRun organization={organization} row={row} />}
        {row.tags.length > 0 && <Tags organization={organization} tags={row.tags} width={width} />}
      </div>
    </>
  );
  return (
    <VirtualTable
      label="Workspaces"
      className="workspace-table"
      rows={virtual}
      columns={columns}
      rowAt={rows.at}
      card={card}
      isStale={isStale}
    />
  );
};

/** Text that is cut if it is too long, with the whole text in the tooltip. */
const Text = ({ text }: { readonly text: string }) => (
  <span className="clamped" title={text}>
    {toVisible(text)}
  </span>
);

const None = () => (
  <span className="muted" aria-label="none" role="img">
    –
  </span>
);

/** Widths in pixels: of a character of a tag on average, of what surrounds it, and of the number of the other tags. */
const [CHARACTER, AROUND, OTHERS] = [7, 18, 20];

/** Padding of a cell, in pixels. */
const PADDING = 16;

/** Returns the tags that fit into a width: at least one, and room for the number of the others. */
const fittingTags = (tags: readonly string[], width: number): readonly string[] => {
  // No gap follows the last one.
  let used = -4;
  const shown = tags.findIndex((tag, index) => {
    used += tag.length * CHARACTER + AROUND;
    return used + (index < tags.length - 1 ? OTHERS : 0) > width;
  });
  return shown === -1 ? tags : tags.slice(0, Math.max(1, shown));
};

/** Returns the tag of production. Sign-in has loaded the organizations. */
const useProductionTag = (organization: string): string | null | undefined =>
  useQuery({ ...organizationsQuery(), staleTime: 60_000 }).data?.document.data.find(({ id }) => id === organization)
    ?.attributes['production-tag'];

/** Returns the width of the column of tags in pixels, or that of a card. */
const useTagsWidth = ({ scroller, isNarrow }: VirtualRows): number => {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const column = isNarrow ? null : scroller.current?.querySelector('th.column-tags');
    if (column == null) return;
    const measure = () => setWidth(column.clientWidth - PADDING);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(column);
    return () => observer.disconnect();
  }, [scroller, isNarrow]);
  return isNarrow ? 280 : width;
};

interface TagsProps {
  readonly organization: string;
  readonly tags: readonly string[];
  /** Width in pixels. */
  readonly width: number;
}

/** Shows tags, each of which adds itself to the filters. */
const Tags = ({ organization, tags, width }: TagsProps) => {
  const shown = fittingTags(tags, width);
  return (
    <span className="tags" title={tags.join(', ')}>
      {shown.map((tag) =>
        // A comma separates the tags of the filter.
        tag.includes(',') ? (
          <Badge key={tag}>{tag}</Badge>
        ) : (
          <Link
            key={tag}
            to="/$organization/workspaces"
            params={{ organization }}
            search={(former) => withTag(validateWorkspaceSearch(former), tag)}
            tabIndex={-1}
            className="tag-link"
            aria-label={`Filter by the tag ${tag}`}
            // A Tab stop for each tag would make the way through the list long.
            onKeyDown={(event) => moveFocus(event, '[data-index]')}
          >
            <Badge>{tag}</Badge>
          </Link>
        ),
      )}
      {tags.length > shown.length && <span className="muted">+{tags.length - shown.length}</span>}
    </span>
  );
};

interface CurrentRunProps {
  readonly organization: string;
  readonly row: WorkspaceRow;
}

const CurrentRun = ({ organization, row: { run, workspace } }: CurrentRunProps) =>
  run === undefined ? (
    <None />
  ) : (
    <span className="current-run" title={isSilent(run) ? 'Not reported for more than 6 hours' : undefined}>
      <Link
        to="/$organization/workspaces/$workspace/runs/$run"
        params={{ organization, workspace: workspace.attributes.name, run: run.id }}
        tabIndex={-1}
        className="tag-link"
        onKeyDown={(event) => moveFocus(event, '[data-index]')}
      >
        <RunStatus status={run.attributes.status} />
      </Link>{' '}
      <span className={isSilent(run) ? 'run-silent' : undefined}>
        <Time value={run.attributes['created-at']} isShort />
        {isSilent(run) && <span className="visually-hidden">, not reported for more than 6 hours</span>}
      </span>
    </span>
  );

const Lock = ({ workspace, lockedBy = HIDDEN_HOLDER }: WorkspaceRow) => {
  const { attributes } = workspace;
  return attributes.locked ? (
    <span className="lock" title={`${lockedBy}: ${attributes['locked-reason'] || 'no reason given'}`}>
      <Icon name="lock" />
      <span>
        <HolderLink
          workspace={workspace}
          name={lockedBy}
          tabIndex={-1}
          className="tag-link"
          onKeyDown={(event) => moveFocus(event, '[data-index]')}
        />
      </span>
      {attributes['locked-at'] !== null && <Time value={attributes['locked-at']} isShort />}
    </span>
  ) : (
    <None />
  );
};
