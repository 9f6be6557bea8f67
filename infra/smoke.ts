import { BASE_PATH, MEDIA_TYPE } from '../shared/routes/api.ts';
import { readToken } from '../shared/runtime/environment.ts';
import { readArguments } from './command-line.ts';

/**
 * `npm run smoke -- <url of the API> <organization>`, with a token in HOLDFAST_TOKEN: tests a deployment. Creates, locks,
 * changes and deletes one workspace, and prints the status of each step. The deleted workspace can be restored like any other.
 */
const usage = 'Usage: HOLDFAST_TOKEN=… npm run smoke -- <url of the API> <organization>';
const { positionals } = readArguments(usage, { allowPositionals: true });
const [url, organization] = positionals;
const token = readToken();
if (url === undefined || organization === undefined || token === undefined) {
  console.error(usage);
  process.exit(1);
}
const host = url.replace(/\/+$/, '');
const base = host.endsWith(BASE_PATH) ? host : host + BASE_PATH;

const check = async (step: string, expected: number, method: string, path: string, body?: object) => {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': MEDIA_TYPE }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const ok = response.status === expected;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${step}: ${response.status}${ok ? '' : `, expected ${expected}: ${text}`}`);
  if (!ok) process.exitCode = 1;
  return text === '' ? undefined : JSON.parse(text);
};

const name = `smoke-${process.pid}`;
const workspaces = `/organizations/${organization}/workspaces`;
const document = (attributes: object) => ({ data: { type: 'workspaces', attributes } });

const run = async (): Promise<void> => {
  await check('ping the service', 204, 'GET', '/ping');
  const created = await check('create a workspace', 201, 'POST', workspaces, document({ name }));
  // Without a workspace, all further steps would fail for the same reason.
  if (created?.data === undefined) return;
  const workspace = `/workspaces/${created.data.id}`;
  try {
    await check('read the workspace by name', 200, 'GET', `${workspaces}/${name}`);
    await check('create another workspace with the same name', 422, 'POST', workspaces, document({ name }));
    await check('lock the workspace', 200, 'POST', `${workspace}/actions/lock`, { reason: 'smoke test' });
    await check('lock the locked workspace', 409, 'POST', `${workspace}/actions/lock`);
    await check('delete the locked workspace', 409, 'POST', `${workspace}/actions/safe-delete`);
    await check('unlock the workspace', 200, 'POST', `${workspace}/actions/unlock`);
    await check('change the workspace', 200, 'PATCH', workspace, document({ 'auto-apply': true }));
    await check('list the workspaces', 200, 'GET', `${workspaces}?page[size]=1`);
  } finally {
    await check('delete the workspace', 204, 'POST', `${workspace}/actions/safe-delete`);
  }
  await check('read the deleted workspace', 404, 'GET', workspace);
};

try {
  await run();
} catch (error) {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  console.error(`The request to the API at ${base} failed: ${cause?.code ?? message}`);
  process.exitCode = 1;
}
