/** `npm run admin -- <command> [--key value ...]`: sends a command to the admin function of the running service. */
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { messageOf, PlainError } from './gateway/plain-error.ts';
import type { FunctionStatistics } from './lambda/functions.ts';
import { parseAdminArguments } from './service/admin-arguments.ts';
import { type AdminAnswer, adminFunctionIn, refusalIn } from './service/admin-function.ts';
import { readAccess } from './service/data-folder.ts';

const call = async (origin: string, path: string, body?: string): Promise<Response> => {
  try {
    return await fetch(origin + path, body === undefined ? {} : { method: 'POST', body });
  } catch {
    throw new PlainError(`The service does not answer at ${origin}: start it with npm start`);
  }
};

const findService = async (): Promise<{ origin: string; admin: string }> => {
  const { dataFolder } = readLocalSettings();
  const access = readAccess(dataFolder);
  if (!access) throw new PlainError(`There is no service in ${dataFolder}: start it with npm start`);
  const { origin } = new URL(access.baseUrl);
  const answer = await call(origin, '/_local/functions');
  const { functions = [] } = (await answer.json().catch(() => ({}))) as { functions?: FunctionStatistics[] };
  const admin = adminFunctionIn(functions.map(({ name }) => name));
  if (!answer.ok || admin === undefined) throw new PlainError(`What answers at ${origin} is not the service`);
  return { origin, admin };
};

try {
  const command = parseAdminArguments(process.argv.slice(2));
  const { origin, admin } = await findService();
  const answer = await call(origin, `/2015-03-31/functions/${admin}/invocations`, JSON.stringify(command));
  const result = (await answer.json()) as AdminAnswer;
  const refused = refusalIn(result);
  if (refused !== undefined) throw new PlainError(refused);
  if (!answer.ok || answer.headers.has('x-amz-function-error'))
    throw new PlainError(result?.errorMessage ?? result?.message ?? `The admin function answered ${answer.status}`);
  console.log(typeof result === 'string' ? result : JSON.stringify(result, undefined, 2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
