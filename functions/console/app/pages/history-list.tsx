import { type InfiniteData, type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { listAgentPools } from '../../../../shared/client/integrations.ts';
import { projectsQuery } from '../api/organizations.ts';
import { apiQuery } from '../api/query-client.ts';
import { teamsQuery } from '../api/team-access.ts';
import { useMemberNames } from '../api/use-member-names.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { NextPages } from '../components/next-pages.tsx';
import { Timeline } from '../components/timeline.tsx';
import { collectNames } from '../lib/history-changes.ts';

/** The pages of a history that are loaded. */
export type LoadedHistory = UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly HistoryEntry[] }>, unknown>;

interface Named {
  readonly id: string;
  readonly attributes: { readonly name: string };
}

interface HistoryListProps {
  readonly organization: string;
  readonly history: LoadedHistory;
  /** Resources whose names are known. */
  readonly known?: readonly Named[];
  /** Shows what each entry is about, where they are about several resources. */
  readonly areResourcesShown?: boolean;
  /** Removes the filters; undefined if there are none. */
  readonly onRemoveFilters?: (() => void) | undefined;
}

const entriesOf = (history: LoadedHistory): readonly HistoryEntry[] =>
  history.data?.pages.flatMap(({ data }) => data) ?? [];

/** Returns the ids that the resource of an entry is shown by, unless it has a name: those of a team and a user for a membership. */
const shownIds = ({ attributes, relationships }: HistoryEntry): readonly string[] =>
  attributes['resource-name'] === null ? relationships.resource.data.id.split('/') : [];

/** Returns whether the loaded entries mention the id of a resource. @param prefix first part of the id */
export const mentionsId = (history: LoadedHistory, prefix: string): boolean =>
  entriesOf(history).some((entry) =>
    JSON.stringify([entry.attributes.changes, entry.attributes.details, shownIds(entry)]).includes(`"${prefix}-`),
  );

/** Returns the names of resources by their ids, from entries and from the lists that they refer to. */
const useLoadedNames = ({ organization, history, known = [] }: HistoryListProps): ReadonlyMap<string, string> => {
  const areMembersShown = entriesOf(history).some((entry) => shownIds(entry).some((id) => /^(ou|user)-/.test(id)));
  const members = useMemberNames(organization, areMembersShown);
  const projects = useQuery({ ...projectsQuery(organization), enabled: mentionsId(history, 'prj') });
  const teams = useQuery({ ...teamsQuery(organization), enabled: mentionsId(history, 'team') });
  const pools = useQuery({
    ...apiQuery(listAgentPools(organization, 1, 100)),
    enabled: mentionsId(history, 'apool'),
    retry: false,
  });
  const lists: readonly (readonly Named[] | undefined)[] = [
    projects.data?.document.data,
    teams.data?.document.data,
    pools.data?.document.data,
    known,
  ];
  return new Map([
    ...members,
    ...lists.flatMap((list = []) => list.map(({ id, attributes }) => [id, attributes.name] as const)),
    ...collectNames(entriesOf(history)),
  ]);
};

/** Returns the ids of the resources whose newest change is their deletion. */
const deletedIds = (history: LoadedHistory): ReadonlySet<string> => {
  const newest = new Map<string, string>();
  for (const { attributes, relationships } of entriesOf(history)) {
    const { id } = relationships.resource.data;
    if (!newest.has(id)) newest.set(id, attributes.action);
  }
  return new Set([...newest].flatMap(([id, action]) => (/\.(deleted|purged|revoked)$/.test(action) ? [id] : [])));
};

/** Returns whether no entry has a later time, in the seconds that are shown, than the one above it. */
const isInOrderOfTime = (entries: readonly HistoryEntry[]): boolean => {
  const seconds = entries.map(({ attributes }) => Math.floor(Date.parse(attributes['created-at']) / 1_000));
  return seconds.every((second, index) => index === 0 || second <= (seconds[index - 1] ?? 0));
};

/** Shows the entries of a history that are loaded, and loads older ones. Give it the filter as `key`. */
export const HistoryList = (props: HistoryListProps) => {
  const { history, areResourcesShown = false, onRemoveFilters } = props;
  const names = useLoadedNames(props);
  return (
    <Loaded query={history}>
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data);
        return (
          <>
            {entries.length === 0 && !history.hasNextPage && (
              <EmptyState
                title={onRemoveFilters === undefined ? 'No changes yet' : 'No change matches'}
                action={onRemoveFilters && <Button onClick={onRemoveFilters}>Clear filters</Button>}
              />
            )}
            {entries.length > 0 && (
              <>
                {!isInOrderOfTime(entries) && (
                  <p className="muted">
                    Newest first by when a change was stored. Its time is when it was made, so times of changes made
                    together can be out of order.
                  </p>
                )}
                <Timeline
                  entries={entries}
                  names={names}
                  heading={areResourcesShown ? 'h2' : 'h3'}
                  deleted={areResourcesShown ? deletedIds(history) : undefined}
                />
              </>
            )}
            <NextPages query={history} label="Show older changes" />
          </>
        );
      }}
    </Loaded>
  );
};
