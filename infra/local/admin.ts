/** `npm run admin -- <command> [--key value ...]`: sends a command to the admin function of the running service. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { parseAdminArguments } from './cli/admin-arguments.ts';
import { LOCAL_REGION } from './common/arns.ts';
import { messageFrom, PlainError } from './common/plain-error.ts';
import type { FunctionStatistics } from './lambda/functions.ts';
import { type AdminResponse, findAdminFunction, joinErrors } from './service/admin-function.ts';
import { readAccess, readCredentials } from './service/data-folder.ts';

const findService = async () => {
  const { dataFolder } = readLocalSettings();
  const [access, credentials] = [readAccess(dataFolder), readCredentials(dataFolder)];
  if (!access || !credentials) throw new PlainError(`There is no service in ${dataFolder}: start it with npm start`);
  const { origin } = new URL(access.baseUrl);
  const response = await fetch(`${origin}/_local/functions`).catch(() => {
    throw new PlainError(`The service does not respond at ${origin}: start it with npm start`);
  });
  const { functions = [] } = (await response.json().catch(() => ({}))) as { functions?: FunctionStatistics[] };
  const admin = findAdminFunction(functions.map(({ name }) => name));
  if (!response.ok || admin === undefined)
    throw new PlainError(`The program that responds at ${origin} is not Holdfast`);
  return { origin, admin, credentials };
};

try {
  const command = parseAdminArguments(process.argv.slice(2));
  const { origin, admin, credentials } = await findService();
  const client = new LambdaClient({ endpoint: origin, region: LOCAL_REGION, credentials, maxAttempts: 1 });
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName: admin, Payload: JSON.stringify(command) }),
  );
  client.destroy();
  const result = JSON.parse(Payload?.transformToString() ?? 'null') as AdminResponse;
  const errors = joinErrors(result);
  if (errors !== undefined) throw new PlainError(errors);
  if (FunctionError !== undefined) throw new PlainError(result?.errorMessage ?? FunctionError);
  console.log(typeof result === 'string' ? result : JSON.stringify(result, undefined, 2));
} catch (error) {
  console.error(messageFrom(error));
  process.exitCode = 1;
}
