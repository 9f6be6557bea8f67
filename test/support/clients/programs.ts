import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A client program that `npm run check:clients` runs against the service. */
export interface Program {
  readonly name: string;
  readonly version: string;
  /** Path of the executable file. */
  readonly path: string;
}

/** A client that is built from its Go module, because package managers do not have it. */
interface GoProgram {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Package with the main function, relative to the module. */
  readonly package: string;
  readonly linkerFlags?: string;
  /** A required module, and the environment variable that names the folder of its source if the module proxy does not have it. */
  readonly replaceable?: { readonly module: string; readonly variable: string };
}

/** Versions of the clients. The page docs/concepts/clients.md names them. */
export const goPrograms = [
  {
    name: 'tofu',
    module: 'github.com/opentofu/opentofu',
    version: '1.10.7',
    package: './cmd/tofu',
    linkerFlags: '-X github.com/opentofu/opentofu/version.dev=no',
  },
  {
    name: 'terraform-provider-tfe',
    module: 'github.com/hashicorp/terraform-provider-tfe',
    version: '0.79.0',
    package: '.',
  },
  {
    name: 'terraform-provider-tfe',
    module: 'github.com/hashicorp/terraform-provider-tfe',
    version: '0.80.0',
    package: '.',
    replaceable: { module: 'github.com/hashicorp/go-tfe/v2', variable: 'HOLDFAST_GO_TFE_SOURCE' },
  },
] as const satisfies readonly GoProgram[];

/** Folder of the clients that were built or installed. */
export const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/clients');

const builtFile = ({ name, version }: GoProgram): string => join(CACHE, `${name}_v${version}`);

/** Returns the path of a command; undefined when it is not installed. */
export const findCommand = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/**
 * Returns the flags of `go build` for a source that is used in place of a required module: those of a copy of `go.mod`
 * that replaces the module. Without the environment variable there are none.
 */
const replacementFlags = (program: GoProgram, source: string): readonly string[] => {
  const { module, variable = '' } = program.replaceable ?? {};
  const folder = process.env[variable];
  if (!folder) return [];
  const copy = builtFile(program);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(
    `${copy}.mod`,
    `${readFileSync(join(source, 'go.mod'), 'utf8')}\nreplace ${module} => ${resolve(folder)}\n`,
  );
  writeFileSync(`${copy}.sum`, readFileSync(join(source, 'go.sum')));
  return ['-mod=mod', `-modfile=${copy}.mod`];
};

/**
 * Builds a client with the `go` command, unless it was built before.
 * @throws the error of the command, for example if the module proxy does not have the version.
 */
export const buildProgram = (program: GoProgram): void => {
  if (existsSync(builtFile(program))) return;
  const run = (words: readonly string[], folder?: string): string =>
    execFileSync('go', [...words], { encoding: 'utf8', ...(folder !== undefined && { cwd: folder }) });
  const downloaded = run(['mod', 'download', '-json', `${program.module}@v${program.version}`]);
  const { Dir: source } = JSON.parse(downloaded) as { Dir: string };
  const flags = program.linkerFlags === undefined ? [] : ['-ldflags', program.linkerFlags];
  run(
    [
      'build',
      '-buildvcs=false',
      ...replacementFlags(program, source),
      ...flags,
      '-o',
      builtFile(program),
      program.package,
    ],
    source,
  );
};

/** The Go client, with which many programs are built. */
export const goClient = { name: 'go-tfe', version: '1.109.0', path: join(CACHE, 'go-client/program') } as const;

/** Builds the program of `test/clients/go-client`, which calls the service with the Go client. */
export const buildGoClient = (): void => {
  const folder = join(CACHE, 'go-client');
  cpSync(join(import.meta.dirname, '../../clients/go-client'), folder, { recursive: true });
  const required = `github.com/hashicorp/go-tfe v${goClient.version}`;
  writeFileSync(join(folder, 'go.mod'), `module example.com/program\n\ngo 1.24\n\nrequire ${required}\n`);
  execFileSync('go', ['build', '-mod=mod', '-buildvcs=false', '-o', goClient.path, '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
};

const pythonFolder = join(CACHE, 'pytfe_v1.5.0');

/** HashiCorp's Python client. Its path is that of the Python in an environment that has the client. */
export const pythonClient = {
  name: 'pytfe',
  version: '1.5.0',
  path: join(pythonFolder, 'bin/python'),
  /** File that exists after a complete installation. */
  mark: join(pythonFolder, 'installed'),
} as const;

/**
 * Installs the Python client in an environment of its own, unless it was installed before.
 * @throws the error of the command, for example if the package index does not have the version.
 */
export const installPythonClient = (): void => {
  const { name, version, path, mark } = pythonClient;
  if (existsSync(mark)) return;
  execFileSync('python3', ['-m', 'venv', pythonFolder], { encoding: 'utf8' });
  execFileSync(path, ['-m', 'pip', 'install', '--quiet', `${name}==${version}`], { encoding: 'utf8' });
  writeFileSync(mark, '');
};

/** Distribution of Keycloak in the local repository of Maven and in the folder of the clients. */
export const keycloak = {
  name: 'keycloak',
  version: '26.7.3',
  path: join(CACHE, 'keycloak-quarkus-dist-26.7.3.zip'),
} as const;

/**
 * Downloads the distribution of Keycloak, unless it was downloaded before.
 * @throws the error of Maven, for example if its repositories do not have the version.
 */
export const downloadKeycloak = (): void => {
  if (existsSync(keycloak.path)) return;
  const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${keycloak.version}:zip`;
  execFileSync('mvn', ['--batch-mode', '--quiet', 'dependency:copy', artifact, `-DoutputDirectory=${CACHE}`], {
    encoding: 'utf8',
  });
};

const motoFolder = join(CACHE, 'moto_v5.2.5');

/** An emulation of AWS that is not ours. */
export const moto = {
  name: 'moto',
  version: '5.2.5',
  path: join(motoFolder, 'bin/moto_server'),
  /** File that exists after a complete installation. */
  mark: join(motoFolder, 'installed'),
} as const;

/**
 * Installs moto in an environment of its own, unless it was installed before.
 * @throws the error of the command, for example if the package index does not have the version.
 */
export const installMoto = (): void => {
  if (existsSync(moto.mark)) return;
  execFileSync('python3', ['-m', 'venv', motoFolder], { encoding: 'utf8' });
  const requirement = `moto[server,s3,dynamodb]==${moto.version}`;
  execFileSync(join(motoFolder, 'bin/pip'), ['install', '--quiet', requirement], { encoding: 'utf8' });
  writeFileSync(moto.mark, '');
};

/** A server with the API of HCP Terraform that is not ours. Its source is in a folder, because the module proxy does not have it. */
export const otf = {
  name: 'otf',
  version: '0.6.3',
  path: join(CACHE, 'otfd_v0.6.3'),
  /** Environment variable that names the folder. */
  variable: 'HOLDFAST_OTF_SOURCE',
} as const;

/**
 * Builds OTF from its source. The `go` command keeps what has not changed.
 * @throws if the variable names no folder with this version of OTF, or the error of the command.
 */
export const buildOtf = (): void => {
  rmSync(otf.path, { force: true });
  const folder = process.env[otf.variable];
  if (!folder) throw new Error(`Error: ${otf.variable} does not name a folder with the source of OTF ${otf.version}.`);
  const manifest = readFileSync(join(folder, '.release-please-manifest.json'), 'utf8');
  const { '.': version } = JSON.parse(manifest) as Record<string, string>;
  if (version !== otf.version) throw new Error(`Error: ${folder} has OTF ${version} in place of ${otf.version}.`);
  execFileSync('go', ['build', '-buildvcs=false', '-o', otf.path, './cmd/otfd'], { cwd: folder, encoding: 'utf8' });
};

/** Folder of the programs of PostgreSQL: in `PATH`, or where Debian has them. */
export const findPostgres = (): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':'), ...globSync('/usr/lib/postgresql/*/bin')].find((folder) =>
    ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))),
  );

/** Whether the tests use all clients: `npm run check:clients`. `npm test` uses only the command line of Terraform. */
export const usesAllClients = process.env['HOLDFAST_CLIENTS'] === 'all';

/** Returns the clients that were built, and `terraform` if it is installed. */
export const installedPrograms = (): Program[] => {
  const built = goPrograms
    .filter((program) => usesAllClients && existsSync(builtFile(program)))
    .map((program) => ({ name: program.name, version: program.version, path: builtFile(program) }));
  const terraform = findCommand('terraform');
  if (terraform === undefined) return built;
  const { terraform_version: version } = JSON.parse(
    execFileSync(terraform, ['version', '-json'], {
      env: { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' },
      encoding: 'utf8',
    }),
  ) as { terraform_version: string };
  return [{ name: 'terraform', version, path: terraform }, ...built];
};
