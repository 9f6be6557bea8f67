import { existsSync } from 'node:fs';
import {
  buildOtf,
  buildProgram,
  findCommand,
  findPostgres,
  goPrograms,
  installedPrograms,
  installMoto,
  moto,
  otf,
} from '../clients/programs.ts';
import { requireOpenssl, tryInstall } from '../clients/try-install.ts';

/** `npm run check:migration` first installs and builds the sources that are missing, and names those that it must skip. */

requireOpenssl();
if (findCommand('terraform') === undefined) console.log('Skipped: terraform is not installed.');
const [tofu] = goPrograms;
tryInstall(`${tofu.name} ${tofu.version}`, 'go', () => buildProgram(tofu));
tryInstall(`${otf.name} ${otf.version}`, 'go', buildOtf);
tryInstall(`${moto.name} ${moto.version}`, 'python3', installMoto);
const postgres = findPostgres();
if (postgres === undefined) console.log('Skipped: PostgreSQL, with the backend pg and OTF. It is not installed.');
const found = [
  ...installedPrograms().filter(({ name }) => name === 'terraform' || name === 'tofu'),
  ...[otf, moto].filter(({ path }) => existsSync(path)),
];
console.log(`Checking with ${found.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
