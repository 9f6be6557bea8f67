import { RunnerError } from './runner-error.ts';
import type { RunnerOptions } from './types.ts';

const PATH = 'ssm:';

const readFrom = (reference: string, { parameters, secrets }: RunnerOptions): Promise<string | undefined> => {
  const [, , service, region = ''] = reference.split(':');
  const isPath = reference.startsWith(PATH);
  if (isPath || service === 'ssm') {
    if (parameters === undefined)
      throw new RunnerError('reference-not-readable', `The option parameters is required to read ${reference}`);
    const Name = isPath ? reference.slice(PATH.length) : reference;
    return parameters(isPath ? undefined : region)
      .getParameter({ Name, WithDecryption: true })
      .then(({ Parameter }) => Parameter?.Value);
  }
  if (secrets === undefined)
    throw new RunnerError('reference-not-readable', `The option secrets is required to read ${reference}`);
  return secrets(region)
    .getSecretValue({ SecretId: reference })
    .then(({ SecretString }) => SecretString);
};

/**
 * Reads the parameter or the secret that a value reference names (VAR-17).
 * @throws RunnerError `reference-not-readable`
 */
export const readReference = async (reference: string, options: RunnerOptions): Promise<string> => {
  const value = await readFrom(reference, options).catch((error: unknown) => {
    throw new RunnerError('reference-not-readable', `${reference} could not be read`, error);
  });
  if (value === undefined) throw new RunnerError('reference-not-readable', `${reference} has no text`);
  return value;
};
