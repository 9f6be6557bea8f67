import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { now } from '../../../shared/lib/clock.ts';
import { API_VERSION } from '../../../shared/routes/api.ts';
import { command, type Group, type Rows } from '../command.ts';
import { callerRoutes, readCaller } from '../context/caller.ts';
import { findToken } from '../context/credentials.ts';
import type { Address, Service } from '../context/service.ts';
import { exitCodes, Failure, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io.ts';
import { formatAge } from '../output/format.ts';
import { explainNoResponse } from '../output/no-response.ts';
import { defineView } from '../output/view.ts';

type Status = 'ok' | 'warning' | 'failed';
type Finding = readonly [status: Status, detail: string];

/** Time limit of a request, in milliseconds. */
const TIME_LIMIT = 10_000;
/** Difference between two clocks, in seconds, that is reported. */
const LARGEST_DIFFERENCE = 60;
const WEEK = 7 * 86_400_000;

/** Sends a request without a token. */
const get = ({ fetch, signal }: Io, url: string): Promise<Response> =>
  fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]), cache: 'no-store' });

const checkApi = (response: Response): Finding => {
  const version = response.headers.get('tfp-api-version');
  const name = response.headers.get('tfp-appname') ?? 'An unknown service';
  if (version === null) return ['failed', 'Another server responds: it names no version of the API.'];
  if (name !== 'Holdfast') return ['warning', `${name} responds, with version ${version} of the API.`];
  return version === API_VERSION
    ? ['ok', `Version ${version}.`]
    : ['warning', `The service has version ${version}, and this command line knows version ${API_VERSION}.`];
};

const checkClock = (response: Response): Finding => {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return ['ok', 'The service names no time.'];
  const seconds = Math.round((now() - date) / 1_000);
  if (seconds === 0) return ['ok', 'The clocks agree.'];
  const text = `This computer is ${formatAge(Math.abs(seconds) * 1_000)} ${seconds < 0 ? 'behind' : 'ahead of'} the service.`;
  return [Math.abs(seconds) > LARGEST_DIFFERENCE ? 'warning' : 'ok', text];
};

const checkDiscovery = async (io: Io, { host, origin }: Address): Promise<Finding> => {
  const url = new URL('/.well-known/terraform.json', origin);
  if (url.host !== host) return ['ok', `The configuration of terraform names ${origin} for ${host}.`];
  if (url.protocol === 'http:') {
    return ['warning', 'terraform requires HTTPS. It needs a host block for this address in its configuration.'];
  }
  const response = await get(io, url.href);
  if (!response.ok) return ['failed', `${url.pathname} responds with status ${response.status}.`];
  const services = (await response.json().catch(() => undefined)) as { readonly 'tfe.v2'?: string } | undefined;
  const api = services?.['tfe.v2'];
  if (typeof api !== 'string' || !URL.canParse(api, url.href))
    return ['failed', `${url.pathname} does not name tfe.v2.`];
  const { href } = new URL(api, url);
  return href === `${origin}/api/v2/`
    ? ['ok', `tfe.v2 is ${href}`]
    : ['failed', `tfe.v2 is ${href}, not ${origin}/api/v2/`];
};

const checkToken = async ({ connect }: Invocation, service: Service): Promise<Finding> => {
  const { subject, kind, token } = await readCaller(connect(service), service.token);
  const text = `${subject} (${kind ?? 'unknown kind of token'}), from ${service.tokenSource}.`;
  const end = token?.attributes['expired-at'];
  const isEnding = end !== undefined && end !== null && Date.parse(end) - now() < WEEK;
  return isEnding ? ['warning', `${text} It expires at ${end}.`] : ['ok', text];
};

const checkTerraform = async (io: Io, { host }: Address, token: string | undefined): Promise<Finding> => {
  const found = await findToken(io, host, true);
  if (found === undefined) {
    const variable = ['TF_CLI_CONFIG_FILE', 'TERRAFORM_CONFIG'].find((name) => io.env[name]);
    const next =
      variable === undefined
        ? `Run "holdfast login ${host}".`
        : `It reads ${io.env[variable]} only, which ${variable} names.`;
    return ['warning', `terraform has no token for ${host}. ${next}`];
  }
  return found.token === token
    ? ['ok', `terraform uses the same token, from ${found.source}.`]
    : ['warning', `terraform uses another token, from ${found.source}.`];
};

const checkProgram = async (io: Io, { origin }: Address): Promise<Finding> => {
  if (io.program.endsWith('.ts')) return ['ok', 'It runs from the sources of a clone.'];
  const url = `${origin}/cli/holdfast.mjs`;
  const response = await get(io, `${url}.sha256`);
  if (!response.ok) return ['warning', 'The service serves no command line to compare with.'];
  const [served] = (await response.text()).split(' ');
  const own = createHash('sha256')
    .update(await readFile(io.program))
    .digest('hex');
  return served === own
    ? ['ok', 'It is the one that the service serves.']
    : ['warning', `It is older or newer than the service. The one that fits is at ${url}`];
};

/** Returns the finding of a check, also if it fails. */
const runCheck = async (io: Io, address: Address, check: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await check();
  } catch (error) {
    io.signal.throwIfAborted();
    if (error instanceof Failure) return ['failed', [error.message, error.details.hint ?? ''].join(' ').trim()];
    return ['failed', explainNoResponse(io, address.origin, error)];
  }
};

const diagnose = async function* (invocation: Invocation): Rows {
  const { io, context, isShown } = invocation;
  if (isShown) throw usageError('doctor sends several requests, so it does not have --curl.');
  const address = await context.address();
  let isFailed = false;
  const toRow = (check: string, [status, detail]: Finding) => {
    isFailed ||= status === 'failed';
    return { check, status, detail };
  };
  const run = async (check: string, find: () => Promise<Finding>) => toRow(check, await runCheck(io, address, find));

  yield toRow('address', ['ok', `${address.origin}, from ${address.source}.`]);
  let ping: Response | undefined;
  yield await run('response', async () => {
    ping = await get(io, `${address.origin}/api/v2/ping`);
    return ping.status < 500 ? ['ok', `Status ${ping.status}.`] : ['failed', `Status ${ping.status}.`];
  });
  let service: Service | undefined;
  if (ping !== undefined) {
    const response = ping;
    yield toRow('api', checkApi(response));
    yield toRow('clock', checkClock(response));
    yield await run('discovery', () => checkDiscovery(io, address));
  }
  yield await run('token', async () => {
    service = await context.service();
    return ping === undefined
      ? ['ok', `From ${service.tokenSource}. It was not sent.`]
      : checkToken(invocation, service);
  });
  yield await run('terraform', () => checkTerraform(io, address, service?.token));
  if (ping !== undefined) yield await run('command-line', () => checkProgram(io, address));
  return isFailed ? exitCodes.partial : exitCodes.done;
};

/** Diagnosis of the connection and the configuration. */
export const doctorCommands: Group = {
  title: 'Diagnosis',
  commands: [
    command({
      name: 'doctor',
      summary: 'Check the connection, the token, and what terraform would use',
      routes: ['ping', 'documentation.discovery', 'documentation.command-line-checksum', ...callerRoutes],
      result: { kind: 'list', view: defineView(['check', 'status', 'detail']) },
      examples: ['doctor', 'doctor --url https://holdfast.example.com --json'],
      errors: { partial: 'A check has failed.' },
      run: diagnose,
    }),
  ],
};
