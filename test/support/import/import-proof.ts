import { createHash } from 'node:crypto';
import { createReadStream, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { synthesize } from '../../../infra/build/synthesize.ts';
import { startService } from '../../../infra/local/service/service.ts';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { eventually } from '../faults/crash-run.ts';
import { openServiceTable } from '../local/running-service.ts';
import { listWorkspaces, readHistory, type StateFacts } from '../migration/compare.ts';
import { type Mover, openMover } from '../migration/mover.ts';
import { createSeededRandom } from '../models/seeded-random.ts';
import { describeMany, type HcpDescription } from './hcp-description.ts';
import { startHcpServer } from './hcp-server.ts';

export interface ImportProofOptions {
  readonly workspaces: number;
  /** Largest number of state versions of a workspace. The smallest one is 1. */
  readonly versions: number;
  /** Rarity of workspaces with many state versions. Default: 1, which makes each number equally likely. */
  readonly skew?: number;
  /** Number of times that the process of the import is killed. */
  readonly kills: number;
  readonly seed: number;
  /** Folder of an existing cloud assembly. By default, the app is synthesized. */
  readonly assembly?: string;
  readonly onProgress?: (line: string) => void;
}

export interface ImportProof {
  readonly versions: number;
  readonly bytes: number;
  /** Sizes of the journal at which the process was killed, in bytes. */
  readonly kills: readonly number[];
  readonly seconds: number;
  readonly findings: readonly string[];
}

type Workspace = HcpDescription['workspaces'][number];

/** Computes what the target must have of a workspace, from the bytes of the source. */
const expectedHistory = ({ versions = [] }: Workspace): readonly StateFacts[] =>
  versions.map(({ content }) => {
    const { serial, lineage } = JSON.parse(content.toString());
    return { serial, lineage, sha256: createHash('sha256').update(content).digest('hex') };
  });

/** Counts the events that the service has published, by type. One that was repeated with its id counts once. */
const countEvents = async (dataFolder: string): Promise<Readonly<Record<string, number>>> => {
  const seen = new Set<string>();
  const counts: Record<string, number> = {};
  for await (const line of createInterface(createReadStream(join(dataFolder, 'events', 'holdfast.jsonl')))) {
    const { detail } = JSON.parse(line);
    if (seen.has(detail.id)) continue;
    seen.add(detail.id);
    counts[detail.type] = (counts[detail.type] ?? 0) + 1;
  }
  return counts;
};

/** Changes one byte of a state in the bucket of a service. */
const alterState = (dataFolder: string, version: string): void => {
  const [file = ''] = globSync(`objects/**/*${version}*/@*v*`, { cwd: dataFolder }).filter(
    (path) => !path.endsWith('.json'),
  );
  const path = join(dataFolder, file);
  const content = readFileSync(path);
  const place = content.length - 5;
  content[place] = (content[place] ?? 0) ^ 1;
  writeFileSync(path, content);
};

/** Reads the names of all objects of the proof of an import that are not the same. */
const readDifferent = (mover: Mover): readonly string[] =>
  mover
    .read('move', 'proof.jsonl')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"result":"same"'))
    .map((line) => JSON.parse(line).name);

/**
 * Imports an organization into a local service with the built command line, whose process is killed again and again, and compares
 * all state versions by requests of its own. Then one byte is changed, which the verification has to find.
 */
export const proveImport = async ({ onProgress, ...options }: ImportProofOptions): Promise<ImportProof> => {
  const { seed, kills } = options;
  const begin = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-import-'));
  const dataFolder = join(folder, 'data');
  const description = describeMany(seed, options.workspaces, options.versions, options.skew);
  const assembly = options.assembly ?? (await synthesize({ outdir: join(folder, 'assembly') })).directory;
  const service = await startService({ dataFolder, assembly });
  const hcp = await startHcpServer(description);
  const findings: string[] = [];
  const must = (holds: boolean, finding: string): void => {
    if (!holds) findings.push(finding);
  };
  const report = (line: string): void => onProgress?.(`${((performance.now() - begin) / 1_000).toFixed(0)} s: ${line}`);
  try {
    const mover = await openMover({ service }, folder, { HOLDFAST_SOURCE_TOKEN: hcp.token });
    await mover.prepare(hcp.address, 'move');
    report('planned');
    const expected = new Map(description.workspaces.map((workspace) => [workspace.name, expectedHistory(workspace)]));
    const versions = [...expected.values()].flat().length;

    const draw = createSeededRandom(seed);
    const journalSize = (): number => Buffer.byteLength(mover.read('move', 'journal.jsonl'));
    const killedAt: number[] = [];
    // Four lines for each version. On average, the import is half done after all kills.
    const longest = Math.ceil((versions * 1_000) / Math.max(kills, 1));
    for (let kill = 1; kill <= kills; kill += 1) {
      const moment = { bytes: Math.ceil(draw() * longest), delay: Math.floor(draw() * 50) };
      if (!(await mover.kill('move', moment, 'import', 'run', 'move'))) break;
      killedAt.push(journalSize());
      if (kill % 10 === 0) report(`${kill} kills, ${killedAt.at(-1)} bytes of the journal`);
    }
    must(killedAt.length === kills, `the import was complete after ${killedAt.length} kills`);
    await mover.json('import', 'run', 'move');
    report('complete');
    const size = journalSize();
    const { records, states } = await mover.json('import', 'run', 'move');
    must(records === 0 && states === 0 && journalSize() === size, `the next run writes ${records} + ${states} again`);
    report('run again');

    const names = await listWorkspaces(mover.target);
    must(isDeepStrictEqual(names, [...expected.keys()].sort()), `the target has ${names.length} workspaces`);
    await mapWithConcurrency(expected, 4, async ([name, history]) => {
      const found = await readHistory(mover.target, name);
      must(isDeepStrictEqual(found, history), `the history of ${name} differs`);
    });
    report('compared');
    const late = await eventually(async () => {
      const counts = await countEvents(dataFolder);
      const found = ['workspace.created', 'workspace.variable-created', 'workspace.state-version-created'].map(
        (type) => counts[type],
      );
      const wanted = [options.workspaces, options.workspaces, versions];
      if (!isDeepStrictEqual(found, wanted)) throw new Error(`${found} creations in place of ${wanted}`);
    });
    if (late !== undefined) findings.push(late);
    const table = openServiceTable(service.engineEndpoint, service.tableNames[0]);
    findings.push(...(await checkTable(table)).findings.map((finding) => JSON.stringify(finding)));

    const altered = description.workspaces[Math.floor(draw() * options.workspaces)]?.name ?? '';
    const filter = `filter[organization][name]=${mover.target.organization}&filter[workspace][name]=${altered}`;
    const present = await mover.target.api.list(`/state-versions?${filter}`);
    const { id, attributes } = present[Math.floor(draw() * present.length)];
    alterState(dataFolder, id);
    const { code } = await mover.run('import', 'verify', 'move', '--deep');
    const different = readDifferent(mover);
    must(
      code === 7 && isDeepStrictEqual(different, [`${altered}/sv-${altered}-${attributes.serial}`]),
      `a changed byte of serial ${attributes.serial} of ${altered}: exit code ${code}, ${different.slice(0, 5)}`,
    );
    report('verified');
    must(hcp.violations.length === 0, hcp.violations.slice(0, 5).join('; '));
    const bytes = description.workspaces
      .flatMap((workspace) => workspace.versions ?? [])
      .reduce((sum, { content }) => sum + content.length, 0);
    return { versions, bytes, kills: killedAt, seconds: (performance.now() - begin) / 1_000, findings };
  } finally {
    await hcp.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
