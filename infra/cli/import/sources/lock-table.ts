import type { CallAws } from '../../exec/aws.ts';
import { Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';
import { toFailure } from './s3-requests.ts';

/** Table in which terraform keeps the locks and the digests of states, as the argument `dynamodb_table` of its backend names it. */
export interface LockTable {
  /** Returns the description of a lock. @returns undefined if the state is not locked. */
  readonly find: (id: string) => Promise<string | undefined>;
  /** Creates a lock. @returns false if there is one already. */
  readonly take: (id: string, description: string) => Promise<boolean>;
  /** Deletes a lock that has this description. Any other lock stays. */
  readonly release: (id: string, description: string) => Promise<void>;
  /** Stores the MD5 of a state, which terraform compares with what it reads. */
  readonly putDigest: (id: string, md5: string) => Promise<void>;
}

interface Item {
  readonly Info?: { readonly S?: string };
}

/** Opens the table of locks. */
export const openLockTable = ({ signal }: Io, call: CallAws, region: string, TableName: string): LockTable => {
  /** Calls an operation. @returns undefined if its condition is not met. */
  const send = async (operation: string, input: object) => {
    try {
      return await call('dynamodb', region, operation, { TableName, ...input });
    } catch (error) {
      signal.throwIfAborted();
      const { name, message } = error as Error;
      if (name === 'ConditionalCheckFailedException') return undefined;
      if (!/^[A-Z]\w+(Exception|Error)$/.test(name) || name === 'CredentialsProviderError') {
        throw toFailure(error, `The table ${TableName}`);
      }
      throw new Failure('notFound', `${operation} on the table ${TableName} failed. ${message.replace(/\.$/, '')}.`, {
        hint: 'See docs/operate/import-from-s3.md for the permissions that the import needs.',
        cause: error,
      });
    }
  };
  const Key = (id: string) => ({ LockID: { S: id } });
  return {
    find: async (id) => {
      const { Item } = ((await send('GetItem', { Key: Key(id), ConsistentRead: true })) ?? {}) as {
        readonly Item?: Item;
      };
      return Item === undefined ? undefined : (Item.Info?.S ?? '');
    },
    take: async (id, description) => {
      const item = { ...Key(id), Info: { S: description } };
      return (await send('PutItem', { Item: item, ConditionExpression: 'attribute_not_exists(LockID)' })) !== undefined;
    },
    release: async (id, description) => {
      const values = { ':info': { S: description } };
      await send('DeleteItem', {
        Key: Key(id),
        ConditionExpression: 'Info = :info',
        ExpressionAttributeValues: values,
      });
    },
    putDigest: async (id, md5) => {
      await send('PutItem', { Item: { ...Key(`${id}-md5`), Digest: { S: md5 } } });
    },
  };
};
