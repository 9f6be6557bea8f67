import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import { LARGEST_STATE, readState } from '../../state-file.ts';
import type { NotCarried, SourceVersion } from '../source.ts';

/** Facts about a state that follow from its bytes. */
export type Facts = Required<Pick<SourceVersion, 'serial' | 'lineage' | 'sha256' | 'md5' | 'size'>>;

/** Reason why something that was found is not carried. */
export type Problem = Pick<NotCarried, 'reason' | 'detail'>;

/** Returns why something of this size is not carried. */
export const checkSize = (size: number): Problem | undefined => {
  if (size === 0) return { reason: 'no-content', detail: 'It is empty.' };
  if (size <= LARGEST_STATE) return undefined;
  return { reason: 'not-supported', detail: `It has ${size} bytes. Holdfast stores states of up to 100 MiB.` };
};

/** Computes the SHA-256 of bytes, in hexadecimal digits. */
export const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Reads the content of a state. @returns what it is instead, if it is no state. */
export const readContent = (content: Buffer): Facts | Problem => {
  const problem = checkSize(content.length);
  if (problem !== undefined) return problem;
  const state = readState(content);
  if (typeof state === 'string') return { reason: 'not-supported', detail: state };
  const { serial, lineage, members } = state;
  if (typeof members['version'] !== 'number' && typeof members['encrypted_data'] !== 'string') {
    return { reason: 'not-supported', detail: 'This is not a state: it has no version.' };
  }
  if ('backend' in members) {
    return { reason: 'not-supported', detail: 'This is not a state, but the settings of a backend.' };
  }
  const md5 = createHash('md5').update(content).digest('hex');
  return { serial, lineage, sha256: sha256Of(content), md5, size: content.length };
};

/**
 * Decides whether a state can follow the present one, as `terraform state push` does.
 * @param place path of the state, for messages.
 * @returns false if it is there already.
 * @throws Failure `conflict` if the present one is another state, or is as new.
 */
export const requireNewer = (place: string, present: Buffer, next: Buffer): boolean => {
  if (present.equals(next)) return false;
  const [before, after] = [readState(present), readState(next)];
  if (typeof after === 'string') throw new Failure('rejected', after);
  if (typeof before === 'string' || before.lineage !== after.lineage) {
    throw new Failure('conflict', `${place} has become another state. Nothing was written.`, {
      hint: 'Compare both states, and push the right one with "terraform state push".',
    });
  }
  if (after.serial > before.serial) return true;
  throw new Failure(
    'conflict',
    `${place} has serial ${before.serial}, and the state to write has ${after.serial}. Nothing was written.`,
    { hint: 'Compare both states. "terraform state push -force" writes a state with a lower serial.' },
  );
};

/** Lock of a state, as terraform and tofu describe it. Every member may be missing. */
export interface LockInfo {
  readonly ID?: string;
  readonly Operation?: string;
  readonly Info?: string;
  readonly Who?: string;
  readonly Version?: string;
  readonly Created?: string;
  readonly Path?: string;
}

/** Reads the description of a lock. @returns an empty one for a text that is none. */
export const readLock = (text: string): LockInfo => {
  try {
    const info: unknown = JSON.parse(text);
    return typeof info === 'object' && info !== null ? info : {};
  } catch {
    return {};
  }
};

/** A state that somebody else has locked. */
interface Locked {
  readonly place: string;
  readonly lock: LockInfo;
}

/** Locks that a message names. */
const NAMED_LOCKS = 5;

/**
 * Creates the failure for states that are locked.
 * @param hint what to do with a lock that nobody holds any more.
 */
export const lockedFailure = (locked: readonly Locked[], hint: string): Failure => {
  const names = locked.slice(0, NAMED_LOCKS).map(({ place, lock: { Who, Created, Operation } }) => {
    const facts = [Who && `by ${Who}`, Created && `since ${Created}`, Operation && `for ${Operation}`];
    return [place, ...facts.filter(Boolean)].join(' ');
  });
  const more = locked.length > NAMED_LOCKS ? ` and ${locked.length - NAMED_LOCKS} more` : '';
  return new Failure('conflict', `Locked at the source: ${names.join(', ')}${more}.`, { hint });
};
