import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../../domain/errors.ts';
import { appliesTo, type SetVariables } from '../../domain/variable-sets/precedence.ts';
import type { VariableSet } from '../../domain/variable-sets/variable-set.ts';
import type { Variable } from '../../domain/workspace/variable.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { backoff, retry, tryAgain } from '../../lib/retry.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../dynamodb/database.ts';
import { toCurrentVersion } from '../dynamodb/item-schemas.ts';
import { assignmentPartition, type Item, type Key, keys, prefixes, variablePartition } from '../dynamodb/keys.ts';
import { openSdkClient } from '../dynamodb/sdk-client.ts';
import { isOpen } from '../items/directory-items.ts';
import { variableOf } from '../items/variable-items.ts';
import { globalVariablesOf, variableSetOf } from '../items/variable-set-items.ts';
import { ownerAttributes, scopeAttributes } from './access.ts';

/** The workspace whose variables are read. */
export interface RunnerWorkspace {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly project: string;
}

/** A workspace with all variables that may be in force for it, as they were at one time (RUNNER-6). */
export interface VariableSources {
  readonly workspace: RunnerWorkspace;
  readonly own: readonly Variable[];
  readonly sets: readonly SetVariables[];
}

/** Prefixes of allowed value references, in the form of the records that have them. */
export interface AllowedReferences {
  readonly organization: { readonly allowedValueReferences: readonly string[] };
  readonly project: { readonly allowedValueReferences: readonly string[] };
}

/** The role may not read a workspace, or a variable set that may apply to it. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
  /** Id of the workspace, the project or the variable set, or the name of the organization. */
  readonly owner: string;

  constructor(owner: string, cause: unknown) {
    super(`The role has no permission to read ${owner}`, { cause });
    this.owner = owner;
  }
}

/** Everything that decides which variables may be in force, with the number of changes of each part. */
interface Heads {
  readonly workspace: RunnerWorkspace;
  readonly sets: readonly VariableSet[];
  readonly stamp: string;
}

/** Number of variable sets that are read concurrently. */
const CONCURRENT = 16;
/** Attempts to read all parts without a change in between, and the first pause between them in milliseconds. */
const ATTEMPTS = 5;
const FIRST_PAUSE = 20;

const isDenied = (error: unknown): boolean => error instanceof Error && error.name === 'AccessDeniedException';

type RunnerDatabase = Pick<Database, 'query' | 'sendRead' | 'tableName'>;

/** Opens reads of some attributes of items. They throw `NotReadable` if the role of the runner may not read the owner. */
const openReads = (database: RunnerDatabase) => {
  const reading = async <T>(owner: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw isDenied(error) ? new NotReadable(owner, error) : error;
    }
  };

  const getItem = async (owner: string, Key: Key, only: readonly string[]): Promise<Item | undefined> => {
    const names = only.map((_, position) => `#a${position}`);
    const { Item } = await reading(
      owner,
      database.sendRead(
        new GetCommand({
          TableName: database.tableName,
          Key,
          ConsistentRead: true,
          ProjectionExpression: names.join(),
          ExpressionAttributeNames: Object.fromEntries(names.map((name, position) => [name, only[position] ?? ''])),
        }),
      ),
    );
    return Item && toCurrentVersion(Item);
  };

  const queryItems = (owner: string, partition: string, beginsWith: string, only: readonly string[]): Promise<Item[]> =>
    reading(owner, database.query({ partition, beginsWith, only, consistent: true }));

  return { getItem, queryItems };
};

/**
 * Opens the reads of the runner library, which are strongly consistent. They never read an attribute that `access.ts` does not
 * list.
 */
export const openRunnerReads = (options: Pick<DatabaseOptions, 'tableName' | 'client'>) => {
  const database = openDatabase({ ...options, createClient: openSdkClient });
  const { getItem, queryItems } = openReads(database);

  const assignedTo = async (target: string, only: readonly string[]): Promise<string[]> => {
    const items = await queryItems(target, assignmentPartition(target), prefixes.assignedVariableSets, only);
    return items.map((item) => String(item['variableSet']));
  };

  const variablesOf = async (owner: string): Promise<Variable[]> =>
    (await queryItems(owner, variablePartition(owner), prefixes.variables, ownerAttributes.variable)).map(variableOf);

  const readHeads = async (id: string): Promise<Heads | undefined> => {
    const item = await getItem(id, keys.workspace(id), ownerAttributes.workspace);
    if (!isOpen(item)) return undefined;
    const { name, org, prj } = item;
    const workspace = { id, name, organization: org, project: prj } as RunnerWorkspace;
    const [own, ofProject, global] = await Promise.all([
      assignedTo(id, ownerAttributes.assigned),
      assignedTo(workspace.project, scopeAttributes.assigned),
      getItem(workspace.organization, keys.globalVariables(workspace.organization), scopeAttributes.global),
    ]);
    const ids = [...new Set([...own, ...ofProject, ...globalVariablesOf(global).sets])].sort();
    const items = await mapWithConcurrency(ids, CONCURRENT, (set) =>
      getItem(set, keys.variableSet(set), ownerAttributes.variableSet),
    );
    const sets = items.filter(isOpen).map(variableSetOf);
    return {
      workspace,
      sets: sets.filter((variableSet) => appliesTo(variableSet, workspace)),
      stamp: JSON.stringify([item['seq'], ...sets.map(({ id: set, sequence }) => [set, sequence])]),
    };
  };

  return {
    /**
     * Reads a workspace and its variables. Returns undefined if it does not exist or is deleted.
     * @throws DomainError `unavailable` if the variables keep changing; NotReadable.
     */
    readSources: async (id: string): Promise<VariableSources | undefined> => {
      let heads = await readHeads(id);
      return retry(
        async () => {
          if (heads === undefined) return undefined;
          const { workspace, sets, stamp } = heads;
          const [own, ...ofSets] = await mapWithConcurrency(
            [id, ...sets.map((variableSet) => variableSet.id)],
            CONCURRENT,
            variablesOf,
          );
          // Each change of a variable or an assignment also changes the number of its workspace or variable set.
          heads = await readHeads(id);
          if (heads?.stamp !== stamp) return tryAgain;
          return {
            workspace,
            own: own ?? [],
            sets: sets.map((variableSet, index) => ({ variableSet, variables: ofSets[index] ?? [] })),
          };
        },
        {
          attempts: ATTEMPTS,
          pause: backoff(FIRST_PAUSE),
          exhausted: () => unavailable('The variables of the workspace keep changing. Try again shortly.'),
        },
      );
    },

    /** Reads the prefixes that the owners of the organization and of the project allow. */
    readAllowed: async ({ organization, project }: RunnerWorkspace): Promise<AllowedReferences> => {
      const read = async (owner: string, key: Key) => ({
        allowedValueReferences: ((await getItem(owner, key, scopeAttributes.allowed))?.['allowedValueReferences'] ??
          []) as readonly string[],
      });
      const [ofOrganization, ofProject] = await Promise.all([
        read(organization, keys.organization(organization)),
        read(project, keys.project(project)),
      ]);
      return { organization: ofOrganization, project: ofProject };
    },
  };
};
