import { type RouteId, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { keys, listPartition, prefixes, sortableTime, WORKSPACE } from '../../shared/store/dynamodb/keys.ts';
import { creationWrites } from '../../shared/store/items/workspace-writes.ts';
import { newWorkspace } from '../support/api/new-workspace.ts';
import type { BareCall, Round } from './floor.ts';
import { CONSUMERS, freshName, type Organization, type Testbed, variableBody } from './testbed.ts';

/** Request of the benchmark: a route with its parameters, query and body. */
export interface BenchRequest {
  readonly routeId: RouteId;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
}

/** Target and repetition number of a request. */
export interface Target {
  readonly organization: Organization;
  /** Number of the repetition. */
  readonly turn: number;
  /** Index of the client among concurrent clients. Each client locks its own workspace. */
  readonly client?: number;
}

/** Target of a request in the testbed, which has what the bare calls change. */
export interface Place extends Target {
  readonly testbed: Testbed;
}

/** Operation of the benchmark, with the DynamoDB calls that it cannot avoid for a cached caller. */
export interface BenchOperation {
  readonly name: string;
  readonly function: FunctionName;
  readonly request: (target: Target) => BenchRequest;
  readonly floor: (place: Place) => readonly Round[];
  /** Turns before those that count, if the operation has a target for a warm process: V8 compiles code while it runs. */
  readonly warming?: number;
  /** Events that are published for the operation. */
  readonly events: number;
}

/** Builds the path and the query string of a request. */
export const pathOf = ({ routeId, parameters, query = '' }: BenchRequest): readonly [path: string, query: string] => [
  routes[routeId].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? ''),
  query,
];

const get = (Key: object, ConsistentRead = false): BareCall => ({ command: 'get', input: { Key, ConsistentRead } });
const query = (partition: string, beginsWith: string, ConsistentRead = false): BareCall => ({
  command: 'query',
  input: {
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :sk)',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': partition, ':sk': beginsWith },
    ConsistentRead,
  },
});
const batchGet = (Keys: readonly object[]): BareCall => ({ command: 'batch-get', input: { Keys } });

/** Query of a workspace and its long text. */
const workspace = (id: string): BareCall => query(keys.workspace(id).pk, WORKSPACE, true);
const parents = ({ organization: { name, probe } }: Place): Round => [
  batchGet([keys.organization(name), keys.project(probe.project)]),
];
/** Queries for rows that changed within the last three seconds. They find none. */
const delta = ({ organization: { name } }: Place): Round =>
  Array.from({ length: 4 }, (_, shard) => ({
    command: 'query',
    input: {
      IndexName: 'list',
      KeyConditionExpression: '#l = :l AND #lk >= :lk',
      ExpressionAttributeNames: { '#l': 'l', '#lk': 'lk' },
      ExpressionAttributeValues: {
        ':l': listPartition.workspaces(name, shard),
        ':lk': sortableTime(Date.now() - 3_000),
      },
    },
  }));

const change = { id: 'ws-1111111111111111/1', type: 'workspace.updated', at: 1, actor: { kind: 'user', id: 'user-x' } };
/**
 * Update of the spare workspace, with the size of a typical change.
 * @param isListed whether the change shows in lists, so that DynamoDB also writes the index of lists.
 */
const update = ({ testbed: { spare }, turn }: Place, isListed = false): BareCall => ({
  command: 'update',
  input: {
    Key: keys.workspace(spare.id),
    ConditionExpression: 'attribute_exists(#pk) AND attribute_not_exists(#gone)',
    UpdateExpression: `SET #lock = :lock, #chg = :chg${isListed ? ', #lk = :lk' : ''} ADD #seq :one`,
    ExpressionAttributeNames: {
      ...{ '#pk': 'pk', '#gone': 'gone', '#lock': 'bench', '#chg': 'last', '#seq': 'seq' },
      ...(isListed && { '#lk': 'lk' }),
    },
    ExpressionAttributeValues: {
      ...{ ':lock': { id: `lock-${turn}`, by: 'user-x', at: turn }, ':chg': change, ':one': 1 },
      ...(isListed && { ':lk': sortableTime(Date.now()) }),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

const show = (place: Place): readonly Round[] => [[workspace(place.organization.probe.id)], parents(place)];
const changed = (place: Place): readonly Round[] => [...show(place), [update(place)]];
const locked = (place: Place): readonly Round[] => [...show(place), [update(place, true)]];
/** Batch read of the workspaces of a page. */
const page = ({ organization: { probe, others } }: Place, rows: number): BareCall =>
  batchGet([probe, ...others].slice(0, rows).map(({ id }) => keys.workspace(id)));
const listed =
  (rows: number) =>
  (place: Place): readonly Round[] => [
    [get(keys.organization(place.organization.name)), ...delta(place)],
    [page(place, rows)],
  ];

const ofProbe = ({ organization: { probe } }: Target) => ({ workspace_id: probe.id });
const ofClient = ({ organization: { probe, others }, client }: Target) => ({
  workspace_id: (client === undefined ? probe : (others[client] ?? probe)).id,
});

/** Builds a list operation. It fills a page in every organization size, so that the sizes can be compared. */
const list = (name: string, queryOf: (target: Target) => string, rows = 20): BenchOperation => ({
  name,
  function: 'workspace-list',
  request: (place) => ({
    routeId: 'workspaces.list',
    parameters: { organization_name: place.organization.name },
    query: queryOf(place),
  }),
  floor: listed(rows),
  events: 0,
});

const workspaceBody = (attributes: object) => ({ data: { type: 'workspaces', attributes } });

/** Operations of the benchmark. Reads come first, because created resources stay. */
export const operations: readonly BenchOperation[] = [
  {
    name: 'show by id',
    function: 'workspaces',
    request: (place) => ({ routeId: 'workspaces.show', parameters: ofProbe(place) }),
    floor: show,
    events: 0,
  },
  {
    name: 'show by name',
    function: 'workspaces',
    request: ({ organization: { name, probe } }) => ({
      routeId: 'workspaces.show-by-name',
      parameters: { organization_name: name, name: probe.name },
    }),
    floor: ({ organization: { name, probe } }) => [
      [get(keys.claim(name, 'workspace', probe.name), true), get(keys.organization(name))],
      [workspace(probe.id), get(keys.project(probe.project))],
    ],
    events: 0,
  },
  { ...list('list, first page', () => ''), warming: 300 },
  list(
    'list, last page',
    ({ organization: { size } }) => `page[number]=${Math.floor(size / 20)}&sort=-latest-change-at`,
  ),
  list('search by name', () => 'search[name]=prod'),
  list('search by wildcard', () => 'search[wildcard-name]=*-prod-*'),
  list('search by tags', () => 'search[tags]=env&search[exclude-tags]=legacy'),
  list('filter by project', ({ organization: { probe } }) => `filter[project][id]=${probe.project}&page[size]=5`, 5),
  list('filter by status', () => 'filter[current-run][status]=applied,errored'),
  {
    name: 'list variables',
    function: 'variables',
    request: (place) => ({ routeId: 'workspace-variables.list', parameters: ofProbe(place) }),
    floor: (place) => [
      [workspace(place.organization.probe.id)],
      [...parents(place), query(keys.workspace(place.organization.probe.id).pk, prefixes.variables, true)],
    ],
    events: 0,
  },
  {
    name: 'list consumers',
    function: 'remote-state-consumers',
    request: (place) => ({ routeId: 'remote-state-consumers.list', parameters: ofProbe(place) }),
    floor: (place) => [
      [workspace(place.organization.probe.id)],
      [...parents(place), ...delta(place), query(keys.workspace(place.organization.probe.id).pk, prefixes.consumers)],
      [batchGet(place.organization.others.slice(0, CONSUMERS).map(({ id }) => keys.workspace(id)))],
    ],
    events: 0,
  },
  {
    name: 'lock or unlock',
    function: 'workspace-locks',
    request: (place) => ({
      routeId: place.turn % 2 === 0 ? 'workspaces.lock' : 'workspaces.unlock',
      parameters: ofClient(place),
    }),
    floor: locked,
    events: 1,
  },
  {
    name: 'update',
    function: 'workspaces',
    request: (place) => ({
      routeId: 'workspaces.update',
      parameters: ofClient(place),
      body: workspaceBody({ 'working-directory': `folder-${place.turn}` }),
    }),
    floor: changed,
    events: 1,
  },
  {
    name: 'create',
    function: 'workspaces',
    request: ({ organization: { name } }) => ({
      routeId: 'workspaces.create',
      parameters: { organization_name: name },
      body: workspaceBody({ name: freshName() }),
    }),
    floor: ({ organization: { name, defaultProject } }) => [
      [get(keys.organization(name))],
      [get(keys.project(defaultProject))],
      [{ command: 'transact', input: { writes: creation() } }],
    ],
    events: 1,
  },
  {
    name: 'create variable',
    function: 'variables',
    request: (place) => ({
      routeId: 'workspace-variables.create',
      parameters: ofClient(place),
      body: variableBody(freshName()),
    }),
    floor: (place) => [...show(place), [{ command: 'transact', input: { writes: variableCreation(place) } }]],
    events: 1,
  },
];

/** Items of a new workspace in an organization without lists. */
const creation = () =>
  creationWrites(newWorkspace({ organization: 'spare', project: 'prj-spare' }, { name: freshName() }), 4).map(
    ({ item, ConditionExpression, ExpressionAttributeNames }) => ({
      Put: { Item: item, ConditionExpression, ExpressionAttributeNames },
    }),
  );

const variableCreation = (place: Place) => {
  const { id } = place.testbed.spare;
  const name = freshName();
  const absent = { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': 'pk' } };
  const { ReturnValues: _, ...updated } = update(place).input;
  return [
    { Put: { Item: { ...keys.variable(id, 'terraform', name), id: name, value: 'v'.repeat(100) }, ...absent } },
    { Put: { Item: { ...keys.pointer(name), workspace: id }, ...absent } },
    { Update: updated },
  ];
};
