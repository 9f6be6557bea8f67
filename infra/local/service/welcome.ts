import { resolve } from 'node:path';
import { hostBlock, LOCAL_HOST, type Services } from '../../../shared/client/host-block.ts';
import { messageFrom } from '../../command-line.ts';
import { demoPeople } from '../identity-provider/people.ts';
import { createSignInLink } from './admin-function.ts';
import { openOwnerApi } from './owner-api.ts';
import type { Service } from './service.ts';

/** Builds what `npm start` prints when the service runs. No line contains a token. */
export const welcome = async (service: Service, dataFolder: string): Promise<string> =>
  [
    '',
    ...(service.consoleUrl === undefined ? [] : [`Web console at ${service.consoleUrl}`]),
    `Holdfast runs at ${service.baseUrl}`,
    `Documentation at ${new URL('/docs', service.baseUrl)}`,
    ...describeOrganization(service, dataFolder),
    ...(await describeLink(service)),
    ...describeCommands(service, dataFolder),
    ...(await identities(service)),
    '',
    'Press Ctrl-C to stop it.',
  ].join('\n');

const describeOrganization = ({ organization, token }: Service, dataFolder: string): string[] => {
  if (organization === undefined) return [];
  return token === undefined
    ? [`Organization: ${organization}, created earlier; for a new token: npm run admin`]
    : [`Organization: ${organization}. The token of its owner is in ${dataFolder}/local.json`];
};

/** Describes a link that signs the owner in to the console. */
const describeLink = async (service: Service): Promise<string[]> => {
  const { consoleUrl, functions, token } = service;
  if (consoleUrl === undefined || token === undefined) return [];
  try {
    const { attributes } = await openOwnerApi(service)('GET', '/account/details');
    const username = String(attributes['username']);
    return [
      '',
      'Open the console with this link, which works once, within ten minutes:',
      `  ${await createSignInLink(functions, username)}`,
      `For another link: npm run --silent admin -- sign-in-link --username ${username}`,
    ];
  } catch (error) {
    // The owner may have revoked the token, or be suspended.
    return ['', `No link to the console could be created: ${messageFrom(error)}`];
  }
};

const describeCommands = ({ origin, organization, token }: Service, dataFolder: string): string[] => {
  if (organization === undefined || token === undefined) return [];
  const access = JSON.stringify(`${resolve(dataFolder)}/local.json`);
  const isFound = resolve(dataFolder) === resolve('.holdfast');
  return [
    '',
    'In a second terminal, in this folder, create a workspace, list the workspaces, and lock the new workspace:',
    // The command line finds the service of this folder only in the default data folder.
    ...(isFound
      ? []
      : [
          `  export HOLDFAST_URL=${origin} HOLDFAST_ORG=${organization}`,
          `  export HOLDFAST_TOKEN=$(node -p 'require(${access}).token')`,
        ]),
    '  npx holdfast ws create first',
    '  npx holdfast ws list',
    '  npx holdfast lock first',
  ];
};

const identities = async (service: Service): Promise<string[]> => {
  const { issuer, origin, consoleUrl } = service;
  if (issuer === undefined) return [];
  const people = Object.values(demoPeople).map(
    ({ name, groups = [] }) => `${name} (${groups.join(', ') || 'no group'})`,
  );
  return [
    '',
    `Identity provider at ${issuer} with ${people.join(', ')}`,
    `Token of a pipeline: npm run admin -- local-token --claims '{"sub":"…"}'`,
    // Behind a proxy with a name of its own, the command lines need no configuration.
    ...(consoleUrl === `${origin}/` ? ['', ...(await login(service))] : []),
  ];
};

const login = async ({ origin }: Service): Promise<string[]> => {
  const services = (await (await fetch(`${origin}/.well-known/terraform.json`)).json()) as Services;
  return [
    `For terraform login ${LOCAL_HOST}, put these lines into ~/.terraformrc:`,
    ...hostBlock(services, origin).map((line) => `  ${line}`),
  ];
};
