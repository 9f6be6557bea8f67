import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, AttributeValue as StreamedValue } from 'aws-lambda';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { workspaceOf } from '../workspaces/workspace-items.ts';
import type { Item } from './database.ts';

/** What the table's stream tells of workspaces' items. */

type Image = Record<string, StreamedValue>;

const plain = (image: Image): Item => unmarshall(image as Record<string, AttributeValue>);

const changeRecordId = (image: Image | undefined): string | undefined => image?.['chg']?.M?.['id']?.S;

/** Whether the write left a new change record on the workspace; housekeeping leaves the one that is there. */
export const hasNewChangeRecord = ({ dynamodb: { NewImage, OldImage } = {} }: DynamoDBRecord): boolean => {
  const id = changeRecordId(NewImage);
  return id !== undefined && id !== changeRecordId(OldImage);
};

/** The workspace as the write left it, but for its long text, which may lie elsewhere. */
export const workspaceIn = ({ dynamodb }: DynamoDBRecord): Workspace => workspaceOf(plain(dynamodb?.NewImage ?? {}));

/** Whose write it was, to tell those of one workspace from those of others. */
export const partitionOf = ({ dynamodb }: DynamoDBRecord): string => String(dynamodb?.Keys?.['pk']?.S);

/** What can be told of a write whatever is wrong with the rest of it: where it stands, and the change record if there is one. */
export const rawChangeRecordIn = ({ dynamodb: { Keys, NewImage, SequenceNumber } = {} }: DynamoDBRecord): Item => {
  const { seq, chg } = NewImage ?? {};
  return {
    position: SequenceNumber,
    keys: plain(Keys ?? {}),
    ...plain({ ...(seq && { sequence: seq }), ...(chg && { change: chg }) }),
  };
};
