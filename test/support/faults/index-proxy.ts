import { createServer, type IncomingHttpHeaders, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { indexes, tableKeys } from '../../../shared/store/dynamodb/table-definition.ts';
import type { TestEngine } from '../engine/engine.ts';

/** A proxy that returns old data for eventually consistent reads, which the engines of the tests do not do. */
export interface IndexProxy {
  readonly endpoint: string;
  /** Makes queries of the index return its present content, whatever is written later. */
  readonly freeze: () => Promise<void>;
  /** Makes eventually consistent batch reads return the present items, whatever is written later. */
  readonly freezeItems: () => Promise<void>;
  /** Ends the effect of `freeze` and `freezeItems`. */
  readonly thaw: () => void;
  /** Limits the items on a page of the index; undefined means the limit of the engine. */
  readonly limit: (items: number | undefined) => void;
  /** Runs an action before each `every`th query of the index reaches the engine. */
  readonly beforeQueries: (every: number, act: (() => Promise<unknown>) | undefined) => void;
  readonly stop: () => Promise<void>;
}

type Item = Record<string, AttributeValue>;
interface Query {
  readonly IndexName?: string;
  readonly ExpressionAttributeValues: Record<string, { readonly S: string }>;
}
interface BatchGet {
  readonly RequestItems: Record<string, { readonly Keys: readonly Item[]; readonly ConsistentRead?: boolean }>;
}

const { partitionKey, sortKey } = indexes.list;
const textOf = (item: Item, attribute: string): string => item[attribute]?.S ?? '';

export const startIndexProxy = async ({ endpoint, client, tableName }: TestEngine): Promise<IndexProxy> => {
  let frozen: readonly Item[] | undefined;
  let frozenItems: ReadonlyMap<string, Item> | undefined;
  let limit: number | undefined;
  let queries = 0;
  let hook: { readonly every: number; readonly act: () => Promise<unknown> } | undefined;

  const queryFrozenItems = (items: readonly Item[], { ExpressionAttributeValues: values }: Query): object => {
    const { ':pk': partition, ':from': from, ':until': until } = values;
    const Items = items
      .filter((item) => {
        const key = textOf(item, sortKey);
        return textOf(item, partitionKey) === partition?.S && key >= (from?.S ?? '') && key <= (until?.S ?? '~');
      })
      .sort((a, b) => (textOf(a, sortKey) < textOf(b, sortKey) ? -1 : 1));
    return { Items, Count: Items.length, ScannedCount: Items.length };
  };

  const keyOf = (item: Item): string => `${textOf(item, tableKeys.partitionKey)} ${textOf(item, tableKeys.sortKey)}`;
  const scan = async (IndexName?: string): Promise<readonly Item[]> => {
    const scanner = new DynamoDBClient(client);
    const items: Item[] = [];
    for await (const page of paginateScan({ client: scanner }, { TableName: tableName, IndexName })) {
      items.push(...(page.Items ?? []));
    }
    scanner.destroy();
    return items;
  };

  /** Returns undefined when the read is strongly consistent, or the items are not frozen. */
  const getFrozenItems = ({ RequestItems }: BatchGet): object | undefined => {
    const { Keys, ConsistentRead } = RequestItems[tableName] ?? { Keys: [] };
    if (ConsistentRead === true || frozenItems === undefined) return undefined;
    return {
      Responses: { [tableName]: Keys.map((key) => frozenItems?.get(keyOf(key))).filter((item) => item !== undefined) },
    };
  };

  const forward = (path: string, headers: IncomingHttpHeaders, body: Buffer, outgoing: ServerResponse): void => {
    send(endpoint + path, { method: 'POST', headers: { ...headers, 'content-length': body.length } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    })
      .on('error', () => outgoing.destroy())
      .end(body);
  };

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { url = '/', headers } = incoming;
    const respond = (document: object) => {
      outgoing.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(document));
    };
    const operation = String(headers['x-amz-target']).split('.')[1];
    if (operation === 'BatchGetItem') {
      const late = getFrozenItems(JSON.parse(body.toString()));
      return late === undefined ? forward(url, headers, body, outgoing) : respond(late);
    }
    if (operation !== 'Query') return forward(url, headers, body, outgoing);
    const query: Query = JSON.parse(body.toString());
    if (query.IndexName !== 'list') return forward(url, headers, body, outgoing);
    queries++;
    if (hook !== undefined && queries % hook.every === 0) await hook.act();
    if (frozen !== undefined) return respond(queryFrozenItems(frozen, query));
    const limited = limit === undefined ? body : Buffer.from(JSON.stringify({ ...query, Limit: limit }));
    return forward(url, headers, limited, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze: async () => {
      frozen = await scan('list');
    },
    freezeItems: async () => {
      frozenItems = new Map((await scan()).map((item) => [keyOf(item), item]));
    },
    thaw: () => {
      frozen = undefined;
      frozenItems = undefined;
    },
    limit: (items) => {
      limit = items;
    },
    beforeQueries: (every, act) => {
      hook = act && { every, act };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
