import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { buildState, readUploadUrl, stateVersionBody, upload } from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** States contain secrets in plaintext. Only callers who request the state or that output may receive them. */
let api: Api;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
  }
  api = await startApi({ logLevel: 'DEBUG' });
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
});

const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });

it('secret in a state appears only in the download and in its own output, not in lists, logs or events', async () => {
  const secret = `canary/+${base58(24)}`;
  const { sinceLast } = await followStream(api.engine);
  const body = { data: { type: 'workspaces', attributes: { name: 'one' } } };
  const path = `/workspaces/${(await send('POST', '/organizations/acme/workspaces', body)).body.data.id}`;
  await send('POST', `${path}/actions/lock`);
  const outputs = { password: { value: secret, type: 'string', sensitive: true } };
  const content = buildState({ outputs });
  const created = await send('POST', `${path}/state-versions`, stateVersionBody(content));
  // Content with another checksum is read as well.
  await upload(readUploadUrl(created), Buffer.from(`${content} `));
  await upload(readUploadUrl(created), content);
  await api.deliverUploads();
  await send('POST', `${path}/actions/unlock`);

  const id = created.body.data.id;
  const replies = [
    created,
    await send('GET', path),
    await send('GET', `${path}?include=outputs,current_state_version`),
    await send('GET', `/state-versions/${id}?include=outputs`),
    await send('GET', `/state-versions/${id}/outputs`),
    await send('GET', `${path}/current-state-version-outputs`),
    await send('GET', '/state-versions?filter[organization][name]=acme&filter[workspace][name]=one'),
    await send('GET', `/state-versions/${id}/download`),
  ];
  expect(replies.every(({ status }) => status < 400)).toBe(true);
  const output = await send('GET', `/state-version-outputs/${replies[4]?.body.data[0].id}`);
  expect(output.body.data.attributes.value).toBe(secret);

  // Events are built from the workspace item, before and after a change.
  const images = (await sinceLast()).filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === 'W');
  expect(images.length).toBeGreaterThan(3);
  const outputsByPlace = { responses: replies, 'the log': logged, 'the stream of changes': images };
  for (const [where, lines] of Object.entries(outputsByPlace))
    expect(JSON.stringify(lines), where).not.toContain(secret);
  // Presigned URLs must not be logged, because anybody can use them.
  expect(logged.join('\n')).not.toContain('X-Amz-Signature');
});
