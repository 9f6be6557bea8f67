/** `npm run admin -- <command> [--key value ...]`: sends a command to the admin function of the running service. */
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { parseAdminArguments } from './cli/admin-arguments.ts';
import { messageFrom, PlainError } from './common/plain-error.ts';
import type { FunctionStatistics } from './lambda/functions.ts';
import { type AdminResponse, findAdminFunction, joinErrors } from './service/admin-function.ts';
import { readAccess } from './service/data-folder.ts';

const request = async (origin: string, path: string, body?: string): Promise<Response> => {
  try {
    return await fetch(origin + path, body === undefined ? {} : { method: 'POST', body });
  } catch {
    throw new PlainError(`The service does not respond at ${origin}: start it with npm start`);
  }
};

const findService = async (): Promise<{ origin: string; admin: string }> => {
  const { dataFolder } = readLocalSettings();
  const access = readAccess(dataFolder);
  if (!access) throw new PlainError(`There is no service in ${dataFolder}: start it with npm start`);
  const { origin } = new URL(access.baseUrl);
  const response = await request(origin, '/_local/functions');
  const { functions = [] } = (await response.json().catch(() => ({}))) as { functions?: FunctionStatistics[] };
  const admin = findAdminFunction(functions.map(({ name }) => name));
  if (!response.ok || admin === undefined)
    throw new PlainError(`The program that responds at ${origin} is not Holdfast`);
  return { origin, admin };
};

try {
  const command = parseAdminArguments(process.argv.slice(2));
  const { origin, admin } = await findService();
  const response = await request(origin, `/2015-03-31/functions/${admin}/invocations`, JSON.stringify(command));
  const result = (await response.json()) as AdminResponse;
  const errors = joinErrors(result);
  if (errors !== undefined) throw new PlainError(errors);
  if (!response.ok || response.headers.has('x-amz-function-error'))
    throw new PlainError(
      result?.errorMessage ?? result?.message ?? `The admin function returned the status ${response.status}`,
    );
  console.log(typeof result === 'string' ? result : JSON.stringify(result, undefined, 2));
} catch (error) {
  console.error(messageFrom(error));
  process.exitCode = 1;
}
