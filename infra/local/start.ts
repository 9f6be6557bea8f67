/** `npm start`: runs the service on this computer until Ctrl-C. */
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { messageFrom, PlainError, readArguments } from '../command-line.ts';
import { mapDemoGroups } from './service/demo-groups.ts';
import { type Service, startService } from './service/service.ts';
import { welcome } from './service/welcome.ts';

const options = readArguments(
  `Usage: npm start [-- [--sign-in] [--set <setting>=<value> ...]]

Runs the service on this computer until Ctrl-C. A setting has the name that
it has in a deployment (docs/operate/settings.md). With --sign-in, an identity provider
runs on the next port: npm run admin -- local-token creates identity tokens of pipelines.
Environment variables configure the rest, among them:

  PORT=<number>           port to listen on, by default 8080
  HOLDFAST_DATA=<folder>  data folder, by default .holdfast

docs/getting-started.md lists the others.`,
  { options: { set: { type: 'string', multiple: true, default: [] }, 'sign-in': { type: 'boolean', default: false } } },
).values;

/** A second signal within this time is a copy of the first: Ctrl-C arrives both from the terminal and from npm. */
const SAME_SIGNAL_MILLIS = 300;

const aborted = new AbortController();
let firstSignalAt: number | undefined;
let service: Service | undefined;

/** Stops cleanly on the first signal, and at once on the second. The engine ends with this process in any case. */
const onSignal = async (): Promise<void> => {
  if (firstSignalAt !== undefined) {
    if (Date.now() - firstSignalAt > SAME_SIGNAL_MILLIS) process.exit(1);
    return;
  }
  firstSignalAt = Date.now();
  aborted.abort();
  // A start in progress stops by itself, because its signal is aborted.
  if (!service) return;
  await service.stop();
  process.exit(0);
};
process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);

let hasFailed = false;

/**
 * Stops cleanly after the first error that no part handles, and at once after the second: on a full disk, every further
 * line of a function's log is another error. What was acknowledged is on disk.
 */
const onFatalError = async (error: unknown): Promise<void> => {
  if (hasFailed) process.exit(1);
  hasFailed = true;
  console.error(describeFatalError(error));
  aborted.abort();
  await service?.stop().catch(() => undefined);
  process.exit(1);
};
process.on('uncaughtException', onFatalError);

const diskErrors: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The file system is read-only',
  EIO: 'The disk cannot be written',
};

const describeFatalError = (error: unknown): unknown => {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const cause = diskErrors[code];
  if (cause !== undefined)
    return `${cause}${path === undefined ? '' : `: ${path}`}. Nothing that was acknowledged is lost`;
  return error instanceof PlainError ? error.message : error;
};

/** Parses `deletedWorkspaceDays=0`. The values are parsed by the synthesis, like those of a deployment. */
const parseSetting = (text: string): readonly [string, string] => {
  const [, name, value] = /^([A-Za-z]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new RangeError(`--set ${text} is not a setting and its value, such as --set deletedWorkspaceDays=0`);
};

const settings = () => {
  try {
    const { edition, ...local } = readLocalSettings();
    return {
      ...local,
      settings: { ...(edition && { edition }), ...Object.fromEntries(options.set.map(parseSetting)) },
    };
  } catch (error) {
    throw new PlainError(messageFrom(error));
  }
};

try {
  const chosen = settings();
  service = await startService({
    ...chosen,
    signIn: options['sign-in'],
    onStep: console.log,
    signal: aborted.signal,
  });
  if (options['sign-in']) await mapDemoGroups(service, console.log);
  console.log(await welcome(service, chosen.dataFolder));
  const lost = await service.engineLost;
  await service.stop();
  throw lost;
} catch (error) {
  if (aborted.signal.aborted) process.exit(0);
  console.error(describeFatalError(error));
  process.exit(1);
}
