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
import type { JWK } from 'jose';
import { base58, secretBytes } from '../../../shared/lib/random.ts';
import { messageFrom, PlainError } from '../../command-line.ts';
import { createSigningKey } from '../identity-provider/signing-key.ts';

/** Content of `local.json`, for scripts, for the command line and for `npm run admin`. */
export interface LocalAccess {
  readonly baseUrl: string;
  readonly organization?: string;
  readonly token?: string;
  /** Issuer of identity tokens of pipelines; absent if the service runs without `--sign-in`. */
  readonly issuer?: string;
  /** Audience of these tokens. */
  readonly audience?: string;
  /** Access of the runner library to secrets; absent if the table is not in the embedded engine. */
  readonly aws?: {
    readonly region: string;
    readonly tableName: string;
    readonly secretsKeyArn: string;
    readonly endpoints: { readonly dynamodb: string; readonly kms: string };
    readonly credentials: LocalCredentials;
  };
}

/** Credentials for the emulated services. The data folder has them in a file in the format of the AWS command line. */
export interface LocalCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The files of a data folder. A folder with only other files is not a data folder, and is not changed. */
const files = {
  database: 'dynamodb.db',
  lock: 'service.lock',
  access: 'local.json',
  log: 'functions.log',
  /** The cloud assembly that is running. */
  assembly: 'assembly',
  masterKey: 'master.key',
  credentials: 'credentials',
  /** Private key of the embedded identity provider. */
  signingKey: 'signing-key.json',
  bucketPort: 'bucket.port',
  /** Folders of the objects, archived events, accepted invocations, queued messages, and stream checkpoints. */
  objects: 'objects',
  events: 'events',
  invocations: 'invocations',
  queues: 'queues',
  streams: 'streams',
} as const;

type Paths = Readonly<Record<keyof typeof files, string>>;

export type DataFolder = ReturnType<typeof openDataFolder>;

/** Builds the path of the archived events in a data folder. */
export const eventsFolder = (folder: string): string => join(folder, files.events);
/** Reads `local.json` of a data folder; undefined when it does not exist or is not valid. */
export const readAccess = (folder: string): LocalAccess | undefined => readJson(join(folder, files.access));

const readJson = <T>(path: string): T | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
};

/** Reads a file; an empty text when it does not exist. */
const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Reads the credentials for the emulated services from a data folder; undefined when there are none. */
export const readCredentials = (folder: string): LocalCredentials | undefined => {
  const text = readText(join(folder, files.credentials));
  const [, accessKeyId] = /^aws_access_key_id *= *(\S+)$/m.exec(text) ?? [];
  const [, secretAccessKey] = /^aws_secret_access_key *= *(\S+)$/m.exec(text) ?? [];
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
};

/** Reads the private key of the embedded identity provider from a data folder; undefined when there is none. */
export const readSigningKey = (folder: string): JWK | undefined => readJson(join(folder, files.signingKey));

/** Reads the port that the S3 emulation used last in a data folder; 0 when there is none. */
export const readBucketPort = (folder: string): number => {
  const port = Number(readText(join(folder, files.bucketPort)));
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0;
};

/**
 * Creates the data folder if it does not exist, makes it readable by its owner only, and locks it for this process.
 * @throws PlainError when the folder cannot be used, or another process uses it.
 */
export const openDataFolder = (folder: string) => {
  const path = resolve(folder);
  prepare(path, folder);
  const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(path, file)])) as Paths;
  acquireLock(paths.lock, folder);
  return {
    paths,
    writeBucketPort: (port: number): void => writeFileSync(paths.bucketPort, String(port), { mode: 0o600 }),
    /** Reads the master key of the KMS emulation. It is created at the first start and never changes. */
    readMasterKey: (): Buffer => readMasterKey(paths.masterKey, folder),
    /** Reads the credentials for the emulated services. They are created at the first start and never change. */
    readCredentials: (): LocalCredentials => {
      createOnce(
        paths.credentials,
        `[default]\naws_access_key_id = LOCAL${base58(15)}\naws_secret_access_key = ${base58(40)}\n`,
      );
      const credentials = readCredentials(path);
      if (credentials) return credentials;
      throw new PlainError(`The data folder ${folder} cannot be used: ${files.credentials} has no credentials`);
    },
    /** Reads the private key of the embedded identity provider. It is created when it is read first, and never changes. */
    readSigningKey: (): JWK => {
      if (!existsSync(paths.signingKey)) createOnce(paths.signingKey, JSON.stringify(createSigningKey()));
      const key = readSigningKey(path);
      if (key) return key;
      throw new PlainError(`The data folder ${folder} cannot be used: ${files.signingKey} is not a key`);
    },
    writeAccess: (access: LocalAccess): void => {
      const temporary = `${paths.access}.tmp`;
      writeFileSync(temporary, `${JSON.stringify(access, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, paths.access);
    },
    /** Removes the lock file, so that another process can use the folder. */
    release: (): void => rmSync(paths.lock, { force: true }),
  };
};

const MASTER_KEY_BYTES = 32;

const readMasterKey = (path: string, folder: string): Buffer => {
  createOnce(path, secretBytes(MASTER_KEY_BYTES));
  const key = readFileSync(path);
  if (key.length === MASTER_KEY_BYTES) return key;
  throw new PlainError(`The data folder ${folder} cannot be used: ${files.masterKey} is not a key`);
};

/** Creates a folder and its parents one by one. One recursive call does not end on a file system that forbids it. */
const createFolder = (path: string): void => {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
};

const prepare = (path: string, folder: string): void => {
  try {
    createFolder(path);
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    const names = readdirSync(path);
    if (names.length > 0 && !Object.values(files).some((name) => names.includes(name)))
      throw new Error('it contains other files; choose a new or an empty folder');
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
  return messageFrom(error);
};

interface LockHolder {
  readonly pid: number;
  /** Start time of the process. It distinguishes the process from a later one with the same pid. */
  readonly started: string;
}

const acquireLock = (lock: string, folder: string): void => {
  const self: LockHolder = { pid: process.pid, started: processStartTime(process.pid) ?? '' };
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      createAtomically(lock, JSON.stringify(self));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new PlainError(`The data folder ${folder} cannot be used: ${reason(error)}`);
    }
    const holder = readJson<LockHolder>(lock);
    if (holder && processStartTime(holder.pid) === holder.started)
      throw new PlainError(`The data folder ${folder} is in use by the service with process id ${holder.pid}`);
    // The holder of the lock was killed before it could release the lock.
    rmSync(lock, { force: true });
  }
  throw new PlainError(`Another process is starting a service in the data folder ${folder}`);
};

/** Creates a file unless it exists. */
const createOnce = (path: string, content: string | Buffer): void => {
  try {
    createAtomically(path, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/** Creates a file with its whole content in one step. @throws an error with the code EEXIST when the file exists. */
const createAtomically = (path: string, content: string | Buffer): void => {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  try {
    linkSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** Returns the start time of a running process; undefined when it is not running; '' when the system has no `/proc`. */
const processStartTime = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  // Field 22 of proc(5). The fields are counted after the command, which may contain spaces.
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};
