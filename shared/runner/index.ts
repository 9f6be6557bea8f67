import { DomainError } from '../domain/errors.ts';
import { type VariableInForce, variablesInForce } from '../domain/variable-sets/precedence.ts';
import {
  encryptionContext,
  isSensitive,
  requireAllowedReference,
  type Variable,
} from '../domain/workspace/variable.ts';
import { createDecryption, type Decrypt } from '../encryption/decrypt.ts';
import { createKeyClient } from '../encryption/key-client.ts';
import { mapWithConcurrency } from '../lib/concurrency.ts';
import { type AllowedReferences, NotReadable, openRunnerReads } from '../store/runner/variable-sources.ts';
import { readReference } from './read-reference.ts';
import { RunnerError } from './runner-error.ts';
import type { EffectiveVariable, ReadVariables, RunnerOptions } from './types.ts';

export { RunnerError } from './runner-error.ts';
export type * from './types.ts';

/** Number of values that are decrypted, or read from AWS, concurrently. */
const CONCURRENT = 16;

/**
 * Opens the variables of a deployment for programs that execute runs. They are read from the table and decrypted with the
 * credentials of the program, not through the API (docs/concepts/runners.md).
 *
 * @returns the function that reads the variables in force for a workspace. It can be called many times and concurrently;
 * nothing is cached.
 *
 * @example
 * const readVariables = openVariables({ tableName, secretsKeyArn, parameters: (region) => new SSM({ region }) });
 * const { variables } = await readVariables('ws-2jPTvTDXBPFzPGbT');
 * for (const { category, key, value } of variables) if (category === 'env') environment[key] = value;
 */
export const openVariables = (options: RunnerOptions): ReadVariables => {
  const { endpoints = {}, ...aws } = options.aws ?? {};
  const client = { ...aws, ...(endpoints.dynamodb !== undefined && { endpoint: endpoints.dynamodb }) };
  const reads = openRunnerReads({ tableName: options.tableName, client });
  const keyEndpoint = endpoints.kms === undefined ? {} : { endpoint: endpoints.kms };
  const decrypt = createDecryption([options.secretsKeyArn, ...(options.formerSecretsKeyArns ?? [])], (region) =>
    createKeyClient({ ...aws, ...keyEndpoint, region }),
  );

  return async (id) => {
    try {
      const sources = await reads.readSources(id);
      if (sources === undefined) throw new RunnerError('workspace-not-found', `There is no workspace ${id}`);
      const { workspace, own, sets } = sources;
      const inForce = variablesInForce(workspace, own, sets);
      const hasReferences = inForce.some(({ variable }) => 'reference' in variable.content);
      const allowed = hasReferences ? await reads.readAllowed(workspace) : undefined;
      if (allowed !== undefined) for (const one of inForce) requireAllowed(one, allowed);
      const variables = await mapWithConcurrency(inForce, CONCURRENT, async ({ variable, variableSet }) => ({
        ...plainAttributes(variable),
        value: await readValue(variable, decrypt, options),
        ...(variableSet !== undefined && { variableSet: variableSet.id }),
      }));
      return { workspace, variables };
    } catch (error) {
      throw toRunnerError(error);
    }
  };
};

const plainAttributes = (variable: Variable): Omit<EffectiveVariable, 'value'> => {
  const { id, category, key, hcl, content } = variable;
  const reference = 'reference' in content ? content.reference : undefined;
  return {
    id,
    category,
    key,
    hcl,
    sensitive: isSensitive(variable) || reference !== undefined,
    ...(reference !== undefined && { reference }),
  };
};

/** Requires that a value reference is below a prefix that is allowed now, also if it was when it was stored (RUNNER-3). */
const requireAllowed = ({ variable, variableSet }: VariableInForce, { organization, project }: AllowedReferences) => {
  const { content, key } = variable;
  if (!('reference' in content)) return;
  // The prefixes of a project hold for its workspaces and for the variable sets that it owns (VAR-18).
  const isOfProject = variableSet === undefined || variableSet.project !== undefined;
  try {
    requireAllowedReference(content.reference, organization, isOfProject ? project : undefined);
  } catch (error) {
    const message = `${content.reference} of ${key} is not below an allowed-value-references prefix`;
    throw new RunnerError('reference-not-allowed', message, error);
  }
};

const readValue = async (variable: Variable, decrypt: Decrypt, options: RunnerOptions): Promise<string> => {
  const { content } = variable;
  if ('reference' in content) return readReference(content.reference, options);
  if ('value' in content) return content.value;
  try {
    return await decrypt(content.encryptedValue, encryptionContext(variable));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new RunnerError(
      'decryption-failed',
      `The value of ${variable.key} (${variable.id}) cannot be decrypted`,
      error,
    );
  }
};

const toRunnerError = (error: unknown): unknown => {
  if (error instanceof NotReadable) {
    const message = `${error.message}, or one of its attributes. Grant it with grantReadSecrets.`;
    return new RunnerError('access-denied', message, error.cause);
  }
  if (error instanceof DomainError) return new RunnerError('unavailable', error.message, error.cause);
  return error;
};
