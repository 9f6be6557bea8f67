import { apiRequest } from '../../../shared/client/request.ts';
import { type StateVersion, showStateVersion } from '../../../shared/client/state-versions.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { type Content, download } from './download.ts';
import type { Item } from './evaluate.ts';
import { type CopiedState, type Journal, type Settled, type StateFacts, subjectKey } from './journal.ts';
import { exceededByState } from './limits.ts';
import type { Source, SourceVersion } from './source.ts';
import type { PresentVersion } from './target.ts';

/** Returns the name of a state version among those of all workspaces. */
export const versionName = ({ workspace, origin }: SourceVersion): string => `${workspace}/${origin.id}`;

/** Returns whether the target has imported a version from this one. */
const isImportOf = (
  present: PresentVersion,
  version: SourceVersion,
  { host, organization }: Source['origin'],
): boolean => {
  const from = present.record.origin?.['imported-from'];
  return from?.host === host && (from.organization ?? null) === organization && from.id === version.origin.id;
};

/** Returns whether a rollback has written a version of the target back to the source as this one. */
const isPushed = ({ id }: PresentVersion, version: SourceVersion, pushed: Settled['pushed']): boolean => {
  const facts = pushed.get(id);
  if (facts === undefined) return false;
  return (['serial', 'size', 'md5', 'sha256'] as const).every(
    (member) => version[member] === undefined || version[member] === facts[member],
  );
};

/** Returns whether both have the same content, although the target does not say that it was imported. */
const isEqual = ({ md5, record }: PresentVersion, version: SourceVersion): boolean =>
  record.origin?.['imported-from'] === undefined &&
  version.md5 !== undefined &&
  version.md5 === md5 &&
  (version.serial === undefined || version.serial === record.serial);

/** The state versions of a workspace on both sides. */
export interface VersionPlan {
  readonly items: readonly Item[];
  /** Versions to copy, the oldest first. */
  readonly missing: readonly SourceVersion[];
  /** Versions of the target by the names of the items that they stand for. */
  readonly present: ReadonlyMap<string, PresentVersion>;
  /** Versions that the target has, and whose content the import has not read. */
  readonly unread: readonly SourceVersion[];
}

const toItem = (version: SourceVersion, result: Item['result'], more: Partial<Item> = {}): Item => ({
  type: 'state-versions',
  name: versionName(version),
  workspace: version.workspace,
  result,
  source: version.sha256 ?? '',
  target: null,
  ...more,
});

/** Finds the versions of the target that stand for those of the source. Both are in order, and content can occur twice. */
const align = (
  versions: readonly SourceVersion[],
  present: readonly PresentVersion[],
  isOf: (other: PresentVersion, version: SourceVersion) => boolean,
): Map<string, PresentVersion> => {
  const matched = new Map<string, PresentVersion>();
  let next = 0;
  for (const version of versions) {
    const index = present.findIndex((other, place) => place >= next && isOf(other, version));
    const other = present[index];
    if (other === undefined) continue;
    matched.set(versionName(version), other);
    next = index + 1;
  }
  return matched;
};

/**
 * Decides which state versions of a workspace are copied. The target has to have a beginning of the history of the source, and nothing
 * after it.
 */
export const planVersions = (
  versions: readonly SourceVersion[],
  present: readonly PresentVersion[],
  origin: Source['origin'],
  { copied, refused, pushed, givenUp }: Pick<Settled, 'copied' | 'refused' | 'pushed' | 'givenUp'>,
): VersionPlan => {
  const matched = align(
    versions,
    present,
    (other, version) =>
      isImportOf(other, version, origin) || isEqual(other, version) || isPushed(other, version, pushed),
  );
  const found = new Set(matched.values());
  // After a rollback that gave up the versions of the target, the import goes on behind them.
  const ended = present.findIndex(({ id }) => id === givenUp);
  const last = present.findLast((other, index) => index > ended || found.has(other));
  // A source without a history lists only its present state, and not the one that this import has copied before.
  const carried = new Set([...copied.values()].map(({ target }) => target));
  const hasOwn = last !== undefined && !found.has(last) && !carried.has(last.id);
  const reached = versions.findLastIndex((version) => matched.has(versionName(version)));
  const missing: SourceVersion[] = [];
  const unread: SourceVersion[] = [];
  const items = versions.map((version, index): Item => {
    const other = matched.get(versionName(version));
    const facts = copied.get(version.origin.id);
    if (other !== undefined) {
      if (facts === undefined) unread.push(version);
      const source = facts?.sha256 ?? version.sha256 ?? '';
      const md5 = facts?.md5 ?? version.md5 ?? other.md5;
      return md5 === other.md5
        ? toItem(version, 'same', { source, target: source })
        : toItem(version, 'conflict', {
            ...{ reason: 'content', source, target: other.md5 },
            detail: `The target has content with the MD5 ${other.md5} in place of ${md5}.`,
          });
    }
    // It stays the reason once later versions are there.
    const exceeded = exceededByState(version);
    if (exceeded.length > 0) return toItem(version, 'cannot', { reason: 'limit', detail: exceeded.join(' ') });
    if (hasOwn) {
      const detail = `The newest state version of the target, ${last.id}, is not from the source.`;
      return toItem(version, 'conflict', { reason: 'states', detail });
    }
    const given = refused.get(subjectKey({ type: 'state-versions', name: versionName(version) }));
    if (given !== undefined && index < reached) {
      return toItem(version, 'cannot', { reason: 'content', detail: given });
    }
    if (index < reached) {
      const detail = 'The target has a later version without it. A retention policy can have deleted it there.';
      return toItem(version, 'cannot', { reason: 'order', detail });
    }
    missing.push(version);
    return toItem(version, 'create');
  });
  return { items, missing, present: matched, unread };
};

/** Bytes of the largest content that a creation carries in itself (STATE-20). It is read with its response. */
const LARGEST_INLINE = 3 * 2 ** 20;
/** Attempts to create a state version. A lost response has its upload URL, so that another version is created (HTTP-40). */
const CREATIONS = 3;
/** Readings of a version until its content has been read by the service, one a second. */
const READINGS = 120;

const isLost = (error: unknown): boolean => {
  const { meta, status } = error instanceof Failure ? error.details : {};
  return status === 409 && String((meta as { readonly id?: unknown } | undefined)?.id).startsWith('sv-');
};

/** Dependencies of the copying of states. */
export interface Copying {
  readonly io: Io;
  readonly api: Api;
  readonly journal: Journal;
  readonly source: Source;
}

const importedFrom = ({ origin }: Source, { origin: from }: SourceVersion) => ({
  ...origin,
  id: from.id,
  'created-at': from['created-at'] ?? null,
  'created-by': from['created-by']?.id ?? null,
  commit: from['vcs-commit-sha'] ?? null,
});

/** Whether the content can follow that of the target without force: the same lineage and a higher serial (STATE-3). */
const follows = (
  facts: StateFacts,
  former: { readonly serial: number; readonly lineage?: string | null } | undefined,
) =>
  former === undefined ||
  (facts.serial > former.serial &&
    (facts.lineage === null || former.lineage === null || facts.lineage === former.lineage));

const createVersion = async (
  { api, journal, source }: Copying,
  workspace: string,
  version: SourceVersion,
  { content, facts }: Content,
  isForced: boolean,
): Promise<StateVersion> => {
  const { serial, lineage, md5 } = facts;
  const request = apiRequest('post', '/api/v2/workspaces/{workspace_id}/state-versions', {
    path: { workspace_id: workspace },
    body: {
      data: {
        attributes: {
          ...{ serial, lineage, md5, 'imported-from': importedFrom(source, version) },
          ...(version.intermediate === true && { intermediate: true }),
          ...(isForced && { force: true }),
          ...(content.length <= LARGEST_INLINE && { state: content.toString('base64') }),
        },
      },
    },
  });
  const subject = { type: 'state-versions' as const, name: versionName(version), workspace: version.workspace };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { document } = await journal.write(subject, request, (idempotencyKey) =>
        api.send({ ...request, idempotencyKey }),
      );
      return document.data;
    } catch (error) {
      if (!isLost(error) || attempt === CREATIONS) throw error;
    }
  }
};

/** Waits until the service has read the content of a version, and compares what it says. */
const requireEqual = async ({ api, io }: Copying, created: StateVersion, facts: StateFacts): Promise<void> => {
  const { id } = created;
  let { attributes } = created;
  for (let reading = 1; attributes.status !== 'finalized'; reading += 1) {
    if (attributes.status === 'discarded') {
      throw new Failure('partial', `${id} was discarded: its content did not arrive whole.`);
    }
    if (reading > READINGS) throw new Failure('timedOut', `The service has not read the content of ${id}.`);
    if (reading > 1) await io.wait(1_000, io.signal);
    ({ attributes } = (await api.lookUp(showStateVersion(id))).document.data);
  }
  if (attributes.md5 !== facts.md5 || attributes.size !== facts.size) {
    throw new Failure('partial', `${id} has the MD5 ${attributes.md5} in place of ${facts.md5}.`);
  }
};

/**
 * Copies a state version byte for byte, while the caller holds the lock of the workspace.
 * @param workspace id of the workspace.
 * @param former what the version before it says; undefined for the first one.
 */
export const copyVersion = async (
  copying: Copying,
  workspace: string,
  version: SourceVersion,
  former: { readonly serial: number; readonly lineage?: string | null } | undefined,
): Promise<CopiedState> => {
  const downloaded = await download(copying, version);
  const { content, facts } = downloaded;
  const created = await createVersion(copying, workspace, version, downloaded, !follows(facts, former));
  const url = created.attributes['hosted-state-upload-url'];
  if (created.attributes.status === 'pending' && url) await copying.api.upload(url, content);
  await requireEqual(copying, created, facts);
  return note(copying, version, facts, created.id);
};

const note = async (
  { journal }: Copying,
  version: SourceVersion,
  facts: StateFacts,
  target: string,
): Promise<CopiedState> => {
  const state = { ...facts, source: version.origin.id, target };
  await journal.add({
    ...{ type: 'state-versions', name: versionName(version), workspace: version.workspace },
    ...{ event: 'copied', state },
  });
  return state;
};

/**
 * Reads the content of a version that the target has already, so that the journal has its digests: an interrupted run has created it, or
 * another import. The verification compares them with what the target says.
 */
export const readVersion = async (copying: Copying, version: SourceVersion, found: PresentVersion): Promise<void> => {
  const { facts } = await download(copying, version);
  await note(copying, version, facts, found.id);
};
