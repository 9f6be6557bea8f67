import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, AttributeValue as StreamedValue } from 'aws-lambda';
import type { VariableSetChange } from '../../domain/changes/change-records.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { toCurrentVersion } from '../dynamodb/item-schemas.ts';
import { type Item, VARIABLE_SET, WORKSPACE } from '../dynamodb/keys.ts';
import { changedResourceOf, changeOf } from '../items/changed-resource.ts';
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

/** Returns what a record is about: a workspace, a variable set, or an organization or what belongs to it. */
export const subjectKindIn = ({ dynamodb }: DynamoDBRecord): 'workspace' | 'variable-set' | 'organization' => {
  const sk = dynamodb?.Keys?.['sk']?.S;
  return sk === WORKSPACE ? 'workspace' : sk === VARIABLE_SET ? 'variable-set' : 'organization';
};

/** Returns both images of a record: the item before and after the write, undefined where there was none. */
export const imagesIn = ({ dynamodb: { OldImage, NewImage } = {} }: DynamoDBRecord) => ({
  before: OldImage && toCurrentVersion(plain(OldImage)),
  after: NewImage && toCurrentVersion(plain(NewImage)),
});

/** Returns the sort key of the item that a record is about. */
export const sortKeyIn = ({ dynamodb }: DynamoDBRecord): string => String(dynamodb?.Keys?.['sk']?.S);

/** Returns the time of the write, in milliseconds. DynamoDB rounds it to seconds. It never decreases for one item. */
export const creationTimeIn = ({ dynamodb }: DynamoDBRecord): number =>
  Math.round((dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000);

/** Returns the parts of a variable set, as the write left it, that its event needs. */
export const variableSetIn = ({ dynamodb }: DynamoDBRecord) => {
  const { id, organization, name, prj, global, seq, chg } = toCurrentVersion(plain(dynamodb?.NewImage ?? {}));
  return {
    id: String(id),
    organization: String(organization),
    name: String(name),
    project: prj as string | undefined,
    global: global === true,
    sequence: Number(seq),
    change: chg as VariableSetChange,
  };
};

/** Returns the resource of the directory that a write changed, the change record, and its sequence number. */
export const organizationChangeIn = ({ dynamodb }: DynamoDBRecord) => {
  const item = toCurrentVersion(plain(dynamodb?.NewImage ?? {}));
  return { resource: changedResourceOf(item), sequence: Number(item['seq']), change: changeOf(item) };
};

/** Returns a key that the records of one resource have in common, and no other records have. */
export const subjectKeyIn = ({ dynamodb }: DynamoDBRecord): string =>
  `${dynamodb?.Keys?.['pk']?.S} ${dynamodb?.Keys?.['sk']?.S}`;

/** Returns the parts of a record that can be reported whatever is wrong with the rest: position, key, change record. */
export const rawChangeRecordIn = ({ dynamodb: { Keys, NewImage, SequenceNumber } = {} }: DynamoDBRecord): Item => {
  const { seq, chg } = NewImage ?? {};
  return {
    position: SequenceNumber,
    keys: plain(Keys ?? {}),
    ...plain({ ...(seq && { sequence: seq }), ...(chg && { change: chg }) }),
  };
};
