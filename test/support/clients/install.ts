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
import { requireOpenssl, tryInstall } from './try-install.ts';

/** `npm run check:clients` first installs the clients that are missing, and names those that it must skip. */

requireOpenssl();
if (findCommand('terraform') === undefined) console.log('Skipped: terraform is not installed.');
for (const program of goPrograms) tryInstall(`${program.name} ${program.version}`, 'go', () => buildProgram(program));
tryInstall(`${goClient.name} ${goClient.version}`, 'go', buildGoClient);
tryInstall(`${pythonClient.name} ${pythonClient.version}`, 'python3', installPythonClient);
tryInstall(`${moto.name} ${moto.version}`, 'python3', installMoto);
for (const generator of generators) {
  tryInstall(`${generator.name} ${generator.version}`, generator.needs, () => installGenerator(generator));
}
tryInstall(`${keycloak.name} ${keycloak.version}`, 'mvn', downloadKeycloak);
const found = [...installedPrograms(), ...installedGenerators().map(({ generator }) => generator)];
console.log(`Checking with ${found.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
