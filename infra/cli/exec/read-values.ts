import { type EffectiveVariable, openVariables, type RunnerOptions } from '../../../shared/runner/index.ts';
import type { Emulation } from '../context/context.ts';
import type { Io } from '../io.ts';
import { type CallAws, defaultRegion, openAws } from './aws.ts';

/** Names of the environment variables that name the table and the keys of a deployment. */
const TABLE = 'HOLDFAST_TABLE_NAME';
const KEYS = 'HOLDFAST_SECRETS_KEY_ARN';

const CREDENTIALS_HINT = 'Use AWS credentials that may read them (AWS_PROFILE), or add --without-secrets.';

const READ_ATTEMPTS = 3;

const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

/** Values that cannot be read. The message is a sentence for the user. */
class NotReadable extends Error {
  /** Next step for the user, as a sentence. */
  readonly hint: string;

  constructor(message: string, hint: string, cause: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** Returns the reason of an error as sentences. Neither errors of the runner library nor those of AWS contain a value. */
const explain = (error: unknown): string => {
  const { name, message, cause } = error as Error;
  if (name === 'CredentialsProviderError') return 'There are no AWS credentials.';
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return `${message.replace(/\.$/, '')}${reason}.`;
};

/** Reads a parameter that the deployment publishes (docs/operate/deploy.md). */
const readPublished = async (call: CallAws, region: string, deployment: string, value: string): Promise<string> => {
  const Name = `/holdfast/${deployment}/${value}`;
  try {
    const { Parameter } = await call('ssm', region, 'GetParameter', { Name });
    return (Parameter as { readonly Value: string }).Value;
  } catch (error) {
    throw new NotReadable(
      `The parameter ${Name} cannot be read in ${region}. ${explain(error)}`,
      `Set ${TABLE} and ${KEYS} to outputs of the deployment, or --deployment and AWS_REGION to its name and region.`,
      error,
    );
  }
};

/** Returns the table and the keys of the deployment, and clients for what variables refer to. */
const locate = async (io: Io, deployment: string, emulation: Emulation | undefined): Promise<RunnerOptions> => {
  const call = openAws(io);
  const clients = (region: string): Pick<RunnerOptions, 'parameters' | 'secrets'> => ({
    parameters: (other = region) => ({ getParameter: (input) => call('ssm', other, 'GetParameter', input) }),
    secrets: (other) => ({ getSecretValue: (input) => call('secretsmanager', other, 'GetSecretValue', input) }),
  });
  if (emulation !== undefined) {
    const { region, tableName, secretsKeyArn, endpoints, credentials } = emulation;
    return {
      tableName,
      secretsKeyArn,
      aws: { region, endpoints, credentials: async () => credentials },
      ...clients(region),
    };
  }
  let [tableName, keys] = [io.env[TABLE], io.env[KEYS]];
  if (!tableName || !keys) {
    const region = await defaultRegion().catch((error: unknown) => {
      throw new NotReadable('No AWS region is named.', `Set AWS_REGION, or ${TABLE} and ${KEYS}.`, error);
    });
    tableName = await readPublished(call, region, deployment, 'table-name');
    keys = await readPublished(call, region, deployment, 'secrets-key-arn');
  }
  const [secretsKeyArn = '', ...formerSecretsKeyArns] = keys.split(',').map((arn) => arn.trim());
  const region = regionOf(secretsKeyArn);
  return { tableName, secretsKeyArn, formerSecretsKeyArns, aws: { region }, ...clients(region) };
};

/**
 * Reads all variables in force for a workspace, with their values, with the AWS credentials of the caller.
 * @param workspace its id.
 * @param deployment name of the deployment, whose parameters have the names of the table and the key.
 * @param emulation the local service in place of a deployment.
 * @throws an Error with the reason as a sentence and a `hint`.
 */
export const readValues = async (
  io: Io,
  workspace: string,
  deployment: string,
  emulation: Emulation | undefined,
): Promise<readonly EffectiveVariable[]> => {
  const read = openVariables(await locate(io, deployment, emulation));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await read(workspace)).variables;
    } catch (error) {
      io.signal.throwIfAborted();
      const { code } = error as { readonly code?: string };
      if (code !== 'unavailable' || attempt === READ_ATTEMPTS) {
        throw new NotReadable(explain(error), CREDENTIALS_HINT, error);
      }
      await io.wait(attempt * 1_000, io.signal);
    }
  }
};
