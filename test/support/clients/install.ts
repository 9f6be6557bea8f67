import { generators, installedGenerators, installGenerator } from './generators.ts';
import {
  buildGoClient,
  buildProgram,
  downloadKeycloak,
  findCommand,
  goClient,
  goPrograms,
  installedPrograms,
  installMoto,
  installPythonClient,
  keycloak,
  moto,
  pythonClient,
} from './programs.ts';

/** `npm run check:clients` first installs the clients that are missing, and names those that it must skip. */

/** Returns the line of an error that names the cause. The `go` command prints it as JSON. */
const reasonOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message } = error as Error & { readonly stdout?: string; readonly stderr?: string };
  const lines = `${stdout}\n${stderr}\n${message}`.split('\n').map((line) => line.trim());
  return lines.find((line) => line.includes('Error')) ?? message;
};

const install = (title: string, needs: string, how: () => void): void => {
  try {
    if (findCommand(needs) === undefined) throw new Error(`It needs ${needs}, which is not installed.`);
    console.log(`Installing ${title} unless it is there. This can take minutes.`);
    how();
  } catch (error) {
    console.log(`Skipped: ${title}. ${reasonOf(error)}`);
  }
};

if (findCommand('openssl') === undefined) {
  throw new Error('openssl is not installed. The checks need it to create a certificate for localhost.');
}
if (findCommand('terraform') === undefined) console.log('Skipped: terraform is not installed.');
for (const program of goPrograms) install(`${program.name} ${program.version}`, 'go', () => buildProgram(program));
install(`${goClient.name} ${goClient.version}`, 'go', buildGoClient);
install(`${pythonClient.name} ${pythonClient.version}`, 'python3', installPythonClient);
install(`${moto.name} ${moto.version}`, 'python3', installMoto);
for (const generator of generators) {
  install(`${generator.name} ${generator.version}`, generator.needs, () => installGenerator(generator));
}
install(`${keycloak.name} ${keycloak.version}`, 'mvn', downloadKeycloak);
const found = [...installedPrograms(), ...installedGenerators().map(({ generator }) => generator)];
console.log(`Checking with ${found.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
