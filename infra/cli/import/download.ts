import { createHash } from 'node:crypto';
import { NoResponse } from '../../../shared/client/errors.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { LARGEST_STATE, readState } from '../state-file.ts';
import type { StateFacts } from './journal.ts';
import type { Source, SourceVersion } from './source.ts';

/** Content of a state version, as it was downloaded. */
export interface Content {
  readonly content: Buffer;
  readonly facts: StateFacts;
}

/** Dependencies of a download. */
interface Downloading {
  readonly io: Pick<Io, 'wait' | 'signal'>;
  readonly source: Pick<Source, 'download'>;
}

/** Attempts to download the content of a state version as a whole. */
const ATTEMPTS = 4;

/** Content that another download may return differently. */
class Unusable extends Error {}

/** Returns whether the server did not respond at all, in contrast to content that is not what it says. */
const isUnreachable = (failure: Failure): boolean => {
  const { cause, status } = failure.details;
  return cause instanceof NoResponse || status !== undefined;
};

/**
 * Downloads something from the beginning again when it does not arrive whole. A source cannot repeat a download of which parts have arrived.
 * @throws Failure `partial` for content that arrives differently than the source describes it each time.
 */
export const withRestarts = async <T>({ wait, signal }: Downloading['io'], run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const isRepeated = error instanceof Unusable || (error instanceof Failure && error.exit === 'failed');
      if (!isRepeated || signal.aborted) throw error;
      if (attempt === ATTEMPTS) {
        if (error instanceof Failure && isUnreachable(error)) throw error;
        throw new Failure('partial', error.message, { cause: error });
      }
      await wait(attempt * 1_000, signal);
    }
  }
};

/** Reads a whole content. @throws Unusable if it is not what the source says. */
const readContent = async (source: Downloading['source'], version: SourceVersion) => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source.download(version)) {
    size += part.length;
    if (typeof version.size === 'number' && size > version.size) {
      throw new Unusable(`${version.origin.id} has more than ${version.size} bytes, which the source says.`);
    }
    if (size > LARGEST_STATE) {
      throw new Failure('rejected', `The state ${version.origin.id} has more than ${LARGEST_STATE} bytes.`);
    }
    parts.push(part);
  }
  const content = Buffer.concat(parts);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const md5 = createHash('md5').update(content).digest('hex');
  const expected = [
    [version.sha256, sha256, 'SHA-256'],
    [version.md5, md5, 'MD5'],
    [version.size, size, 'size'],
  ] as const;
  for (const [wanted, found, what] of expected) {
    if (wanted !== undefined && wanted !== null && wanted !== found) {
      throw new Unusable(`${version.origin.id} has the ${what} ${found}, and the source says ${wanted}.`);
    }
  }
  return { content, sha256, md5, size };
};

/**
 * Reads the content of a state version.
 * @throws Failure `rejected` for a state that is too large, or that cannot be read twice with the same bytes.
 */
export const download = ({ io, source }: Downloading, version: SourceVersion): Promise<Content> => {
  let unreadable: string | undefined;
  return withRestarts(io, async () => {
    const { content, ...digests } = await readContent(source, version);
    const state = readState(content);
    if (typeof state !== 'string') {
      return { content, facts: { ...digests, serial: state.serial, lineage: state.lineage } };
    }
    const message = `${version.origin.id}: ${state}`;
    if (unreadable === digests.sha256) throw new Failure('rejected', message);
    unreadable = digests.sha256;
    throw new Unusable(message);
  });
};

/** Computes the SHA-256 of the content of a state version at the source. */
export const digestSource = ({ io, source }: Downloading, version: SourceVersion): Promise<string> =>
  withRestarts(io, () => digestOf(source.download(version)));

/** Computes the SHA-256 of content. */
export const digestOf = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash('sha256');
  for await (const part of content) hash.update(part);
  return hash.digest('hex');
};
