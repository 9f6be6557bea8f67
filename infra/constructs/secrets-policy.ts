import {
  type AllowedReads,
  everyId,
  type GrantedIds,
  malformedIds,
  type OwnerKind,
  ownerReads,
  scopeReads,
} from '../../shared/store/runner/access.ts';

/** Workspaces and variable sets whose variables, secrets included, a program may read. */
export interface ReadableSecrets {
  /** Ids of workspaces, or `all` for all workspaces of the deployment, also future ones. */
  readonly workspaces: GrantedIds;
  /**
   * Ids of the variable sets that apply to the workspaces, or `all`. Default: none. A program cannot read the variables of a
   * workspace if a variable set is missing that may apply to it.
   */
  readonly variableSets?: GrantedIds;
}

/** The resources of a deployment that contain secrets. */
export interface SecretsData {
  readonly table: { readonly arn: string; readonly keyArn: string };
  readonly secretsKeyArn: string;
}

/**
 * Maximum number of characters of all conditions. IAM allows 10,240 for all inline policies of a role, without white space,
 * and the role has other statements.
 */
const MAX_POLICY_CHARACTERS = 8_000;

type Conditions = Record<string, Record<string, unknown>>;

/** A statement that allows actions. */
export interface AllowStatement {
  readonly actions: readonly string[];
  readonly resourceArns: readonly string[];
  readonly conditions: Conditions;
}

/**
 * Builds the statements that allow reading variables with the runner library, and nothing else (RUNNER-5): the table by
 * leading keys and attributes, the key of secrets by encryption context.
 * @param region region of the deployment.
 * @throws RangeError for an empty list, an id of another form, or too many ids for a policy.
 */
export const readSecretsStatements = (
  { table, secretsKeyArn }: SecretsData,
  { workspaces, variableSets }: ReadableSecrets,
  region: string,
): readonly AllowStatement[] => {
  const granted: readonly (readonly [OwnerKind, GrantedIds])[] = [
    ['workspace', checkIds('workspaces', 'workspace', workspaces)],
    ...(variableSets === undefined
      ? []
      : [['variableSet', checkIds('variableSets', 'variableSet', variableSets)] as const]),
  ];
  const statements = [
    ...[...granted.map(([kind, ids]) => ownerReads(kind, ids)), ...scopeReads()].map((reads) => ({
      actions: reads.actions.map((action) => `dynamodb:${action}`),
      resourceArns: [table.arn],
      conditions: tableConditions(reads),
    })),
    // DynamoDB uses the key of the table with the permissions of the caller.
    {
      actions: ['kms:Decrypt'],
      resourceArns: [table.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${region}.amazonaws.com` } },
    },
    ...granted.map(([kind, ids]) => ({
      actions: ['kms:Decrypt'],
      resourceArns: [secretsKeyArn],
      conditions: contextConditions(kind, ids),
    })),
  ];
  checkSize(statements);
  return statements;
};

/** Returns the ids, after a check of their form: an id with a wildcard or a policy variable would match other ids. */
const checkIds = (option: string, kind: OwnerKind, ids: GrantedIds): GrantedIds => {
  if (ids === 'all') return ids;
  if (ids.length === 0) throw new RangeError(`${option} is empty. Name at least one id, or 'all'.`);
  const malformed = malformedIds(kind, ids);
  if (malformed.length > 0)
    throw new RangeError(`${option} must be complete ids that match ${everyId(kind)}: ${malformed.join(', ')}`);
  return [...new Set(ids)];
};

const checkSize = (statements: readonly AllowStatement[]): void => {
  const characters = JSON.stringify(statements.map(({ conditions }) => conditions)).length;
  if (characters <= MAX_POLICY_CHARACTERS) return;
  throw new RangeError(
    `The conditions for so many workspaces and variable sets have ${characters} characters, more than ` +
      `${MAX_POLICY_CHARACTERS}. Divide them among several roles, or use 'all'.`,
  );
};

/** A request without leading keys or attributes satisfies `ForAllValues`, so both are required to be present. */
const tableConditions = ({ leadingKeys, hasWildcards, attributes }: AllowedReads): Conditions => {
  const keys = { 'dynamodb:LeadingKeys': leadingKeys };
  const names = { 'dynamodb:Attributes': attributes };
  return {
    ...(hasWildcards
      ? { 'ForAllValues:StringLike': keys, 'ForAllValues:StringEquals': names }
      : { 'ForAllValues:StringEquals': { ...keys, ...names } }),
    StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
  };
};

/** Limits decryption to the encryption contexts of the variables (VAR-14, VARSET-8). */
const contextConditions = (kind: OwnerKind, ids: GrantedIds): Conditions => {
  const owner = `kms:EncryptionContext:${kind}`;
  return {
    ...(ids === 'all' ? {} : { StringEquals: { [owner]: ids } }),
    StringLike: {
      ...(ids === 'all' && { [owner]: everyId(kind) }),
      'kms:EncryptionContext:variable': everyId('variable'),
    },
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': [kind, 'variable'] },
  };
};
