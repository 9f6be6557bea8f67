import { absent, all, any, below, equals } from '../../domain/changes/conditions.ts';
import { DomainError, unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import { isOpen } from '../items/directory-items.ts';

/** One command of one service principal. */
export interface CommandReference {
  readonly principal: string;
  readonly id: string;
  /** Hash of the content of the command. An id must not be used again for a command with another fingerprint. */
  readonly fingerprint: string;
}

/** Stored state of a command. */
export interface CommandRecord {
  /** Id of the workspace that the name in the command meant at the first execution. */
  readonly workspace?: string;
  /** True if an earlier execution of the command was started. */
  readonly resumed: boolean;
  /** Stored response; absent until the command is complete. */
  readonly answer?: unknown;
}

export interface CommandStore {
  /** Finds the id of the team with this name if it is a service team; undefined otherwise. */
  readonly findServicePrincipal: (organization: string, name: string) => Promise<string | undefined>;
  /**
   * Records the start of a command.
   * @throws DomainError 422 if the id was used for another command.
   */
  readonly begin: (command: CommandReference, workspace: string | undefined) => Promise<CommandRecord>;
  /** Stores the response of a command, unless one is stored already. Returns the stored response. */
  readonly finish: (command: CommandReference, answer: unknown) => Promise<unknown>;
}

/** Time for which a command is stored, in seconds. */
const COMMAND_SECONDS = 24 * 60 * 60;

/** Opens the store of automation commands. A command that is sent again with the same id is executed only once. */
export const openCommandStore = (database: Database, clock: Clock): CommandStore => {
  const keyOf = ({ principal, id }: CommandReference) => keys.command(principal, id);
  const expires = () => Math.ceil(clock() / 1000) + COMMAND_SECONDS;

  const recordOf = ({ fingerprint }: CommandReference, item: Item): CommandRecord => {
    if (item['fingerprint'] !== fingerprint) {
      const detail = 'The id of the command was used for another command within the last day.';
      throw new DomainError('unprocessable', detail, { source: { pointer: '/id' } });
    }
    return {
      resumed: true,
      ...(item['workspace'] !== undefined && { workspace: String(item['workspace']) }),
      ...(item['answer'] !== undefined && { answer: JSON.parse(String(item['answer'])) }),
    };
  };

  const send = (write: Write) =>
    persist('command', clock, async (_, remaining) => {
      await database.write(write, remaining());
      return true;
    });

  return {
    findServicePrincipal: async (organization, name) => {
      const claim = await database.get(keys.claim(organization, 'team', name), true);
      const team = claim && (await database.get(keys.team(String(claim['id'])), true));
      return isOpen(team) && team['service'] === true ? String(team['id']) : undefined;
    },

    begin: async (command, workspace) => {
      const key = keyOf(command);
      const { id, principal, fingerprint } = command;
      const item = {
        ...{ ...key, ...typeAndVersion('command'), id, principal, fingerprint },
        ...(workspace !== undefined && { workspace }),
        ttl: expires(),
      };
      // DynamoDB may remove an expired item late. Until then, the item is treated as deleted.
      const condition = any(absent('pk'), below('ttl', clock() / 1000));
      try {
        await send({ kind: 'put', key, item, ...render({ condition }) });
        return { resumed: false, ...(workspace !== undefined && { workspace }) };
      } catch (error) {
        if (!(error instanceof ConditionFailed) || error.image === undefined) throw error;
        return recordOf(command, error.image);
      }
    },

    finish: async (command, answer) => {
      const key = keyOf(command);
      const condition = all(equals('fingerprint', command.fingerprint), absent('answer'));
      const change = { set: { answer: JSON.stringify(answer), ttl: expires() } };
      try {
        await send({ kind: 'update', key, ...render({ condition, change }) });
        return answer;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        // Another invocation stored its response first, or the response of an earlier write of this one was lost.
        const kept = error.image && recordOf(command, error.image).answer;
        if (kept === undefined) throw unavailable('The command is busy. Try again shortly.');
        return kept;
      }
    },
  };
};
