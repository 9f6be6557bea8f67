import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { showOrganization } from '../../../shared/client/organizations.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { callerRoutes, readCaller } from '../context/caller.ts';
import { openContext, resolveAddress } from '../context/context.ts';
import { describeStorage, findStorage, findToken, forgetToken, storeToken } from '../context/credentials.ts';
import { logInByDevice } from '../context/device-login.ts';
import { type Address, readToken, type Service } from '../context/service.ts';
import { readSettings, writeSettings } from '../context/settings.ts';
import { Failure, usageError } from '../failure.ts';
import { readText } from '../input.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { flag, optionalArgument } from '../parameters.ts';

const hostArgument = optionalArgument(
  'The host, such as holdfast.example.com. Default: the host that other commands use.',
);

/** Returns the service that the argument names, or that other commands use. */
const findAddress = ({ io, context }: Invocation, host: string | undefined): Promise<Address> => {
  if (host === undefined) return context.address();
  if (context.flags.url !== undefined) throw usageError('HOST and --url exclude each other.');
  return resolveAddress(io, host, 'HOST');
};

/** Returns the text that finds an address again: its URL, or the host if terraform is configured to use another URL for it. */
const toUrl = ({ host, origin }: Address): string => (new URL(origin).host === host ? origin : host);

/** Longest token in bytes, so that a wrong file is not read completely. */
const LONGEST_TOKEN = 4_096;

const askForToken = async (invocation: Invocation, address: Address): Promise<string> => {
  invocation.note(`Create a token at ${address.origin}/app/settings/tokens`);
  return invocation.ask({
    message: `Token for ${address.host}`,
    isSecret: true,
    hint: `Pipe the token into "holdfast login ${toUrl(address)} --token-stdin".`,
  });
};

/** Reports what precedes the login: another host, another token, or a configuration that terraform reads instead. */
const reportPrecedence = async ({ io, context, note }: Invocation, address: Address, token: string): Promise<void> => {
  const present = await openContext(io, { url: undefined, org: undefined }).address();
  if (present.host !== address.host)
    note(`Here, ${present.source} names ${present.host}, which precedes ${address.host}.`);
  const other = await openContext(io, { ...context.flags, url: toUrl(address) }).service();
  if (other.token !== token) note(`${other.tokenSource} has another token, which precedes this one.`);
  else if ((await findToken(io, address.host, true))?.token !== token) {
    note('terraform does not read this file while TF_CLI_CONFIG_FILE names another one.');
  }
};

const loginView = defineView(['host', 'subject', 'kind', 'organization', 'stored-in']);

/** Ways to get the token of a login, by the flags that choose them. */
type Way = 'token-stdin' | 'device' | 'prompt';

const sources: Readonly<Record<Way, string>> = {
  'token-stdin': 'standard input',
  device: 'the login in the browser',
  prompt: 'the prompt',
};

const getToken = async (invocation: Invocation, address: Address, way: Way): Promise<string> => {
  const { io, connect } = invocation;
  // The endpoints of OAuth 2.0 take no token.
  if (way === 'device') return logInByDevice(io, connect({ ...address, token: null, tokenSource: '' }));
  const text = way === 'prompt' ? await askForToken(invocation, address) : await readText(io, undefined, LONGEST_TOKEN);
  return readToken(text, way === 'prompt' ? 'The text' : 'Standard input');
};

const login = async (invocation: Invocation, host: string | undefined, way: Way): Promise<Row> => {
  const { io, context, connect, note } = invocation;
  const address = await findAddress(invocation, host);
  const storage = await findStorage(io, address.host);
  const token = await getToken(invocation, address, way);
  const api = connect({ ...address, token, tokenSource: sources[way] });
  const { subject, kind } = await readCaller(api, token);
  const { org } = context.flags;
  if (org !== undefined) await api.lookUp(showOrganization(org));
  note(`Storing the token in ${describeStorage(storage)}. terraform and tofu use it, too.`);
  await storeToken(io, storage, address.host, token);
  const last = await readSettings(io);
  const url = toUrl(address);
  const organization = org ?? (last.url === url ? last.organization : undefined);
  await writeSettings(io, { url, organization });
  await reportPrecedence(invocation, address, token);
  return { host: address.host, subject, kind, organization, 'stored-in': describeStorage(storage) };
};

const logoutView = defineView(['host', 'deleted-from']);

const logout = async (invocation: Invocation, host: string | undefined): Promise<Row> => {
  const { io, context, note } = invocation;
  const address = await findAddress(invocation, host);
  const storage = await findStorage(io, address.host);
  const found = await findToken({ ...io, env: withoutTokens(io) }, address.host);
  if (found !== undefined) await forgetToken(io, storage, address.host);
  const { url } = await readSettings(io);
  if (url === toUrl(address)) await writeSettings(io, { url: undefined, organization: undefined });
  const other = await openContext(io, { ...context.flags, url: toUrl(address) })
    .service()
    .catch(() => undefined);
  if (other !== undefined) note(`${other.tokenSource} still has a token for ${address.host}.`);
  return { host: address.host, 'deleted-from': found?.source ?? null };
};

/** Returns the environment without tokens, to see what is stored. */
const withoutTokens = ({ env }: Io): Io['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TF_TOKEN_')));

/** Describes how safely a token is kept. */
const describeSafety = async ({ cwd }: Io, { tokenSource }: Service): Promise<string> => {
  const file = await stat(resolve(cwd, tokenSource)).catch(() => undefined);
  if (file === undefined) return tokenSource.startsWith('the credentials helper') ? 'helper' : 'environment';
  const mode = (file.mode & 0o777).toString(8).padStart(3, '0');
  return `plain text, mode ${mode}${(file.mode & 0o077) === 0 ? '' : ', which others can read'}`;
};

const statusView = defineView([
  'host',
  'url',
  'url-source',
  'organization',
  'subject',
  'kind',
  'token-source',
  'storage',
  'token-id',
  'token-description',
  'token-expires-at',
]);

const showStatus = async (invocation: Invocation): Promise<Row> => {
  const { io, api, context } = invocation;
  const service = await context.service();
  const place: Row = {
    host: service.host,
    url: service.origin,
    'url-source': service.source,
    organization: await context.organization(),
    'token-source': service.tokenSource,
    storage: await describeSafety(io, service),
  };
  try {
    const { subject, kind, token } = await readCaller(api, service.token);
    return {
      ...place,
      subject,
      kind,
      'token-id': token?.id,
      'token-description': token?.attributes.description,
      'token-expires-at': token?.attributes['expired-at'],
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== 'notAuthenticated') throw error;
    throw new Failure('notAuthenticated', `${error.message} The host is named by ${service.source}.`, {
      ...error.details,
      meta: place,
      hint: `Run "holdfast login ${service.host}" with a new token.`,
    });
  }
};

const accountView = defineView(
  ['subject', 'kind', 'email'],
  [
    'id',
    'token-id',
    ...attributesOf<Schemas['User']>()(
      'username',
      'is-service-account',
      'avatar-url',
      'email',
      'unconfirmed-email',
      'is-site-admin',
      'is-admin',
      'two-factor',
      'permissions',
    ),
  ],
);

/** Sign-in (docs/concepts/command-line.md). */
export const authCommands: Group = {
  title: 'Sign-in',
  commands: [
    command({
      name: 'login',
      summary: 'Sign in to a service',
      description:
        'Checks the token and stores it where terraform and tofu look for it: in their credentials helper if there is one, ' +
        'otherwise in ~/.terraform.d/credentials.tfrc.json. Later commands use this service, and with --org this organization, ' +
        'unless the environment or the cloud block of the folder names another one.',
      arguments: { host: hostArgument },
      flags: {
        'token-stdin': flag('Read the token from standard input.'),
        device: flag(
          'Get a token with the browser of another machine: it opens the address that is printed, and a person types the code there.',
        ),
      },
      routes: [...callerRoutes, 'organizations.show', 'oauth2.device', 'oauth2.token'],
      result: {
        kind: 'change',
        view: loginView,
        sentence: ({ host, subject }) => `Signed in to ${host} as ${subject}.`,
      },
      examples: [
        'login holdfast.example.com',
        'login holdfast.example.com --device',
        'login holdfast.example.com --org acme --token-stdin < token.txt',
      ],
      errors: {
        notAuthenticated: 'The service rejects the token, or the person denied the login. Nothing was stored.',
        timedOut: 'With --device: nobody has allowed the login within ten minutes. Nothing was stored.',
      },
      run: (invocation, { host }, { 'token-stdin': isFromInput, device }) => {
        if (isFromInput && device) throw usageError('--token-stdin and --device exclude each other.');
        return login(invocation, host, isFromInput ? 'token-stdin' : device ? 'device' : 'prompt');
      },
    }),
    command({
      name: 'logout',
      summary: 'Delete the stored token of a service',
      description:
        'The token stays valid until it expires or is revoked. Tokens in the environment, and in files that only you change, remain.',
      arguments: { host: hostArgument },
      routes: [],
      result: {
        kind: 'change',
        view: logoutView,
        sentence: (row) =>
          row['deleted-from'] === null
            ? `No token for ${row['host']} is stored.`
            : `Deleted the token for ${row['host']} from ${row['deleted-from']}. It stays valid until it expires or is revoked.`,
      },
      examples: ['logout', 'logout holdfast.example.com'],
      run: (invocation, { host }) => logout(invocation, host),
    }),
    command({
      name: 'auth status',
      summary: 'Show which service, organization and token are used, and why',
      description:
        'Checks the token. Name another service with --url. "holdfast doctor" finds out why a service does not respond.',
      routes: callerRoutes,
      result: { kind: 'item', view: statusView },
      examples: ['auth status', 'auth status --json=host,subject,token-expires-at'],
      errors: { notAuthenticated: 'There is no token, or the service rejects it.' },
      run: showStatus,
    }),
    command({
      name: 'auth token',
      summary: 'Print the token that is used',
      description: 'This is the only command that prints a stored token.',
      routes: [],
      result: { kind: 'text', view: defineView(['token', 'host', 'token-source']), field: 'token' },
      examples: ['auth token'],
      run: async ({ context }) => {
        const { token, host, tokenSource } = await context.service();
        return { token, host, 'token-source': tokenSource };
      },
    }),
    command({
      name: 'whoami',
      summary: 'Show for whom the token acts',
      routes: callerRoutes,
      result: { kind: 'item', view: accountView },
      examples: ['whoami', 'whoami --json=username'],
      run: async ({ api, context }) => {
        const { subject, kind, user, token } = await readCaller(api, (await context.service()).token);
        return { subject, kind, 'token-id': token?.id, ...(user !== undefined && flatten(user)) };
      },
    }),
  ],
};
