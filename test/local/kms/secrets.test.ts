import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { startKeyService } from '../../support/api/key-service.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';
import { synthesizedOnce } from '../../support/setup/build-once.ts';
import { POLL_DEADLINE } from '../../support/setup/deadline.ts';

it('no file of the data folder, with the history, the events and exports, contains a secret or a token in plaintext, and the master key decrypts secrets after a restart', async () => {
  const dataFolder = join(temporaryFolder(), 'data');
  const assembly = await synthesizedOnce();
  const secrets = ['first secret of all', 'second secret, after a restart'];
  const items: Record<string, unknown>[] = [];

  /** Other texts that no file may contain: keys, tokens, and values that a caller verified. */
  const hidden = ['the private key of all', 'the token of a provider', 'a guess of the secret', 'a value on the bus'];
  /** A text that the files do contain, which shows that they are searched. */
  const visible = 'a value that is not sensitive';

  const send = async ({ baseUrl, token }: Service, path: string, body: object) => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, `${path}: ${await response.clone().text()}`).toBe(true);
    return ((await response.json()) as { data: { id: string; attributes: Record<string, unknown> } }).data;
  };
  const post = (service: Service, path: string, data: object) => send(service, path, { data });
  /** Waits until the stream has delivered both verifications to the history of a workspace. */
  const waitForHistory = ({ baseUrl, token }: Service, workspace: string): Promise<void> =>
    vi.waitFor(async () => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${baseUrl}/workspaces/${workspace}/history`, { headers });
      const { data } = (await response.json()) as { data: { attributes: { action: string } }[] };
      const verified = data.filter(({ attributes }) => attributes.action === 'workspace.variable-verified');
      expect(verified).toHaveLength(2);
    }, POLL_DEADLINE);
  const createOthers = async (service: Service, workspace: string): Promise<void> => {
    const [key, token] = hidden;
    const path = '/organizations/demo';
    await post(service, `${path}/ssh-keys`, { type: 'ssh-keys', attributes: { name: 'key', value: key } });
    const provider = {
      'service-provider': 'github',
      'http-url': 'https://github.com',
      'api-url': 'https://api.github.com',
      'oauth-token-string': token,
    };
    await post(service, `${path}/oauth-clients`, { type: 'oauth-clients', attributes: provider });
    const created = await send(service, `${path}/authentication-token`, {});
    hidden.push(String(created.attributes['token']));
    const attributes = { key: 'plain', category: 'env', value: visible };
    await post(service, `/workspaces/${workspace}/vars`, { type: 'vars', attributes });
  };
  const findFunction = ({ functions }: Service, name: string): string =>
    functions.names.find((one) => one.endsWith(name)) ?? '';
  /** Invokes the function of automation with a command that cannot be executed, because it has no id. */
  const sendInvalidCommand = (service: Service) => {
    const detail = { command: 'set-variable', organization: 'demo', workspace: 'w', key: 'k', value: hidden[3] };
    const event = { source: 'holdfast.commands', 'detail-type': 'command', detail };
    return service.functions.invoke(findFunction(service, 'automation'), JSON.stringify(event));
  };
  /** Exports the history, and returns the number of entries. */
  const exportHistory = async (service: Service): Promise<number> => {
    const command = { command: 'export-history', organization: 'demo' };
    const outcome = await service.functions.invoke(findFunction(service, 'admin'), JSON.stringify(command));
    return outcome.kind === 'succeeded' ? JSON.parse(outcome.payload).entries : 0;
  };
  for (const [index, value] of secrets.entries()) {
    const service = await startService({ dataFolder, assembly });
    try {
      const workspace = { type: 'workspaces', attributes: { name: `workspace-${index}` } };
      const { id } = await post(service, '/organizations/demo/workspaces', workspace);
      const attributes = { key: 'secret', category: 'env', value, sensitive: true };
      const variable = await post(service, `/workspaces/${id}/vars`, { type: 'vars', attributes });
      expect(variable.attributes['value']).toBeNull();
      const verification = `/workspaces/${id}/vars/${variable.id}/actions/verify`;
      expect((await send(service, verification, { value })).attributes['matches']).toBe(true);
      expect((await send(service, verification, { value: hidden[2] })).attributes['matches']).toBe(false);
      if (index === 0) await createOthers(service, id);
      expect(await sendInvalidCommand(service)).toMatchObject({ kind: 'succeeded' });
      await waitForHistory(service, id);
      expect(await exportHistory(service)).toBeGreaterThan(0);
      const client = DynamoDBDocumentClient.from(
        new DynamoDBClient({
          endpoint: service.engineEndpoint,
          region: 'us-east-1',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        }),
      );
      const { Items = [] } = await client.send(new ScanCommand({ TableName: service.tableNames[0] }));
      items.push(...Items.filter((item) => item['id'] === variable.id && item['ty'] === 'variable'));
    } finally {
      await service.stop();
    }
  }

  const masterKey = readFileSync(join(dataFolder, 'master.key'));
  expect(statSync(join(dataFolder, 'master.key')).mode & 0o777).toBe(0o600);
  const keyArn = readAssembly(assembly).keys.find(({ arn }) => arn.includes('SecretsKey'))?.arn;
  const keyService = await startKeyService(masterKey, keyArn);
  const decrypted = items.map(({ sealed, workspace, id }) =>
    keyService.open(sealed as Uint8Array, { workspace: String(workspace), variable: String(id) }),
  );
  expect(await Promise.all(decrypted)).toEqual(secrets);
  await keyService.stop();

  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['dynamodb.db', 'functions.log']));
  const contents = files.map(({ parentPath, name }) => ({ name, content: readFileSync(join(parentPath, name)) }));
  const filesWith = (text: string) => contents.flatMap(({ name, content }) => (content.includes(text) ? [name] : []));
  for (const secret of [...secrets, ...hidden]) expect(filesWith(secret)).toEqual([]);
  expect(filesWith(visible).some((name) => !name.startsWith('dynamodb'))).toBe(true);
});
