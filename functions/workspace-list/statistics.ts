import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { organizationRights } from '../../shared/access/rights.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { DEFAULT_PAGE_SIZE } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import type { TagLabel } from '../../shared/list-index/contents.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import type { Reading } from '../../shared/list-index/selection.ts';
import { computeStatistics } from '../../shared/list-index/statistics.ts';
import { statisticsDocument } from '../../shared/resources/organization-statistics/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { ActivityReader } from '../../shared/store/history/activity-reader.ts';

interface StatisticsDependencies extends Pick<ListDependencies, 'store'> {
  readonly activity: ActivityReader;
}

/** Reads a tag, a key, or a key with a value, as organizations have it. The first `=` ends the key. */
const tagFrom = (text: string | null | undefined): TagLabel | undefined => {
  const [, key, value] = /^([^=]+)(?:=(.*))?$/s.exec(text ?? '') ?? [];
  return key === undefined ? undefined : { key, ...(value !== undefined && { value }) };
};

/** Number of projects whose grants are read again: as many as a page of a list has by default. */
const GRANTING_PROJECTS = DEFAULT_PAGE_SIZE;

/** Returns the ids of the projects through which a caller may read workspaces. */
const grantingProjects = (listIndex: ListIndex, reading: Reading): string[] =>
  listIndex
    .projects()
    .filter((project) => listIndex.workspacesIn(project.id) > 0 && reading.project(project))
    .map(({ id }) => id);

/** `GET /organizations/:organization_name/statistics` (STAT-1): numbers of the workspaces that the caller may read. */
export const showStatistics: Operation<'organizations.statistics', StatisticsDependencies> = async (
  { digest, parameters: { organization_name: name } },
  { store, activity },
) => {
  const [{ caller, organization }, , releases] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
    store.releases.find(),
  ]);
  const { defaultExecutionMode, defaultDeletionProtection = false, productionTag } = organization;
  const reading = readingOf(caller, organization);
  const openListIndex = async (): Promise<ListIndex> => {
    const listIndex = await store.listIndexes.open(organization);
    // The list index then lacks grants that were taken away (INDEX-6).
    if (!reading.everything) {
      await store.workspacePages.confirmProjects(listIndex, grantingProjects(listIndex, reading), GRANTING_PROJECTS);
    }
    return listIndex;
  };
  const { owner: isOwner } = organizationRights(caller, organization);
  const [listIndex, days] = await Promise.all([openListIndex(), isOwner ? activity.read(name) : null]);
  const at = now();
  const statistics = computeStatistics(listIndex.searched, {
    reading,
    context: { organization: { defaultExecutionMode, defaultDeletionProtection }, releases },
    productionTag: tagFrom(productionTag),
    now: at,
  });
  return statisticsDocument(organization, at, statistics, days);
};
