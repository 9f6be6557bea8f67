import { type RouteId, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { keys, listPartition, prefixes, sortableTime, WORKSPACE } from '../../shared/store/dynamodb/keys.ts';
import { type QueryOptions, queryInput, transactionItem, type Write } from '../../shared/store/dynamodb/requests.ts';
import type { BareCall, Round } from './floor.ts';
import { planCreation, planLockOrUnlock, planUpdate, planVariable, SHARDS, type Spare } from './planned-writes.ts';
import { CONSUMERS, freshName, type Organization, variableBody } from './testbed.ts';

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
  /** Index of the client among concurrent clients. Each client changes its own workspace. */
  readonly client?: number;
}

/** Target of the bare calls of a request. They change another workspace. */
export interface Place extends Target {
  readonly tableName: string;
  readonly spare: Spare;
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

type Key = ReturnType<typeof keys.workspace>;
const get = ({ tableName: TableName }: Place, Key: Key, ConsistentRead = false): BareCall => ({
  command: 'get',
  input: { TableName, Key, ConsistentRead },
});
const query = ({ tableName }: Place, options: QueryOptions): BareCall => ({
  command: 'query',
  input: queryInput(tableName, options, undefined),
});
const batchGet = ({ tableName }: Place, Keys: readonly Key[]): BareCall => ({
  command: 'batch-get',
  input: { RequestItems: { [tableName]: { Keys, ConsistentRead: false } } },
});

const queryProbe = (place: Place, beginsWith: string): BareCall =>
  query(place, { partition: keys.workspace(place.organization.probe.id).pk, beginsWith, consistent: true });
/** Query of a workspace and its long text. */
const workspace = (place: Place): BareCall => queryProbe(place, WORKSPACE);
const parents = (place: Place): Round => {
  const { name, probe } = place.organization;
  return [batchGet(place, [keys.organization(name), keys.project(probe.project)])];
};
/** Queries for rows that changed within the last three seconds. They find none. */
const delta = (place: Place): Round =>
  Array.from({ length: SHARDS }, (_, shard) =>
    query(place, {
      index: 'list',
      partition: listPartition.workspaces(place.organization.name, shard),
      from: sortableTime(Date.now() - 3_000),
    }),
  );

/** Builds the call that makes planned writes: an update of its own, or a transaction. */
const write = ({ tableName }: Place, writes: readonly Write[]): BareCall => {
  const parts = writes.map((one) => transactionItem(tableName, one));
  const [first, ...others] = parts;
  return first?.Update !== undefined && others.length === 0
    ? { command: 'update', input: { ...first.Update, ReturnValues: 'ALL_NEW' } }
    : { command: 'transact', input: { TransactItems: parts } };
};

const show = (place: Place): readonly Round[] => [[workspace(place)], parents(place)];
const changed =
  (plan: (spare: Spare) => readonly Write[]) =>
  (place: Place): readonly Round[] => [...show(place), [write(place, plan(place.spare))]];
/** Batch read of workspaces. */
const workspaces = (place: Place, of: readonly { readonly id: string }[]): BareCall =>
  batchGet(
    place,
    of.map(({ id }) => keys.workspace(id)),
  );
const listed =
  (rows: number) =>
  (place: Place): readonly Round[] => {
    const { name, probe, others } = place.organization;
    return [
      [get(place, keys.organization(name)), ...delta(place)],
      [workspaces(place, [probe, ...others].slice(0, rows))],
    ];
  };

const ofProbe = ({ organization: { probe } }: Target) => ({ workspace_id: probe.id });
/** Chooses the workspace that a client changes. The probe stays as it is, because reads of it are measured too. */
const ofClient = ({ organization: { others }, client = others.length - 1 }: Target) => ({
  workspace_id: others[client]?.id ?? '',
});

/** Variables that are created in a workspace before the next one takes its place. A workspace takes at most 1,000. */
const VARIABLES = 500;
const ofVariables = ({ organization: { others }, client = others.length - 1, turn }: Target) => ({
  workspace_id: others.at((client - Math.floor(turn / VARIABLES)) % others.length)?.id ?? '',
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
    floor: (place) => {
      const { name, probe } = place.organization;
      return [
        [get(place, keys.claim(name, 'workspace', probe.name), true), get(place, keys.organization(name))],
        [workspace(place), get(place, keys.project(probe.project))],
      ];
    },
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
    floor: (place) => [[workspace(place)], [...parents(place), queryProbe(place, prefixes.variables)]],
    events: 0,
  },
  {
    name: 'list consumers',
    function: 'remote-state-consumers',
    request: (place) => ({ routeId: 'remote-state-consumers.list', parameters: ofProbe(place) }),
    floor: (place) => [
      [workspace(place)],
      [...parents(place), ...delta(place), queryProbe(place, prefixes.consumers)],
      [workspaces(place, place.organization.others.slice(0, CONSUMERS))],
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
    floor: changed(planLockOrUnlock),
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
    floor: changed(planUpdate),
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
    floor: (place) => [
      [get(place, keys.organization(place.organization.name))],
      [get(place, keys.project(place.organization.defaultProject))],
      [write(place, planCreation(freshName()))],
    ],
    events: 1,
  },
  {
    name: 'create variable',
    function: 'variables',
    request: (place) => ({
      routeId: 'workspace-variables.create',
      parameters: ofVariables(place),
      body: variableBody(freshName()),
    }),
    floor: changed((spare) => planVariable(spare, freshName())),
    events: 1,
  },
];
