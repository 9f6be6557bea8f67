import { historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import type { Api } from '../api/api.ts';
import { deliver } from '../engine/stream-mapping.ts';
import { followStream } from '../engine/table-stream.ts';

/** Entry of a history in a response. */
export interface ShownEntry {
  readonly id: string;
  readonly attributes: {
    readonly sequence: number;
    readonly action: string;
    readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
    readonly 'resource-name': string | null;
    readonly 'token-id': string | null;
    readonly 'source-address': string | null;
    readonly changes: readonly ShownChange[];
    // biome-ignore lint/suspicious/noExplicitAny: tests read details of every action.
    readonly details: any;
  };
}

/** Change of an attribute in a response. */
export interface ShownChange {
  readonly attribute: string;
  readonly member?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read values of every attribute.
  readonly old: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly new: any;
  readonly withheld?: true;
}

/** Follows the stream of an API's table and writes its history, as the event source mapping does. */
export const followHistory = async (api: Api) => {
  const stream = await followStream(api.engine);
  /** Passes the records since the last call to the function. @returns them. */
  const record = async () => {
    const records = await stream.sinceLast();
    await deliver(({ Records }) => api.recordHistory(Records), records, { filters: historyFilters });
    return records;
  };
  return {
    record,
    /** Reads all pages of the history of a workspace, newest first. */
    read: async (workspace: string, token: string, query = 'page[size]=100'): Promise<readonly ShownEntry[]> => {
      await record();
      const entries: ShownEntry[] = [];
      let path: string | null = `/workspaces/${workspace}/history?${query}`;
      while (path !== null) {
        const { status, body } = await api.request('GET', path, { token });
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
        entries.push(...body.data);
        path = body.links.next?.replace(/^.*\/api\/v2/, '') ?? null;
      }
      return entries;
    },
  };
};
