import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, findCommand, usesAllClients } from './programs.ts';

/** Generator of clients from the OpenAPI document. */
export interface Generator {
  readonly name: string;
  readonly version: string;
  /** Command that installs and runs it. */
  readonly needs: string;
  /** Installs it in a folder of its own. */
  install(folder: string, version: string): void;
  /**
   * Generates a client for an OpenAPI document in a new folder, compiles it with the program of `test/clients/generated`,
   * and returns the command that runs the program.
   */
  build(installed: string, folder: string, document: string): readonly string[];
}

const PROGRAMS = join(import.meta.dirname, '../../clients/generated');

const run = (command: string, words: readonly string[], folder: string, environment = {}): void => {
  execFileSync(command, [...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1_024 ** 2,
  });
};

const GO_MODULE = `module example.com/client\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime v1.8.0\n`;

export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    version: '7.13.0',
    needs: 'npm',
    install: (folder, version) => {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const others = ['openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.10.1'];
      run('npm', ['install', '--no-audit', `openapi-typescript@${version}`, ...others], folder);
    },
    build: (installed, folder, document) => {
      symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
      cpSync(join(PROGRAMS, 'main.ts.txt'), join(folder, 'main.ts'));
      const bin = join(installed, 'node_modules/.bin');
      run(join(bin, 'openapi-typescript'), [document, '-o', 'api.d.ts'], folder);
      const options = [
        '--strict',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--allowImportingTsExtensions',
        '--noEmit',
      ];
      run(join(bin, 'tsc'), [...options, 'main.ts'], folder);
      return ['node', 'main.ts'];
    },
  },
  {
    name: 'oapi-codegen',
    version: '2.8.2',
    needs: 'go',
    install: (folder, version) =>
      run('go', ['install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${version}`], folder, {
        GOBIN: folder,
      }),
    build: (installed, folder, document) => {
      mkdirSync(join(folder, 'holdfast'));
      writeFileSync(join(folder, 'go.mod'), GO_MODULE);
      cpSync(join(PROGRAMS, 'main.go'), join(folder, 'main.go'));
      const options = ['-generate', 'models,client', '-package', 'holdfast', '-o', 'holdfast/holdfast.go'];
      run(join(installed, 'oapi-codegen'), [...options, document], folder);
      run('go', ['build', '-mod=mod', '-buildvcs=false', '-o', 'program', '.'], folder);
      return ['./program'];
    },
  },
  {
    name: 'openapi-python-client',
    version: '0.29.1',
    needs: 'python3',
    install: (folder, version) => {
      run('python3', ['-m', 'venv', folder], folder);
      run(join(folder, 'bin/pip'), ['install', '--quiet', `openapi-python-client==${version}`], folder);
    },
    build: (installed, folder, document) => {
      writeFileSync(join(folder, 'options.yaml'), 'package_name_override: holdfast_client\npost_hooks: []\n');
      const paths = ['--path', document, '--output-path', 'holdfast_client', '--config', 'options.yaml'];
      // Warnings are about schemas that the generated client lacks.
      const options = ['--meta', 'none', '--fail-on-warning'];
      run(join(installed, 'bin/openapi-python-client'), ['generate', ...paths, ...options], folder);
      cpSync(join(PROGRAMS, 'main.py'), join(folder, 'main.py'));
      return [join(installed, 'bin/python'), 'main.py'];
    },
  },
];

const folderOf = ({ name, version }: Generator): string => join(CACHE, `${name}_v${version}`);

/** Installs a generator, unless it was installed before. @throws the error of the installation. */
export const installGenerator = (generator: Generator): void => {
  const folder = folderOf(generator);
  if (existsSync(join(folder, 'installed'))) return;
  mkdirSync(folder, { recursive: true });
  generator.install(folder, generator.version);
  writeFileSync(join(folder, 'installed'), '');
};

/** Returns the generators that are installed, with their folders. */
export const installedGenerators = (): { readonly generator: Generator; readonly folder: string }[] =>
  generators
    .map((generator) => ({ generator, folder: folderOf(generator) }))
    .filter(
      ({ generator, folder }) =>
        usesAllClients && existsSync(join(folder, 'installed')) && findCommand(generator.needs) !== undefined,
    );
