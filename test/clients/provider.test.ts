import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandLine } from '../support/clients/command-line.ts';
import { installedPrograms, type Program } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { configurations, importIdentifiers } from './provider-configurations.ts';

/** The Terraform provider `hashicorp/tfe`, unmodified, over HTTPS. */
const programs = installedPrograms();
const providers = programs.filter(({ name }) => name === 'terraform-provider-tfe');
const terraform = programs.find(({ name }) => name === 'terraform');

// A file needs a test, also where everything is skipped.
it.skipIf(providers.length === 0)('the provider hashicorp/tfe is built', () => {
  expect(providers.map(({ path }) => existsSync(path))).not.toContain(false);
});

interface ResourceChange {
  readonly address: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before: object | null;
    readonly after: object | null;
  };
}

describe.skipIf(terraform === undefined).each(providers)('the provider hashicorp/tfe $version', (provider) => {
  const folder = removedAfterwards();
  let secure: SecureService;
  beforeAll(async () => {
    secure = await startSecureService(folder);
    const mirrored = join(folder, 'mirror/registry.terraform.io/hashicorp/tfe', provider.version, 'linux_amd64');
    mkdirSync(mirrored, { recursive: true });
    cpSync(provider.path, join(mirrored, `terraform-provider-tfe_v${provider.version}`));
  });
  afterAll(() => secure?.stop());

  const header = (): string => `
terraform {
  required_providers {
    tfe = { source = "hashicorp/tfe" }
  }
}
provider "tfe" { hostname = "${secure.host}" }
`;
  const open = (name: string, configuration: string): CommandLine =>
    secure.open(
      terraform as Program,
      join(folder, name),
      header() + configuration,
      `provider_installation {\n  filesystem_mirror { path = "${join(folder, 'mirror')}" }\n}\n`,
    );

  /** Returns the changes of a new plan that are not empty. */
  const plannedChanges = async (cli: CommandLine): Promise<ResourceChange[]> => {
    await cli.succeed('plan', '-out', 'plan');
    const { resource_changes: changes } = JSON.parse(await cli.succeed('show', '-json', 'plan')) as {
      resource_changes?: ResourceChange[];
    };
    return (changes ?? []).filter(({ change }) => !['no-op', 'read'].includes(change.actions.join()));
  };

  it.each(configurations)(
    'creates, changes, imports, and destroys $title without drift',
    async ({ title, first, second }) => {
      const name = title.replaceAll(/\W+/g, '-');
      const cli = open(name, first);
      await cli.succeed('init');
      await cli.succeed('apply', '-auto-approve');
      expect(await plannedChanges(cli)).toEqual([]);

      cli.write(header() + second);
      await cli.succeed('apply', '-auto-approve');
      expect(await plannedChanges(cli)).toEqual([]);
      const checks = JSON.parse(await cli.succeed('output', '-json', 'checks')) as Record<string, boolean>;
      expect(Object.entries(checks).filter(([, value]) => value !== true)).toEqual([]);

      const state = JSON.parse(await cli.succeed('show', '-json')) as {
        values: {
          root_module: {
            resources: { address: string; mode: string; type: string; values: Record<string, unknown> }[];
          };
        };
      };
      const managed = state.values.root_module.resources.filter(({ mode }) => mode === 'managed');
      const organization = String(managed.find(({ type }) => type === 'tfe_organization')?.values['name']);
      const imports = managed.flatMap(({ address, type, values }) => {
        const identifier = importIdentifiers[type]?.(values, organization);
        return identifier === undefined ? [] : [{ address, identifier }];
      });
      const importing = open(`${name}-import`, second);
      writeFileSync(
        join(importing.folder, 'imports.tf'),
        imports.map(({ address, identifier }) => `import {\n  to = ${address}\n  id = "${identifier}"\n}\n`).join(''),
      );
      await importing.succeed('init');
      const imported = new Set(imports.map(({ address }) => address));
      expect((await plannedChanges(importing)).filter(({ address }) => imported.has(address))).toEqual([]);

      await cli.succeed('destroy', '-auto-approve');
    },
  );
});
