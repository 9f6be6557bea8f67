import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalToken } from '../../infra/local/cli/local-token.ts';
import { type Service, startService } from '../../infra/local/service/service.ts';
import { findCommand, installedPrograms } from '../support/clients/programs.ts';
import { startTlsProxy } from '../support/clients/tls-proxy.ts';
import { startTunnel } from '../support/clients/tunnel.ts';
import { codeBuild, github, gitlab } from '../support/docs/pipeline-guides.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

/**
 * The pipelines of the documentation, as they are printed: over HTTPS, under the host name of the page, and with tokens of a local
 * issuer that have the claims that the platforms document. Only the programs of the platforms are stand-ins.
 */

const HOST = 'holdfast.example.com';
const missing = ['bash', 'curl', 'jq', 'openssl'].filter((name) => findCommand(name) === undefined);
if (missing.length > 0) console.warn(`Skipped: ${missing.join(', ')} is not installed on this computer`);
const terraform = installedPrograms().find(({ name }) => name === 'terraform');
if (terraform === undefined) console.warn('Skipped: terraform is not installed on this computer');

// A file needs a test, also where everything is skipped.
it('has a workload identity and a pipeline of each platform in the documentation', () => {
  expect([github, gitlab, codeBuild].map(({ scripts }) => scripts.length)).toEqual([4, 1, 1]);
});

const platforms = {
  github: {
    guide: github,
    claims: {
      sub: 'repo:acme@1234567/network@123456789:ref:refs/heads/main',
      actor: 'grace',
      event_name: 'push',
      job_workflow_ref: 'acme/network/.github/workflows/apply.yml@refs/heads/main',
      ref: 'refs/heads/main',
      ref_type: 'branch',
      repository: 'acme/network',
      repository_id: '123456789',
      repository_owner: 'acme',
      repository_owner_id: '1234567',
      run_id: '30433642',
      runner_environment: 'github-hosted',
    },
    other: { repository_id: '123456780' },
  },
  gitlab: {
    guide: gitlab,
    claims: {
      sub: 'project_path:acme/network:ref_type:branch:ref:main',
      namespace_id: '72',
      namespace_path: 'acme',
      pipeline_source: 'push',
      project_id: '12345678',
      project_path: 'acme/network',
      ref: 'main',
      ref_path: 'refs/heads/main',
      ref_protected: 'true',
      ref_type: 'branch',
      runner_id: 12_270_835,
      user_login: 'grace',
    },
    other: { ref_protected: 'false' },
  },
  codeBuild: {
    guide: codeBuild,
    claims: {
      sub: 'arn:aws:iam::123456789012:role/network-build',
      'https://sts.amazonaws.com/': {
        aws_account: '123456789012',
        source_region: 'eu-central-1',
        org_id: 'o-abc1234567',
        ou_path: 'o-a1b2c3d4e5/r-ab12/ou-ab12-11111111/',
        principal_tags: { environment: 'production' },
      },
    },
    other: { 'https://sts.amazonaws.com/': { aws_account: '123456789013' } },
  },
} as const;
type Platform = keyof typeof platforms;

describe.skipIf(missing.length > 0)('a pipeline of the documentation', () => {
  const folder = removedAfterwards();
  const stops: (() => unknown)[] = [];
  let service: Service;
  let environment: Readonly<Record<string, string>>;
  let team: string;
  let project: string;

  const api = async (method: string, path: string, token: string, data?: object) => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
    return { status: response.status, body: (await response.json()) as any };
  };
  const create = async (path: string, type: string, attributes: object, relationships?: object): Promise<string> => {
    const { status, body } = await api('POST', path, service.token ?? '', {
      type,
      attributes,
      ...(relationships && { relationships }),
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data.id;
  };
  const to = (type: string, id: string) => ({ data: { type, id } });

  /** Writes programs that stand for those of a platform. */
  const writePrograms = (name: string, programs: Readonly<Record<string, string>>): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const [program, script] of Object.entries(programs)) {
      writeFileSync(join(path, program), `#!/bin/sh\n${script}\n`);
      chmodSync(join(path, program), 0o755);
    }
    return path;
  };
  let platformPrograms: string;
  let terraformStandIn: string;

  beforeAll(async () => {
    const proxy = await startTlsProxy(folder, HOST);
    stops.push(() => proxy.stop());
    const tunnel = await startTunnel(Number(proxy.host.split(':')[1]));
    stops.push(() => tunnel.stop());
    service = await startService({
      dataFolder: join(folder, 'data'),
      assembly: await synthesizedOnce({ usersMayCreateOrganizations: true, deletedWorkspaceDays: 0 }),
      publicUrl: `https://${HOST}`,
      signIn: true,
    });
    stops.push(() => service.stop());
    proxy.forwardTo(service.origin);
    environment = {
      HTTPS_PROXY: tunnel.url,
      CURL_CA_BUNDLE: proxy.certificateFile,
      SSL_CERT_FILE: proxy.certificateFile,
      CHECKPOINT_DISABLE: '1',
    };

    team = await create('/organizations/demo/teams', 'teams', { name: 'pipelines' });
    project = await create('/organizations/demo/projects', 'projects', { name: 'Network' });
    await create(
      '/team-projects',
      'team-projects',
      { access: 'write' },
      { team: to('teams', team), project: to('projects', project) },
    );
    const inProject = { project: to('projects', project) };
    await create('/organizations/demo/workspaces', 'workspaces', { name: 'network' }, inProject);
    await create('/organizations/demo/workspaces', 'workspaces', { name: 'elsewhere' });

    platformPrograms = writePrograms('platform', {
      apk: '',
      aws: 'echo "$*" > aws-arguments; printf %s "$STAND_IN_TOKEN"',
    });
    terraformStandIn = writePrograms('terraform', {
      terraform: `echo "$1" >> terraform-commands
printf %s "$TF_TOKEN_holdfast_example_com" > token
curl -fsS -H "Authorization: Bearer $TF_TOKEN_holdfast_example_com" https://${HOST}/api/v2/organizations/demo/workspaces | jq -r '.data[].attributes.name' > workspaces`,
    });
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  /** Serves identity tokens as GitHub does for a job, for the audience that the job names. */
  const serveTokens = async (claims: object) => {
    const server = createServer(async ({ url = '', headers }, response) => {
      const audience = new URL(url, 'http://localhost').searchParams.get('audience');
      const isJob = headers.authorization === 'Bearer request-token';
      const value = isJob ? await identityToken({ ...claims, aud: audience }) : undefined;
      response.writeHead(isJob ? 200 : 401).end(JSON.stringify({ value }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-version=2.0`;
    return { url, stop: () => server.close() };
  };
  const identityToken = (claims: object) =>
    createLocalToken(['--claims', JSON.stringify(claims)], join(folder, 'data'));

  /** Creates the workload identity of a page. @param issuer replaces that of the page. */
  const createIdentity = (platform: Platform, issuer?: string) => {
    const { attributes } = platforms[platform].guide.identity.data;
    return create(
      '/organizations/demo/workload-identities',
      'workload-identities',
      { ...attributes, name: crypto.randomUUID(), ...(issuer !== undefined && { issuer }) },
      { team: to('teams', team), projects: { data: [{ type: 'projects', id: project }] } },
    );
  };

  /** Runs a script in a shell. @returns whether it succeeded, and what it printed. */
  const runScript = (script: string, job: string, variables: Readonly<Record<string, string>>) =>
    new Promise<{ isSuccessful: boolean; output: string }>((resolve) => {
      execFile(
        'bash',
        ['-c', script],
        { cwd: job, timeout: POLL_DEADLINE, env: { ...environment, HOME: job, ...variables } },
        (error, stdout, stderr) => resolve({ isSuccessful: error === null, output: stdout + stderr }),
      );
    });

  /** Runs the pipeline of a page in a folder, with a `terraform` of another folder. */
  const runPipeline = async (platform: Platform, claims: object, terraformFolder: string, job: string) => {
    mkdirSync(job, { recursive: true });
    const { guide } = platforms[platform];
    const tokens = await serveTokens(claims);
    const variablesFile = join(job, 'github-env');
    writeFileSync(variablesFile, '');
    const variables = {
      ...guide.variables,
      PATH: `${terraformFolder}:${platformPrograms}:${process.env['PATH']}`,
      WORKLOAD_IDENTITY: await createIdentity(platform, service.issuer),
      ...(platform === 'github' && {
        ACTIONS_ID_TOKEN_REQUEST_URL: tokens.url,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
        GITHUB_ENV: variablesFile,
      }),
      ...(platform === 'gitlab' && { ID_TOKEN: await identityToken({ ...claims, aud: gitlab.audience }) }),
      ...(platform === 'codeBuild' && { STAND_IN_TOKEN: await identityToken(claims) }),
    };
    let isSuccessful = true;
    let output = '';
    for (const { script, always } of guide.scripts) {
      if (!isSuccessful && !always) continue;
      const exported = Object.fromEntries(
        readFileSync(variablesFile, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const done = await runScript(script, job, { ...variables, ...exported });
      isSuccessful &&= done.isSuccessful;
      output += done.output;
    }
    tokens.stop();
    return { isSuccessful, output };
  };

  it.each(['github', 'gitlab', 'codeBuild'] as const)(
    'has a workload identity that is accepted as it is printed: %s',
    async (platform) => {
      expect(await createIdentity(platform)).toMatch(/^wi-/);
    },
  );

  it.each(['github', 'gitlab', 'codeBuild'] as const)(
    'exchanges a token with the documented claims, works with the new token, and ends it: %s',
    async (platform) => {
      const job = join(folder, `job-${platform}`);
      const { isSuccessful, output } = await runPipeline(platform, platforms[platform].claims, terraformStandIn, job);
      expect(isSuccessful, output).toBe(true);
      const read = (file: string) => readFileSync(join(job, file), 'utf8').trim();
      expect(read('terraform-commands')).toBe('init\napply');
      expect(read('workspaces')).toBe('network');
      expect(read('token')).toMatch(/^hfw_/);
      expect(output.replaceAll(`::add-mask::${read('token')}`, '')).not.toContain(read('token'));
      await expect.poll(async () => (await api('GET', '/organizations/demo', read('token'))).status).toBe(401);
      if (platform === 'codeBuild')
        expect(read('aws-arguments')).toBe(
          `sts get-web-identity-token --audience https://${HOST} --signing-algorithm RS256 --duration-seconds 300 --query WebIdentityToken --output text`,
        );
    },
  );

  it.each(['github', 'gitlab', 'codeBuild'] as const)(
    'fails before terraform starts when a claim is another one: %s',
    async (platform) => {
      const job = join(folder, `other-${platform}`);
      const { claims, other } = platforms[platform];
      const { isSuccessful } = await runPipeline(platform, { ...claims, ...other }, terraformStandIn, job);
      expect(isSuccessful).toBe(false);
      expect(existsSync(join(job, 'terraform-commands'))).toBe(false);
    },
  );

  it.skipIf(terraform === undefined)('applies with the terraform command line, and stores no token', async () => {
    const job = join(folder, 'terraform-job');
    mkdirSync(job);
    writeFileSync(
      join(job, 'main.tf'),
      `terraform {
  cloud {
    hostname     = "${HOST}"
    organization = "demo"
    workspaces { name = "network" }
  }
}
resource "terraform_data" "one" { input = "first" }
output "name" { value = terraform_data.one.output }
`,
    );
    const path = terraform?.path.replace(/\/[^/]+$/, '') ?? '';
    const { isSuccessful, output } = await runPipeline('github', platforms.github.claims, path, job);
    expect(isSuccessful, output).toBe(true);
    expect(output).toContain('1 added');
    const { body } = await api('GET', '/organizations/demo/workspaces/network', service.token ?? '');
    expect(body.data.attributes).toMatchObject({ locked: false, 'resource-count': 1 });
    expect(existsSync(join(job, '.terraform.d'))).toBe(false);
  });
});
