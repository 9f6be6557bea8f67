/** `npm start`: the whole service on this computer, until Ctrl-C. */
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { messageOf, PlainError } from './gateway/plain-error.ts';
import { type Service, startService } from './service/service.ts';

const welcome = (service: Service): string =>
  [
    '',
    `Holdfast runs at ${service.baseUrl}`,
    `Described at     ${new URL('/docs', service.baseUrl)}`,
    ...access(service),
    '',
    'Ctrl-C stops it.',
  ].join('\n');

const access = ({ baseUrl, organization, token }: Service): string[] => {
  if (organization === undefined) return [];
  if (token === undefined) return [`Organization: ${organization}, made earlier; for a new token: npm run admin`];
  const authorization = `-H 'Authorization: Bearer ${token}'`;
  const workspaces = `${baseUrl}/organizations/${organization}/workspaces`;
  const body = '{"data":{"type":"workspaces","attributes":{"name":"first"}}}';
  const idOfFirst = `$(curl -s ${authorization} ${workspaces}/first | sed 's/.*"id":"\\(ws-[^"]*\\)".*/\\1/')`;
  return [
    `Organization: ${organization}`,
    `Token:        ${token}`,
    '',
    'Create a workspace, list the workspaces, lock the new one:',
    `  curl -s ${authorization} -H 'Content-Type: application/vnd.api+json' -d '${body}' ${workspaces}`,
    `  curl -s ${authorization} ${workspaces}`,
    `  curl -s ${authorization} -X POST ${baseUrl}/workspaces/${idOfFirst}/actions/lock`,
  ];
};

/** Within this, a second signal is the first one again: Ctrl-C reaches us from the terminal and from npm. */
const SAME_SIGNAL_MILLIS = 300;

const aborted = new AbortController();
let firstSignalAt: number | undefined;
let service: Service | undefined;

/** The first signal stops cleanly, a second one at once; the engine ends with this process in any case. */
const onSignal = async (): Promise<void> => {
  if (firstSignalAt !== undefined) {
    if (Date.now() - firstSignalAt > SAME_SIGNAL_MILLIS) process.exit(1);
    return;
  }
  firstSignalAt = Date.now();
  aborted.abort();
  // A start that is half done takes itself back.
  if (!service) return;
  await service.stop();
  process.exit(0);
};
process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);

const settings = () => {
  try {
    return readLocalSettings();
  } catch (error) {
    throw new PlainError(messageOf(error));
  }
};

try {
  service = await startService({ ...settings(), signal: aborted.signal });
  console.log(welcome(service));
  const lost = await service.engineLost;
  await service.stop();
  throw lost;
} catch (error) {
  if (aborted.signal.aborted) process.exit(0);
  console.error(error instanceof PlainError ? error.message : error);
  process.exit(1);
}
