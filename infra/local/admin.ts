/** `npm run admin`: sends a command to the admin function of the running local service, or of a deployment in AWS. */
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { PlainError, runProgram } from '../command-line.ts';
import { settingDefinitions } from '../settings/settings.ts';
import { type AdminCommand, type AdminTarget, parseAdminArguments, splitTarget } from './cli/admin-arguments.ts';
import { createLocalToken } from './cli/local-token.ts';
import { RESPONSE_MILLIS, sendUntilDone } from './cli/send-until-done.ts';
import { LOCAL_REGION } from './common/arns.ts';
import type { FunctionStatistics } from './lambda/functions.ts';
import { type AdminResponse, findAdminFunction, joinErrors } from './service/admin-function.ts';
import { readAccess, readCredentials } from './service/data-folder.ts';

interface AdminFunction {
  readonly client: LambdaClient;
  readonly name: string;
  /** Which service it is, for the operator. */
  readonly service: string;
}

const createClient = (config: LambdaClientConfig): LambdaClient =>
  // A command that has taken effect must not be sent again.
  new LambdaClient({ ...config, maxAttempts: 1, requestHandler: { requestTimeout: RESPONSE_MILLIS } });

const findLocal = async (): Promise<AdminFunction> => {
  const { dataFolder } = readLocalSettings();
  const [access, credentials] = [readAccess(dataFolder), readCredentials(dataFolder)];
  if (!access || !credentials) throw new PlainError(`There is no service in ${dataFolder}: start it with npm start`);
  const { origin } = new URL(access.baseUrl);
  const response = await fetch(`${origin}/_local/functions`).catch(() => {
    throw new PlainError(`The service does not respond at ${origin}: start it with npm start`);
  });
  const { functions = [] } = (await response.json().catch(() => ({}))) as { functions?: FunctionStatistics[] };
  const name = findAdminFunction(functions.map((each) => each.name));
  if (!response.ok || name === undefined)
    throw new PlainError(`The program that responds at ${origin} is not Holdfast`);
  const client = createClient({ endpoint: origin, region: LOCAL_REGION, credentials });
  return { client, name, service: `the local service at ${origin}` };
};

const findDeployed = async ({
  profile,
  region: requested,
  name = settingDefinitions.name.fallback,
}: AdminTarget): Promise<AdminFunction> => {
  const client = createClient({ ...(profile && { profile }), ...(requested && { region: requested }) });
  const region = await client.config.region().catch(() => {
    throw new PlainError('No region is configured: add --region before the command');
  });
  const from = profile === undefined ? '' : ` with the profile ${profile}`;
  return { client, name: `${name}-admin`, service: `the deployment ${name} in ${region}${from}` };
};

const usage = `Usage: npm run admin -- [--profile <profile>] [--region <region>] [--name <name>] <command> [--key value ...]

Sends a command to the admin function of the running local service or, with an option before the command, of a deployment
in AWS.

  npm run admin -- help            lists the commands
  npm run admin -- help <command>  describes a command

One command is not for the function. It prints an identity token of a pipeline, for a service that was started with
npm start -- --sign-in. The issuer, the audience and the times are added to the claims, unless they are given:

  npm run admin -- local-token --claims '{"sub":"repo:acme/network"}'`;

await runProgram(async () => {
  const { target, words } = splitTarget(process.argv.slice(2));
  if (words[0] === '--help' || words.join(' ') === 'help local-token') {
    console.log(usage);
    process.exit();
  }
  if (target === undefined && words[0] === 'local-token') {
    console.log(await createLocalToken(words.slice(1), readLocalSettings().dataFolder));
    return;
  }
  const command = parseAdminArguments(words);
  const { client, name, service } = target === undefined ? await findLocal() : await findDeployed(target);
  // On standard error, so that the response can be piped.
  console.error(`Sending ${command.command} to ${service}`);
  const send = async (one: AdminCommand): Promise<AdminResponse> => {
    const { Payload, FunctionError } = await client.send(
      new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(one) }),
    );
    const response = JSON.parse(Payload?.transformToString() ?? 'null') as AdminResponse;
    const errors = joinErrors(response);
    if (errors !== undefined) throw new PlainError(errors);
    if (FunctionError !== undefined) throw new PlainError(response?.errorMessage ?? FunctionError);
    return response;
  };
  const result = await sendUntilDone(command, send, console.error);
  client.destroy();
  console.log(typeof result === 'string' ? result : JSON.stringify(result, undefined, 2));
});
