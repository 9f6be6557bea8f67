import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { workspaceOf } from '../items/workspace-items.ts';

/** A place in the index, after which a page starts. */
export type ScanPosition = Item;

/** Workspaces of one page, without long texts, and the start of the next page; undefined after the last one. */
export interface WorkspacePage {
  readonly workspaces: readonly Workspace[];
  readonly next: ScanPosition | undefined;
}

/** Reads one page of the workspaces of all organizations, deleted ones included. */
export type ScanWorkspaces = (start: ScanPosition | undefined) => Promise<WorkspacePage>;

/**
 * Opens the reader of all workspaces. The index supplies the ids, and the items are read with strong consistency, so that
 * the sequence number and the rest of a workspace belong together.
 * @param limit maximum number of workspaces on a page; as many as DynamoDB returns if absent.
 */
export const openWorkspaceScan =
  (
    { tableName: TableName, sendRead, getAll }: Pick<Database, 'tableName' | 'sendRead' | 'getAll'>,
    limit?: number,
  ): ScanWorkspaces =>
  async (start) => {
    const output = await sendRead(
      new ScanCommand({
        TableName,
        IndexName: 'list',
        ...(start && { ExclusiveStartKey: start }),
        ...(limit !== undefined && { Limit: limit }),
      }),
    );
    const items = (output.Items ?? []) as readonly Item[];
    const ids = items.flatMap(({ ty, id }) => (ty === 'workspace' ? [keys.workspace(String(id))] : []));
    return { workspaces: (await getAll(ids, true)).map((item) => workspaceOf(item)), next: output.LastEvaluatedKey };
  };
