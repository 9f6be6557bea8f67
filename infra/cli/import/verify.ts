import { readdir } from 'node:fs/promises';
import { hashFile } from '../bundle/hash.ts';
import { compareBytes } from './compare-bytes.ts';
import type { ItemResult } from './evaluate.ts';
import { FILES, writeFileSafely } from './folder.ts';
import { type Counts, openItemFile, type Proof } from './items.ts';
import type { Settled } from './journal.ts';
import { type OpenImport, publicFiles, toFilter, withPresent } from './open-import.ts';
import { type Accepted, acceptedBy, readPlan } from './plan.ts';
import { writeReport } from './report.ts';
import type { SourceVersion, WorkspaceFilter } from './source.ts';
import type { PresentVersion } from './target.ts';
import { evaluateDirectory, forEachUnit, itemsOf, type UnitPlan } from './traverse.ts';

/** Findings of a verification. */
export interface Verification {
  readonly counts: Counts;
  readonly results: Readonly<Record<ItemResult, number>>;
  /** Objects that differ and whose difference nobody has accepted. */
  readonly open: number;
  readonly accepted: number;
  readonly notCarried: number;
  /** Objects of the target that this import has written, and that the source does not have any more. */
  readonly deleted: number;
  /** State versions whose bytes were downloaded from both sides. */
  readonly downloaded: number;
}

/** Builds the facts of a state version of both sides. */
const toVersion = (
  version: SourceVersion,
  { copied }: Settled,
  found: PresentVersion | undefined,
): NonNullable<Proof['version']> => {
  const { origin, serial, size } = version;
  const facts = copied.get(origin.id);
  const { 'created-at': at } = origin;
  return {
    source: {
      id: origin.id,
      ...(serial !== undefined && { serial }),
      ...(size !== undefined && size !== null && { size }),
      ...(typeof at === 'string' && { 'created-at': at }),
    },
    ...(facts && {
      bytes: {
        ...{ sha256: facts.sha256, md5: facts.md5, size: facts.size },
        ...{ serial: facts.serial, lineage: facts.lineage },
      },
    }),
    ...(found && {
      target: { id: found.id, serial: found.record.serial, md5: found.md5, size: found.record.size ?? null },
    }),
  };
};

/** Proves the state versions of a workspace. @param deep whether the bytes of both sides are downloaded again. */
const proveVersions = async (
  open: OpenImport,
  { unit, versions }: UnitPlan,
  settled: Settled,
  deep: boolean,
  add: (proof: Proof) => Promise<void>,
): Promise<number> => {
  let downloaded = 0;
  const bySource = new Map(unit.versions.map((version) => [`${version.workspace}/${version.origin.id}`, version]));
  for (const item of versions.items) {
    const version = bySource.get(item.name);
    if (version === undefined) continue;
    const found = versions.present.get(item.name);
    const proof: Proof = { ...item, version: toVersion(version, settled, found) };
    if (!deep || item.result !== 'same' || found === undefined) {
      await add(proof);
      continue;
    }
    downloaded += 1;
    const { difference, ...digests } = await compareBytes(open, version, found.id);
    const detail =
      difference === undefined ? {} : ({ result: 'conflict', reason: 'content', detail: difference } as const);
    await add({ ...proof, ...digests, ...detail });
  }
  return downloaded;
};

/** Writes the checksums of all files that contain no secret, so that the folder can be handed to an auditor. */
const writeSums = async ({ folder }: OpenImport): Promise<void> => {
  const inventory = (await readdir(folder.path(FILES.inventory))).filter((name) => name.endsWith('.jsonl'));
  const lines: string[] = [];
  for (const name of [...publicFiles, ...inventory.map((file) => `${FILES.inventory}/${file}`)].sort()) {
    const digest = await hashFile(folder.path(name)).catch(() => undefined);
    if (digest !== undefined) lines.push(`${digest}  ${name}\n`);
  }
  await writeFileSafely(folder.path(FILES.sums), lines.join(''));
};

/**
 * Compares the inventory with the target, object by object, and writes the proof, the report and their checksums. Nothing is changed.
 * @param deep whether the bytes of all states are downloaded again from both sides.
 */
export const verifyImport = async (
  opened: OpenImport,
  deep: boolean,
  includes: WorkspaceFilter,
): Promise<Verification> => {
  const open = withPresent(opened);
  const { folder, io } = open;
  const plan = await readPlan(folder);
  const isAccepted: Accepted = plan === undefined ? () => false : acceptedBy(plan);
  const file = openItemFile<Proof>(folder, FILES.proof);
  const found = { open: 0, accepted: 0, downloaded: 0 };
  const add = async (proof: Proof): Promise<void> => {
    const accepted = proof.result !== 'same' && isAccepted(proof);
    if (accepted) found.accepted += 1;
    else if (proof.result !== 'same') found.open += 1;
    await file.add(accepted ? { ...proof, accepted } : proof);
  };
  const belongs = toFilter(folder.description.workspaces);
  for await (const item of evaluateDirectory(open, (name) => belongs(name) && includes(name))) await add(item);
  let workspaces = 0;
  await forEachUnit(open, includes, async (unit, settled) => {
    for (const item of itemsOf(unit)) if (item.type !== 'state-versions') await add(item);
    const downloaded = await proveVersions(open, unit, settled, deep, add);
    found.downloaded += downloaded;
    workspaces += 1;
    io.progress(`${workspaces.toLocaleString('en')} workspaces`);
  });
  await file.close();
  const results = await writeReport(folder, plan);
  await writeSums(open);
  io.progress('');
  return { ...results, ...found };
};
