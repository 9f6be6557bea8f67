import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import type { TagLabel } from '../../shared/list-index/contents.ts';
import { statisticsDocument } from '../../shared/resources/organization-statistics/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

/** Reads a tag, a key, or a key with a value, as organizations have it. The first `=` ends the key. */
const tagFrom = (text: string | null | undefined): TagLabel | undefined => {
  const [, key, value] = /^([^=]+)(?:=(.*))?$/s.exec(text ?? '') ?? [];
  return key === undefined ? undefined : { key, ...(value !== undefined && { value }) };
};

/** `GET /organizations/:organization_name/statistics` (STAT-1): numbers of the workspaces that the caller may read. */
export const showStatistics: Operation<'organizations.statistics', Pick<ListDependencies, 'store'>> = async (
  { digest, parameters: { organization_name: name } },
  { store },
) => {
  const [{ caller, organization }, , releases] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
    store.releases.find(),
  ]);
  const { defaultExecutionMode, defaultDeletionProtection = false, productionTag } = organization;
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  await store.workspacePages.confirmGrants(listIndex, reading);
  const at = now();
  const statistics = listIndex.count({
    reading,
    context: { organization: { defaultExecutionMode, defaultDeletionProtection }, releases },
    productionTag: tagFrom(productionTag),
    now: at,
  });
  return statisticsDocument(organization, at, statistics);
};
