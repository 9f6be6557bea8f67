import { parseArgs } from 'node:util';
import { BASE_PATH, MEDIA_TYPE } from '../shared/routes/api.ts';
import { readToken } from '../shared/runtime/environment.ts';

/**
 * `npm run smoke -- <url of the API> <organization>`, with a token of it in HOLDFAST_TOKEN: walks one workspace through
 * its life on a deployment, says what each step answered, and leaves nothing behind.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [url, organization] = positionals;
const token = readToken();
if (url === undefined || organization === undefined || token === undefined) {
  console.error('Usage: HOLDFAST_TOKEN=… npm run smoke -- <url of the API> <organization>');
  process.exit(1);
}
const host = url.replace(/\/+$/, '');
const base = host.endsWith(BASE_PATH) ? host : host + BASE_PATH;

const ask = async (step: string, expected: number, method: string, path: string, body?: object) => {
  const answer = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': MEDIA_TYPE }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const ok = answer.status === expected;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${step}: ${answer.status}${ok ? '' : `, expected ${expected}: ${text}`}`);
  if (!ok) process.exitCode = 1;
  return text === '' ? undefined : JSON.parse(text);
};

const name = `smoke-${process.pid}`;
const workspaces = `/organizations/${organization}/workspaces`;
const document = (attributes: object) => ({ data: { type: 'workspaces', attributes } });

const walk = async (): Promise<void> => {
  await ask('the service answers', 204, 'GET', '/ping');
  const created = await ask('a workspace is created', 201, 'POST', workspaces, document({ name }));
  // Without one, every further step would only fail for the same reason.
  if (created?.data === undefined) return;
  const workspace = `/workspaces/${created.data.id}`;
  try {
    await ask('it is found by name', 200, 'GET', `${workspaces}/${name}`);
    await ask('its name is taken', 422, 'POST', workspaces, document({ name }));
    await ask('it is locked', 200, 'POST', `${workspace}/actions/lock`, { reason: 'smoke test' });
    await ask('it is locked only once', 409, 'POST', `${workspace}/actions/lock`);
    await ask('it is not deleted while locked', 409, 'POST', `${workspace}/actions/safe-delete`);
    await ask('it is unlocked', 200, 'POST', `${workspace}/actions/unlock`);
    await ask('it is changed', 200, 'PATCH', workspace, document({ 'auto-apply': true }));
    await ask('the list answers', 200, 'GET', `${workspaces}?page[size]=1`);
  } finally {
    await ask('it is deleted', 204, 'POST', `${workspace}/actions/safe-delete`);
  }
  await ask('it is gone', 404, 'GET', workspace);
};

try {
  await walk();
} catch (error) {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  console.error(`The API at ${base} could not be asked: ${cause?.code ?? message}`);
  process.exitCode = 1;
}
