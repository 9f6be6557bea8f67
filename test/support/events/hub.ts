import { CreateTableCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createHandler as createReader } from '../../../functions/hub/reader/handler.ts';
import { createHandler as createReceiver } from '../../../functions/hub/receiver/receive.ts';
import { sendSnapshot } from '../../../functions/hub/snapshot/send-snapshot.ts';
import { publishBatch } from '../../../functions/publish/publish.ts';
import { compilePattern } from '../../../infra/local/assembly/event-pattern.ts';
import type { Member } from '../../../shared/domain/hub/hub-row.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Transition } from '../../../shared/domain/transitions/transition.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { openBus } from '../../../shared/events/bus.ts';
import { openDeadLetters } from '../../../shared/events/dead-letters.ts';
import { forwardedEvents, snapshotCommands } from '../../../shared/events/sources.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { openDatabase } from '../../../shared/store/dynamodb/database.ts';
import { tableKeys } from '../../../shared/store/dynamodb/table-definition.ts';
import { openHubStore } from '../../../shared/store/hub/hub-store.ts';
import { hubIndexes } from '../../../shared/store/hub/hub-table.ts';
import { openWorkspaceScan } from '../../../shared/store/workspaces/scan-workspaces.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { newWorkspace } from '../api/new-workspace.ts';
import type { TestEngine } from '../engine/engine.ts';
import { deliver } from '../engine/stream-mapping.ts';
import { followStream } from '../engine/table-stream.ts';
import { startTestBus } from './test-bus.ts';

/** An event as EventBridge delivers it to the hub. */
export type ForwardedEvent = Readonly<Record<string, unknown>> & Member;

/** Creates the table of the hub. @returns its name. */
const createHubTable = async (client: DynamoDBClientConfig): Promise<string> => {
  const TableName = `hub-${base58(8)}`;
  const dynamodb = new DynamoDBClient(client);
  const all = [tableKeys, ...Object.values(hubIndexes)];
  const toSchema = ({ partitionKey, sortKey }: { partitionKey: string; sortKey: string }) => [
    { AttributeName: partitionKey, KeyType: 'HASH' as const },
    { AttributeName: sortKey, KeyType: 'RANGE' as const },
  ];
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: all
        .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
        .map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: toSchema(tableKeys),
      GlobalSecondaryIndexes: Object.entries(hubIndexes).map(([IndexName, keys]) => ({
        IndexName,
        KeySchema: toSchema(keys),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  );
  dynamodb.destroy();
  return TableName;
};

/** Starts a hub with a table of its own. */
export const startHub = async ({ client }: Pick<TestEngine, 'client'>) => {
  const bus = await startTestBus();
  const tableName = await createHubTable(client);
  let skew = 0;
  const clock = () => Date.now() + skew;
  const store = openHubStore({ tableName, client }, clock);
  const reader = createReader(store, clock);
  const logger = createLogger('hub-receiver');
  return {
    tableName,
    store,
    ingest: createReceiver({ store, deadLetters: openDeadLetters(bus.queueUrl, bus.client), logger }),
    /** Sends a query to the reader. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every query.
    query: (parameters: object): Promise<any> => reader(parameters),
    /** Moves the clock of the hub. */
    skew: (milliseconds: number) => {
      skew = milliseconds;
    },
    letters: bus.letters as { reason: string; event: unknown }[],
    stop: bus.stop,
  };
};

export type TestHub = Awaited<ReturnType<typeof startHub>>;

/** Starts a deployment in an account and region, with a table of its own and the functions that send events. */
export const startMember = async (engine: TestEngine, member: Member, deployment = 'holdfast') => {
  const bus = await startTestBus();
  const tableName = await engine.createTable();
  const database = openDatabase({ tableName, client: engine.client });
  const workspaces = openWorkspaces(database, Date.now);
  const stream = await followStream({ endpoint: engine.endpoint, tableName });
  const shared = {
    bus: openBus(deployment, bus.client),
    deadLetters: openDeadLetters(bus.queueUrl, bus.client),
    clock: Date.now,
  };
  const publish = publishBatch({ ...shared, logger: createLogger('publish') });
  const snapshot = sendSnapshot({
    ...shared,
    scan: openWorkspaceScan(database, 1),
    logger: createLogger('hub-snapshot'),
  });
  const isForwarded = compilePattern(forwardedEvents);
  const isCommand = compilePattern(snapshotCommands);

  /** Takes the events from the bus, as rules receive them. */
  const takeEvents = (): ForwardedEvent[] =>
    bus.received.splice(0).map(({ source, type, resources, detail }) => ({
      ...{ version: '0', id: base58(22), ...member, source, 'detail-type': type, resources, detail },
      time: new Date().toISOString(),
    }));

  const apply = async (id: string, transition: (request: RequestContext) => Transition): Promise<Workspace> => {
    const image = (await workspaces.find(id)) as Workspace;
    const request = { id: base58(8), principal: { kind: 'user', id: 'user-ada', name: 'ada' } } as const;
    return workspaces.apply(image, transition(request), request);
  };

  return {
    create: async (organization: string, name: string): Promise<Workspace> => {
      const workspace = newWorkspace({ organization, project: 'prj-x' }, { name });
      await workspaces.create(workspace, 4);
      return workspace;
    },
    apply,
    lock: (id: string, reason = '') =>
      apply(id, (request) => lock(request, { id: `lock-${base58(16)}`, reason, at: Date.now() })),
    unlock: (id: string) => apply(id, (request) => forceUnlock(request)),
    /** Publishes the changes since the last call. @returns the events that the rule of the member forwards. */
    forward: async (): Promise<ForwardedEvent[]> => {
      await deliver(publish, await stream.sinceLast());
      return takeEvents().filter(isForwarded);
    },
    /**
     * Sends a snapshot, with all commands that continue it.
     * @param milliseconds time of each invocation.
     */
    snapshot: async (milliseconds = 900_000): Promise<{ events: ForwardedEvent[]; invocations: number }> => {
      const events: ForwardedEvent[] = [];
      let invocations = 0;
      let command: object | undefined = { detail: {} };
      while (command !== undefined) {
        await snapshot(command, { getRemainingTimeInMillis: () => milliseconds });
        invocations += 1;
        const sent = takeEvents();
        events.push(...sent.filter(isForwarded));
        command = sent.find(isCommand);
      }
      return { events, invocations };
    },
    snapshotCommand: (detail: unknown) => snapshot({ detail }, { getRemainingTimeInMillis: () => 900_000 }),
    letters: bus.letters as { reason: string }[],
    stop: bus.stop,
  };
};

export type TestMember = Awaited<ReturnType<typeof startMember>>;
