import { stateKey } from '../../shared/blob/blob-keys.ts';
import { DomainError, notFound } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import { addressOf, type ManagedResource } from '../../shared/domain/state-versions/managed-resource.ts';
import { availableContent, type StateVersion } from '../../shared/domain/state-versions/state-version.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { readOneOf } from '../../shared/list-index/query-values.ts';
import { type sortFields, sortOrders } from '../../shared/resources/workspace-resources/attributes.ts';
import { workspaceResourceResource } from '../../shared/resources/workspace-resources/response.ts';
import { findCurrent, type StateDependencies } from './versions.ts';

type Row = ManagedResource & { readonly address: string };

/** Values by which resources are sorted, by the field in the parameter `sort`. */
const sortKeys: Readonly<Record<(typeof sortFields)[number], (row: Row) => string | number>> = {
  name: ({ name }) => name,
  nameIndex: ({ index }) => index ?? '',
  provider: ({ provider }) => provider,
  providerType: ({ type }) => type,
  module: ({ module }) => module,
  // All resources have the time of the current state version.
  updatedAt: () => 0,
};

const compare = (a: string | number, b: string | number): number => Number(a > b) - Number(a < b);

/** Reads the parameter `sort`. Resources with equal values are sorted by their addresses. @throws DomainError 400. */
const readOrder = (query: URLSearchParams): ((a: Row, b: Row) => number) => {
  const [field = 'updatedAt', direction] = (readOneOf(query, 'sort', sortOrders)[0]?.split(':') ?? []) as [
    (typeof sortFields)[number]?,
    string?,
  ];
  const sign = direction === 'desc' ? -1 : 1;
  return (a, b) => sign * compare(sortKeys[field](a), sortKeys[field](b)) || compare(a.address, b.address);
};

const tooLarge = () =>
  new DomainError('unprocessable', 'The state is too large to read its resources from. Download the state.');

/**
 * Reads the managed resources of a state version from its content.
 * @throws DomainError 404 if the content is deleted; 422 if it cannot be read or is too large.
 */
const readRows = async (bucket: StateDependencies['bucket'], version: StateVersion): Promise<readonly Row[]> => {
  const content = availableContent(version);
  if (content === undefined) throw notFound('The content of the state version is deleted.');
  if (content.resources === 0) return [];
  if (content.format !== 4 || content.resources < 0) {
    throw new DomainError('unprocessable', 'The resources of the state cannot be read: it is encrypted, or too old.');
  }
  if (content.size > limits.stateWithResources) throw tooLarge();
  const { readResources } = await import('../../shared/state-content/read-resources.ts');
  const resources = await readResources(await bucket.read(stateKey('state', version), content.object));
  if (resources === undefined) throw tooLarge();
  return resources.map((resource) => ({ ...resource, address: addressOf(resource) }));
};

/** Counts resources by a value, of which only those with the most resources are returned. */
const countBy = (rows: readonly Row[], nameOf: (row: Row) => string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(rows, nameOf)]
      .map(([value, { length }]) => [value, length] as const)
      .toSorted(([a, first], [b, second]) => second - first || compare(a, b))
      .slice(0, limits.resourceCounts),
  );

/** `GET /workspaces/:workspace_id/resources` (STATE-23): the managed resources of the current state, by pages. */
export const listResources: Operation<'workspace-resources.list', StateDependencies> = async (
  { digest, parameters: { workspace_id: id }, query, url },
  dependencies,
) => {
  const [page, order] = [readPage(query), readOrder(query)];
  const text = (query.get('q') ?? '').toLowerCase();
  const { version } = await findCurrent(dependencies, digest, id, 'state-version.read');
  const all = version === undefined ? [] : await readRows(dependencies.bucket, version);
  const rows = all.filter(({ address }) => address.toLowerCase().includes(text)).toSorted(order);
  const { links, meta } = paginate(page, rows.length, url, query);
  return {
    data: version === undefined ? [] : slice(rows, page).map((row) => workspaceResourceResource(version, row)),
    links,
    meta: {
      ...meta,
      'type-counts': countBy(rows, ({ type }) => type),
      'module-counts': countBy(rows, ({ module }) => module),
    },
  };
};
