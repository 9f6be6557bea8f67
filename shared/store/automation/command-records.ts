import { absent, all, any, below, equals } from '../../domain/changes/conditions.ts';
import { DomainError, unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOpen } from '../directory/directory-items.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persist } from '../dynamodb/retry-writes.ts';

/** One command of one service principal. */
export interface CommandReference {
  readonly principal: string;
  readonly id: string;
  /** Tells it from every other command: an id stands for one alone. */
  readonly fingerprint: string;
}

/** What is known of a command. */
export interface CommandRecord {
  /** The workspace that its name stood for when it was first made. */
  readonly workspace?: string;
  /** Whether it was begun before, and cut off. */
  readonly resumed: boolean;
  /** Absent until it has been made. */
  readonly answer?: unknown;
}

export interface Commands {
  /** The id of the team that automation may act as under that name; undefined where there is none. */
  readonly findServicePrincipal: (organization: string, name: string) => Promise<string | undefined>;
  /**
   * Notes that a command is being made.
   * @throws DomainError 422 when its id stands for another one.
   */
  readonly begin: (command: CommandReference, workspace: string | undefined) => Promise<CommandRecord>;
  /** Keeps what came of it; the answer that was kept first stays, and is returned. */
  readonly finish: (command: CommandReference, answer: unknown) => Promise<unknown>;
}

/** How long a command is known by its id. */
const COMMAND_SECONDS = 24 * 60 * 60;

/** Commands of automation by their ids: made once, however often they arrive. */
export const openCommands = (database: Database, clock: Clock): Commands => {
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
      // DynamoDB removes what has expired when it pleases: until then it is as good as gone.
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
        // Made by two invocations at once, and the other was faster; or by this one, its answer lost.
        const kept = error.image && recordOf(command, error.image).answer;
        if (kept === undefined) throw unavailable('The command is busy. Try again shortly.');
        return kept;
      }
    },
  };
};
