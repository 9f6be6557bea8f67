import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { ApiRequest } from '../../../shared/client/request.ts';
import { createIdempotencyKey } from '../../../shared/client/send.ts';
import { now, timestamp } from '../../../shared/lib/clock.ts';
import { canonicalJson, sortable } from '../bundle/canonical.ts';
import { readLines } from '../bundle/lines.ts';
import { createSorter } from '../bundle/sorter.ts';
import { explainFile } from '../explain-file.ts';
import { Failure } from '../failure.ts';
import type { Digests } from './compare.ts';
import { FILES, type ImportFolder } from './folder.ts';
import { createCursor, type InventoryType } from './inventory.ts';

/** The object that a step of an import is about. */
export interface Subject {
  readonly type: InventoryType | 'locks';
  /** Name of the object, with that of its owner before it. */
  readonly name: string;
  /** The workspace to which it belongs. */
  readonly workspace?: string | undefined;
}

/** Digests and identity of the content of a state version. */
export interface StateFacts {
  readonly sha256: string;
  readonly md5: string;
  readonly size: number;
  readonly serial: number;
  readonly lineage: string | null;
}

/** A copied state version. */
export interface CopiedState extends StateFacts {
  /** Ids at the source and at the target. */
  readonly source: string;
  readonly target: string;
}

/** A line of the journal. */
export type JournalLine = Subject & { readonly at: string } & (
    | { readonly event: 'intent'; readonly request: string; readonly key: string; readonly digest: string }
    | { readonly event: 'done'; readonly request: string }
    /** The request was rejected. */
    | { readonly event: 'rejected'; readonly request: string; readonly detail: string }
    /** The object has the content of the source, with these digests of its members. */
    | { readonly event: 'carried'; readonly members: Digests }
    | { readonly event: 'copied'; readonly state: CopiedState }
    | { readonly event: 'refused'; readonly detail: string }
    /** The source was locked for a cutover, or unlocked by a rollback. */
    | { readonly event: 'source-locked' | 'source-unlocked' | 'cut-over' | 'rolled-back'; readonly wave: string }
    /** A rollback has written a state version of the target back to the source, with this content. */
    | { readonly event: 'pushed'; readonly version: string; readonly facts: StateFacts }
    /** A rollback has given up the state versions of the target up to this one. */
    | { readonly event: 'given-up'; readonly version: string }
  );

type Entry = JournalLine extends infer L ? (L extends JournalLine ? Omit<L, 'at'> : never) : never;

/** Journal of an import: each write has a line before it and one after it, which are on the disk before the import goes on. */
export interface Journal {
  readonly add: (entry: Entry) => Promise<void>;
  /**
   * Runs a write. An intention of a former run without an end is repeated with its key, so that the service recognizes it.
   * @param send sends the request with the idempotency key.
   * @param hasSecret whether the body contains a secret.
   */
  readonly write: <R>(
    subject: Subject,
    request: ApiRequest,
    send: (key: string) => Promise<R>,
    hasSecret?: boolean,
  ) => Promise<R>;
  readonly close: () => Promise<void>;
}

/** Yields the lines of the journal, the oldest first. A line that a crash has cut is left out. */
async function* readJournal(folder: ImportFolder): AsyncGenerator<JournalLine> {
  const path = folder.path(FILES.journal);
  const isThere = await open(path, 'r').then(
    (file) => file.close().then(() => true),
    () => false,
  );
  if (!isThere) return;
  const lines = readLines(path);
  for (;;) {
    let next: IteratorResult<string>;
    try {
      next = await lines.next();
    } catch {
      return;
    }
    if (next.done) return;
    try {
      yield JSON.parse(next.value) as JournalLine;
    } catch {
      // Cut by a crash, and ended by the next run.
    }
  }
}

/** Ends of a request that do not say whether it was executed. */
const unknownOutcomes: readonly string[] = ['failed', 'interrupted'];

/** Computes the digest of a request. That of a short secret could be guessed, so that a body with one is not part of it. */
const digestOf = ({ method, url, body, ifMatch }: ApiRequest, hasSecret: boolean): string =>
  createHash('sha256')
    .update(canonicalJson([method, url, hasSecret ? null : body, ifMatch]))
    .digest('hex');

/** Longest line that a crash can have cut, in bytes. */
const LONGEST_CUT = 2 ** 20;

/** Removes a last line that a crash has cut, so that the next one does not continue it. What it announces was not done yet. */
const removeCutLine = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  const start = Math.max(0, size - LONGEST_CUT);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const end = start + buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
  if (end < size) await file.truncate(end);
};

/** Opens the journal of an import to continue it. */
export const openJournal = async (folder: ImportFolder): Promise<Journal> => {
  /** Keys of intentions without an end, by the digests of their requests. */
  const unfinished = new Map<string, string>();
  const latest = new Map<string, string>();
  for await (const line of readJournal(folder)) {
    const subject = `${line.type} ${line.name}`;
    if (line.event === 'intent') {
      unfinished.set(line.digest, line.key);
      latest.set(subject, line.digest);
    } else if (line.event === 'done' || line.event === 'rejected') {
      unfinished.delete(latest.get(subject) ?? '');
      latest.delete(subject);
    }
  }
  const file = await open(folder.path(FILES.journal), 'a+', 0o600);
  await removeCutLine(file);
  let lines = '';
  let writing = Promise.resolve();
  /** The write that takes along the lines that come before it begins. */
  let next: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const text = lines;
    lines = '';
    next = undefined;
    await explainFile(`${folder.name}/${FILES.journal}`, async () => {
      await file.appendFile(text);
      await file.datasync();
    });
  };
  const add: Journal['add'] = (entry) => {
    lines += `${JSON.stringify({ at: timestamp(now()), ...entry })}\n`;
    // After a failure, nothing is written any more: it could continue a line that was cut.
    if (next === undefined) writing = next = writing.then(write);
    return next;
  };
  return {
    add,
    write: async (subject, request, send, hasSecret = false) => {
      const digest = digestOf(request, hasSecret);
      const key = unfinished.get(digest) ?? createIdempotencyKey();
      unfinished.delete(digest);
      const name = `${request.method} ${request.url}`;
      await add({ ...subject, event: 'intent', request: name, key, digest });
      try {
        const result = await send(key);
        await add({ ...subject, event: 'done', request: name });
        return result;
      } catch (error) {
        // Without a response, the intention stays open: the next run repeats it with its key.
        if (error instanceof Failure && !unknownOutcomes.includes(error.exit)) {
          await add({ ...subject, event: 'rejected', request: name, detail: error.message });
        }
        throw error;
      }
    },
    close: async () => {
      await writing.catch(() => undefined);
      await file.close();
    },
  };
};

/** State of the objects of a workspace, or of the organization, after the journal. Objects are found by `subjectKey`. */
export interface Settled {
  /** Objects that the import has written, also if it was interrupted. */
  readonly written: ReadonlySet<string>;
  /** Digests of the members of objects when the import last wrote them. */
  readonly carried: ReadonlyMap<string, Digests>;
  /** Copied state versions by their ids at the source. */
  readonly copied: ReadonlyMap<string, CopiedState>;
  /** Content that rollbacks have written back to the source, by the ids of its versions at the target. */
  readonly pushed: ReadonlyMap<string, StateFacts>;
  /** The last state version of the target that a rollback has given up. */
  readonly givenUp: string | undefined;
  /** Why the last attempt to write an object was given up. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Returns the text by which an object is found. */
export const subjectKey = ({ type, name }: Pick<Subject, 'type' | 'name'>): string => `${type} ${name}`;

const toSettled = (lines: readonly JournalLine[]): Settled => {
  const written = new Set<string>();
  const underWay = new Set<string>();
  const carried = new Map<string, Digests>();
  const copied = new Map<string, CopiedState>();
  const refused = new Map<string, string>();
  const pushed = new Map<string, StateFacts>();
  let givenUp: string | undefined;
  for (const line of lines) {
    const key = subjectKey(line);
    if (line.event === 'intent') underWay.add(key);
    if (line.event === 'rejected') underWay.delete(key);
    if (line.event === 'done') written.add(key);
    if (line.event === 'carried') carried.set(key, line.members);
    if (line.event === 'copied') copied.set(line.state.source, line.state);
    if (line.event === 'pushed') pushed.set(line.version, line.facts);
    if (line.event === 'given-up') givenUp = line.version;
    if (line.event === 'refused') refused.set(key, line.detail);
    if (line.event === 'carried' || line.event === 'copied') refused.delete(key);
  }
  return { written: new Set([...written, ...underWay]), carried, copied, refused, pushed, givenUp };
};

/** Events about the objects themselves. */
const events: readonly string[] = [
  ...['intent', 'rejected', 'done', 'carried', 'copied', 'refused'],
  ...['pushed', 'given-up'],
];

/** Finds what the journal says of the records of the organization, and the names of the workspaces that the import has written. */
export const readSettled = async (
  folder: ImportFolder,
): Promise<{ readonly directory: Settled; readonly workspaces: ReadonlySet<string> }> => {
  const workspaces = new Set<string>();
  const directory: JournalLine[] = [];
  for await (const line of readJournal(folder)) {
    if (!events.includes(line.event)) continue;
    if (line.type === 'workspaces' && line.event === 'done') workspaces.add(line.name);
    if (line.workspace === undefined) directory.push(line);
  }
  return { directory: toSettled(directory), workspaces };
};

/** Facts of the journal about workspaces, which have to be requested in the order of their names. */
export interface SettledWorkspaces {
  readonly workspace: (name: string) => Promise<Settled>;
  readonly close: () => Promise<void>;
}

/** Finds what the journal says of workspaces, in constant memory. */
export const openSettled = async (folder: ImportFolder): Promise<SettledWorkspaces> => {
  let count = 0;
  const numbered = createSorter(folder.path(FILES.inventory, 'journal'), (line) => line.slice(0, line.indexOf('\t')));
  for await (const line of readJournal(folder)) {
    if (line.workspace === undefined || !events.includes(line.event)) continue;
    count += 1;
    const place = `${sortable(line.workspace)} ${String(count).padStart(12, '0')}`;
    await numbered.add(`${place}\t${JSON.stringify(line)}`);
  }
  const lines = (async function* () {
    for await (const line of numbered.sorted()) yield JSON.parse(line.slice(line.indexOf('\t') + 1)) as JournalLine;
  })();
  const take = createCursor(lines, ({ workspace = '' }) => workspace);
  return { workspace: async (name) => toSettled(await take(name)), close: numbered.discard };
};

/** State of a workspace between source and target. */
export interface Handover {
  readonly wave: string;
  /** Whether the import holds the lock at the source. */
  readonly isLocked: boolean;
  readonly isCutOver: boolean;
}

/** Reads which workspaces are cut over, by their names. */
export const readHandovers = async (folder: ImportFolder): Promise<ReadonlyMap<string, Handover>> => {
  const handovers = new Map<string, Handover>();
  for await (const line of readJournal(folder)) {
    if (!('wave' in line)) continue;
    const { name, wave, event } = line;
    const { isLocked, isCutOver } = handovers.get(name) ?? { isLocked: false, isCutOver: false };
    handovers.set(name, {
      wave,
      isLocked: event === 'source-unlocked' ? false : isLocked || event === 'source-locked',
      isCutOver: event === 'cut-over' || (isCutOver && event !== 'rolled-back'),
    });
  }
  return handovers;
};
