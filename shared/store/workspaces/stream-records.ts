import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, AttributeValue as StreamedValue } from 'aws-lambda';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Item } from '../dynamodb/item.ts';
import { toCurrentVersion } from '../dynamodb/item-schemas.ts';
import { workspaceOf } from '../items/workspace-items.ts';

type Image = Record<string, StreamedValue>;

const plain = (image: Image): Item => unmarshall(image as Record<string, AttributeValue>);

const changeRecordId = (image: Image | undefined): string | undefined => image?.['chg']?.M?.['id']?.S;

/** Returns whether the write stored a new change record on the workspace; housekeeping writes leave the old one. */
export const hasNewChangeRecord = ({ dynamodb: { NewImage, OldImage } = {} }: DynamoDBRecord): boolean => {
  const id = changeRecordId(NewImage);
  return id !== undefined && id !== changeRecordId(OldImage);
};

/** Returns the workspace as the write left it, without its long text where that is an item of its own. */
export const workspaceIn = ({ dynamodb }: DynamoDBRecord): Workspace =>
  workspaceOf(toCurrentVersion(plain(dynamodb?.NewImage ?? {})));

/** Returns a key that the records of one workspace have in common, and no other records have. */
export const workspaceKeyIn = ({ dynamodb }: DynamoDBRecord): string => String(dynamodb?.Keys?.['pk']?.S);

/** Returns the parts of a record that can be reported whatever is wrong with the rest: position, key, change record. */
export const rawChangeRecordIn = ({ dynamodb: { Keys, NewImage, SequenceNumber } = {} }: DynamoDBRecord): Item => {
  const { seq, chg } = NewImage ?? {};
  return {
    position: SequenceNumber,
    keys: plain(Keys ?? {}),
    ...plain({ ...(seq && { sequence: seq }), ...(chg && { change: chg }) }),
  };
};
