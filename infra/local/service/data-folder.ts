import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { secretBytes } from '../../../shared/lib/random.ts';
import { messageOf, PlainError } from '../gateway/plain-error.ts';

/** What `local.json` says, for scripts and for `npm run admin`. */
export interface LocalAccess {
  readonly baseUrl: string;
  readonly organization?: string;
  readonly token?: string;
}

/** The files of a data folder; one that holds others is somebody else's. */
const files = {
  database: 'dynamodb.db',
  lock: 'service.lock',
  access: 'local.json',
  log: 'functions.log',
  assembly: 'assembly',
  masterKey: 'master.key',
  bucketPort: 'bucket.port',
  objects: 'objects',
  events: 'events',
  invocations: 'invocations',
  queues: 'queues',
  streams: 'streams',
} as const;

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly log: string;
  /** For the cloud assembly that is running. */
  readonly assembly: string;
  /** The key under which the local key service keeps its keys: made at the first start, and never again. */
  readMasterKey(): Buffer;
  /** Below it, objects of buckets, archives of events, and what has not been done yet. */
  readonly objects: string;
  readonly events: string;
  readonly invocations: string;
  readonly queues: string;
  readonly streams: string;
  /** The port that the buckets had in the last run; 0 where there was none. */
  readBucketPort(): number;
  writeBucketPort(port: number): void;
  /** What the last start wrote; undefined where there is nothing readable. */
  readAccess(): LocalAccess | undefined;
  writeAccess(access: LocalAccess): void;
  /** Lets another start have the folder. */
  release(): void;
}

/** Where the archives of events are, of a service that runs or not. */
export const eventsFolder = (folder: string): string => join(folder, files.events);
/** An archive's file: events as JSON, one a line. */
const ARCHIVE = '.jsonl';
export const archiveFile = (events: string, name: string): string => join(events, name + ARCHIVE);
export const archivesIn = (names: readonly string[]): string[] => names.filter((name) => name.endsWith(ARCHIVE)).sort();

export const readAccess = (folder: string): LocalAccess | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, files.access), 'utf8')) as LocalAccess;
  } catch {
    return undefined;
  }
};

/**
 * Makes the data folder ready, for its owner only, and takes it for this process.
 * @throws PlainError when it cannot be used, or another service uses it.
 */
export const openDataFolder = (folder: string): DataFolder => {
  const path = resolve(folder);
  prepare(path, folder);
  const lock = join(path, files.lock);
  takeLock(lock, folder);
  return {
    path,
    database: join(path, files.database),
    log: join(path, files.log),
    assembly: join(path, files.assembly),
    objects: join(path, files.objects),
    events: join(path, files.events),
    invocations: join(path, files.invocations),
    queues: join(path, files.queues),
    streams: join(path, files.streams),
    readBucketPort: () => readPort(join(path, files.bucketPort)),
    writeBucketPort: (port) => writeFileSync(join(path, files.bucketPort), String(port), { mode: 0o600 }),
    readMasterKey: () => readMasterKey(join(path, files.masterKey), folder),
    readAccess: () => readAccess(path),
    writeAccess: (access) => {
      const temporary = join(path, `${files.access}.tmp`);
      writeFileSync(temporary, `${JSON.stringify(access, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, join(path, files.access));
    },
    release: () => rmSync(lock, { force: true }),
  };
};

const readPort = (path: string): number => {
  try {
    const port = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0;
  } catch {
    return 0;
  }
};

const MASTER_KEY_BYTES = 32;

const readMasterKey = (path: string, folder: string): Buffer => {
  try {
    createWhole(path, secretBytes(MASTER_KEY_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(path);
  if (key.length === MASTER_KEY_BYTES) return key;
  throw new PlainError(`The data folder ${folder} cannot be used: ${files.masterKey} is not a key`);
};

/** Folder by folder: making them all in one call goes round for ever where the file system lets nobody make one. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
};

const prepare = (path: string, folder: string): void => {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    const names = readdirSync(path);
    if (names.length > 0 && !Object.values(files).some((name) => names.includes(name)))
      throw new Error('it holds other files; choose a new or an empty folder');
    chmodSync(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PlainError(`The data folder ${folder} cannot be used: ${reason(error)}`);
  }
};

const reason = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is not a folder';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this user may not write to it';
  return messageOf(error);
};

interface Holder {
  readonly pid: number;
  /** When the process started: a number that another process with the same pid does not have. */
  readonly started: string;
}

const takeLock = (lock: string, folder: string): void => {
  const me: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      createWhole(lock, JSON.stringify(me));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new PlainError(`The data folder ${folder} cannot be used: ${reason(error)}`);
    }
    const holder = readHolder(lock);
    if (holder && startOf(holder.pid) === holder.started)
      throw new PlainError(`The data folder ${folder} is in use by the service with process id ${holder.pid}`);
    // Its holder was killed before it could let go.
    rmSync(lock, { force: true });
  }
  throw new PlainError(`The data folder ${folder} is being taken by another start`);
};

/** Creates a file that nobody ever sees half written; fails with EEXIST when there is one. */
const createWhole = (path: string, content: string | Buffer): void => {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  try {
    linkSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
};

const readHolder = (lock: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
};

/** When a living process started; undefined when it does not live, empty where the system does not tell. */
const startOf = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    // Field 22 of proc(5); the fields are counted after the command, which may hold spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
};
