import { join } from 'node:path';
import { type CommandLine, openCommandLine } from '../clients/command-line.ts';
import type { Program } from '../clients/programs.ts';
import type { Place } from './compare.ts';

/** A server with the API of HCP Terraform, as terraform and tofu use it. */
export interface RemoteServer extends Place {
  /** `localhost:40123` */
  readonly host: string;
  readonly token: string;
  /** Environment variables with which the certificate of the host is trusted. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Way to name a workspace in a configuration. */
export type Backend = 'cloud' | 'remote';

/** Writes a configuration with its state at a server. @param value changes with each version. */
export const remoteConfiguration = (
  { host, organization }: Pick<RemoteServer, 'host' | 'organization'>,
  backend: Backend,
  workspace: string,
  value: number,
): string => `terraform {
  ${backend === 'cloud' ? 'cloud' : 'backend "remote"'} {
    hostname     = "${host}"
    organization = "${organization}"
    workspaces { name = "${workspace}" }
  }
}
${resources(value)}`;

/** Resources and outputs of which each value leads to another state. */
export const resources = (value: number): string => `
resource "terraform_data" "item" {
  count = 3
  input = "${value} \${count.index}"
}
output "value" { value = ${value} }
output "secret" {
  value     = "secret ${value}"
  sensitive = true
}
`;

/** Opens a command line whose states are at a server. */
export const openRemote = (
  { host, token, environment }: RemoteServer,
  { path }: Program,
  folder: string,
  configuration: string,
): CommandLine =>
  openCommandLine(
    { program: path, folder, settings: `credentials "${host}" { token = "${token}" }`, environment },
    configuration,
  );

/** Creates state versions of a workspace by runs of a command line. */
export const applyTimes = async (
  server: RemoteServer,
  program: Program,
  {
    folder,
    workspace,
    backend,
    times,
  }: { readonly folder: string; readonly workspace: string; readonly backend: Backend; readonly times: number },
): Promise<CommandLine> => {
  const line = openRemote(server, program, join(folder, workspace), remoteConfiguration(server, backend, workspace, 0));
  await line.succeed('init');
  for (let value = 0; value < times; value += 1) {
    line.write(remoteConfiguration(server, backend, workspace, value));
    await line.succeed('apply', '-auto-approve');
  }
  return line;
};

const vars = (attributes: object) => ({ data: { type: 'vars', attributes } });

/** Creates workspaces with local execution, two of them with tags and variables, and a variable set. */
export const fillByApi = async ({ api, organization }: Place, workspaces: readonly string[]): Promise<void> => {
  const ids: string[] = [];
  for (const name of workspaces) {
    const attributes = { name, 'execution-mode': 'local', description: `States of ${name}` };
    const body = { data: { type: 'workspaces', attributes } };
    ids.push((await api.send('POST', `/organizations/${organization}/workspaces`, body)).data.id);
  }
  for (const id of ids.slice(0, 2)) {
    const tags = ['core', 'eu'].map((name) => ({ type: 'tags', attributes: { name } }));
    await api.send('POST', `/workspaces/${id}/relationships/tags`, { data: tags });
    await api.send(
      'POST',
      `/workspaces/${id}/vars`,
      vars({ key: 'region', value: 'eu-west-1', category: 'terraform' }),
    );
    await api.send('POST', `/workspaces/${id}/vars`, vars({ key: 'region', value: 'eu-west-2', category: 'env' }));
    const list = { key: 'zones', value: '["a", "b"]', category: 'terraform', hcl: true, description: 'Zones' };
    await api.send('POST', `/workspaces/${id}/vars`, vars(list));
    const secret = { key: 'PASSWORD', value: 'hunter2-of-source', category: 'env', sensitive: true };
    await api.send('POST', `/workspaces/${id}/vars`, vars(secret));
  }
  const set = { data: { type: 'varsets', attributes: { name: 'defaults', global: false } } };
  const { id } = (await api.send('POST', `/organizations/${organization}/varsets`, set)).data;
  await api.send('POST', `/varsets/${id}/relationships/vars`, vars({ key: 'level', value: 'info', category: 'env' }));
  await api.send('POST', `/varsets/${id}/relationships/workspaces`, {
    data: ids.slice(0, 3).map((workspace) => ({ type: 'workspaces', id: workspace })),
  });
};
