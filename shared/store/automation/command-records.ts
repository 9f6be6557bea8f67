import { absent, all, any, below, type Change, type Condition, equals } from '../../domain/changes/conditions.ts';
import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed, conditionHolds } from '../dynamodb/errors.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { isOpen } from '../items/directory-items.ts';
import { update } from '../items/item-write.ts';

/** A command of automation (AUTO-3), or a request with an `Idempotency-Key` (HTTP-37). */
export interface CommandReference {
  /** Id of the service principal, or `token` for a request. */
  readonly principal: string;
  /** Unique among the commands of the principal. */
  readonly id: string;
  /** Keyed hash of the content of the command. An id must not be used again for a command with another fingerprint. */
  readonly fingerprint: string;
}

/** Stored command, as a new attempt to execute it finds it. */
export interface CommandRecord {
  /**
   * - `new`: this is the first attempt.
   * - `resumed`: an earlier attempt has ended without a response.
   * - `running`: another attempt is running.
   * - `complete`: the response is stored.
   * - `other`: the id was used for another command.
   */
  readonly state: 'new' | 'resumed' | 'running' | 'complete' | 'other';
  /** Id of the workspace that the name in the command meant at the first execution. */
  readonly workspace?: string;
  /** Request id of the first attempt, under which later attempts recognize its writes; absent if an earlier release stored it. */
  readonly request?: string;
  /** True if the attempt before was rejected, so that it has changed nothing. */
  readonly isRejected?: true;
  /** Stored response of a complete command. */
  readonly answer?: unknown;
}

/** Details of the start of a command. */
interface CommandStart {
  /** Id of the workspace that the command names. */
  readonly workspace?: string | undefined;
  /** Unique id of this attempt, for commands of which only one attempt may run at a time. */
  readonly attempt?: string;
  /** Request id under which the command is executed if this is the first attempt. It must never be used again. */
  readonly request: string;
}

/** Time for which a command is stored, in seconds. */
const COMMAND_SECONDS = 24 * 60 * 60;

/**
 * Time in milliseconds after which an attempt without a response counts as crashed. It is longer than the timeout of HTTP
 * functions (20 seconds) and the clock skew between two of them.
 */
const ATTEMPT_MILLISECONDS = 30_000;

/** Opens the store of commands. A command that is sent again with the same id is executed only once. */
export const openCommandStore = (database: Database, clock: Clock) => {
  const keyOf = ({ principal, id }: CommandReference) => keys.command(principal, id);
  const expires = () => Math.ceil(clock() / 1000) + COMMAND_SECONDS;

  const recordOf = (command: CommandReference, item: Item): CommandRecord => {
    if (item['fingerprint'] !== command.fingerprint) return { state: 'other' };
    return {
      state: item['answer'] === undefined ? 'resumed' : 'complete',
      ...(item['workspace'] !== undefined && { workspace: String(item['workspace']) }),
      ...(item['request'] !== undefined && { request: String(item['request']) }),
      ...(item['rejected'] === true && { isRejected: true }),
      ...(item['answer'] !== undefined && { answer: JSON.parse(String(item['answer'])) }),
    };
  };

  const change = (command: CommandReference, requested: Change, condition: Condition) =>
    persistWrite('command', { database, clock }, update(keyOf(command), requested, condition));

  /** Continues a command that was started before: immediately, or after the attempt that runs has crashed. */
  const resume = async (command: CommandReference, item: Item, attempt: string | undefined): Promise<CommandRecord> => {
    const record = recordOf(command, item);
    if (record.state !== 'resumed' || attempt === undefined) return record;
    // An item of the same attempt was written by a call whose response was lost.
    if (item['attempt'] === attempt) return record.request === attempt ? { ...record, state: 'new' } : record;
    if (Number(item['until']) > clock()) return { ...record, state: 'running' };
    const condition = all(equals('attempt', String(item['attempt'])), absent('answer'));
    const set = { attempt, until: clock() + ATTEMPT_MILLISECONDS };
    try {
      await change(command, { set, remove: ['rejected'] }, condition);
      return record;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || error.image === undefined) throw error;
      return resume(command, error.image, attempt);
    }
  };

  return {
    /** Finds the id of the team with this name if it is a service team; undefined otherwise. */
    findServicePrincipal: async (organization: string, name: string): Promise<string | undefined> => {
      const claim = await database.get(keys.claim(organization, 'team', name), true);
      const team = claim && (await database.get(keys.team(String(claim['id'])), true));
      return isOpen(team) && team['service'] === true ? String(team['id']) : undefined;
    },

    /** Records the start of an attempt to execute a command. It may be executed if it is `new` or `resumed`. */
    begin: async (command: CommandReference, { workspace, attempt, request }: CommandStart): Promise<CommandRecord> => {
      const { id, principal, fingerprint } = command;
      const given = {
        ...(workspace !== undefined && { workspace }),
        request,
        ...(attempt !== undefined && { attempt, until: clock() + ATTEMPT_MILLISECONDS }),
      };
      const set = { ...typeAndVersion('command'), id, principal, fingerprint, ...given, ttl: expires() };
      // DynamoDB may remove an expired item late. Until then, the item is treated as deleted.
      const condition = any(absent('pk'), below('ttl', clock() / 1000));
      const unset = ['answer', 'workspace', 'rejected'].filter((name) => !(name in given));
      try {
        await change(command, { set, remove: unset }, condition);
        return { state: 'new', ...(workspace !== undefined && { workspace }), request };
      } catch (error) {
        if (!(error instanceof ConditionFailed) || error.image === undefined) throw error;
        return resume(command, error.image, attempt);
      }
    },

    /** Stores the response of a command, unless one is stored already. @returns the stored response. */
    finish: async (command: CommandReference, answer: unknown): Promise<unknown> => {
      const condition = all(equals('fingerprint', command.fingerprint), absent('answer'));
      try {
        await change(command, { set: { answer: JSON.stringify(answer), ttl: expires() } }, condition);
        return answer;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        // Another invocation stored its response first, or the response of an earlier write of this one was lost.
        const kept = error.image && recordOf(command, error.image).answer;
        if (kept === undefined) throw unavailable('The command is busy. Try again shortly.');
        return kept;
      }
    },

    /**
     * Ends an attempt without a response, so that the next one may start at once.
     * @param isRejected whether the attempt was rejected; false if it may have written something.
     */
    release: async (command: CommandReference, attempt: string, isRejected: boolean): Promise<void> => {
      const condition = all(equals('attempt', attempt), absent('answer'));
      // The condition fails if another attempt has taken over.
      await conditionHolds(change(command, { set: { until: 0, ...(isRejected && { rejected: true }) } }, condition));
    },
  };
};

export type CommandStore = ReturnType<typeof openCommandStore>;
