import { isDeepStrictEqual } from 'node:util';
import { publishBatch } from '../../../functions/publish/publish.ts';
import { addTags } from '../../../shared/domain/tags/tag.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import { changeTags } from '../../../shared/domain/transitions/relationships/change-tags.ts';
import type { RequestContext, Transition } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { type Bus, openBus } from '../../../shared/events/bus.ts';
import { openDeadLetters } from '../../../shared/events/dead-letters.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { newWorkspace } from '../api/new-workspace.ts';
import { startEngine } from '../engine/engine.ts';
import { deliver } from '../engine/stream-mapping.ts';
import { followStream } from '../engine/table-stream.ts';
import { createSeededRandom } from '../models/seeded-random.ts';
import { validateEvent } from './event-schemas.ts';
import { type Received, startTestBus } from './test-bus.ts';

export interface DeliveryOptions {
  readonly changes: number;
  readonly workspaces: number;
  readonly seed: number;
  /** Fraction of the calls of the publisher that fail. */
  readonly failing: number;
  /** Number of changes with an unknown type, from which no event can be created. */
  readonly poisonous: number;
}

export interface Delivery {
  readonly changes: number;
  readonly invocations: number;
  readonly calls: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Number of events on the bus, including repeated ones. */
  readonly received: number;
  readonly duplicates: number;
  readonly deadLetters: number;
  readonly findings: readonly string[];
}

/** Number of parallel writers. */
const WRITERS = 8;
const kinds = ['throttled', 'broken', 'lost', 'partial', 'crash before a call', 'crash after a call'] as const;

/**
 * Changes workspaces and publishes the changes from the stream of the table, while the bus rejects calls and loses
 * responses and the publisher crashes. Compares the events on the bus with the changes.
 */
export const deliverChanges = async (options: DeliveryOptions): Promise<Delivery> => {
  const random = createSeededRandom(options.seed);
  // A separate generator, so that the order of writers and bus does not decide which calls fail.
  const draw = createSeededRandom(options.seed + 1);
  const failures: Record<string, number> = {};
  let failed = 0;
  /** Chooses the next fault. The kinds take turns, so that also a short run has all of them. */
  const nextFault = (): (typeof kinds)[number] | undefined => {
    if (draw() >= options.failing) return undefined;
    const kind = kinds[failed++ % kinds.length] ?? 'broken';
    failures[kind] = (failures[kind] ?? 0) + 1;
    return kind;
  };

  const engine = await startEngine();
  let next: (typeof kinds)[number] | undefined;
  const bus = await startTestBus((events) => {
    const kind = next;
    next = undefined;
    if (kind === 'throttled' || kind === 'broken' || kind === 'lost') return kind;
    const rejected = new Set(events.map((_, place) => place).filter(() => random() < 0.5));
    return kind === 'partial'
      ? { failing: (place) => (rejected.has(place) ? 'ThrottlingException' : undefined) }
      : 'taken';
  });
  try {
    const stream = await followStream(engine);
    const real = openBus('holdfast', bus.client);
    /** A bus whose errors end the invocation, because the publisher does not catch them. */
    const crashingBus: Bus = {
      send: async (entries) => {
        const kind = nextFault();
        if (kind === 'crash before a call') throw new Error(kind);
        next = kind;
        const outcomes = await real.send(entries);
        if (kind === 'crash after a call') throw new Error(kind);
        return outcomes;
      },
    };
    const handler = publishBatch({
      bus: crashingBus,
      deadLetters: openDeadLetters(bus.queueUrl, bus.client),
      clock: Date.now,
      logger: createLogger('publish'),
    });

    let isDone = false;
    const written = writeChanges(engine, options, random).finally(() => {
      isDone = true;
    });
    let invocations = 0;
    for (let last = false; !last; ) {
      last = isDone;
      invocations += (await deliver(handler, await stream.sinceLast())).invocations;
    }
    const { sequences, poison } = await written;
    return {
      changes: [...sequences.values()].reduce((sum, sequence) => sum + sequence, 0),
      invocations,
      calls: bus.calls(),
      failures,
      received: bus.received.length,
      duplicates: bus.received.length - new Set(bus.received.map(({ detail }) => detail.id)).size,
      deadLetters: bus.letters.length,
      findings: findProblems(bus.received, sequences, poison, bus.letters),
    };
  } finally {
    await bus.stop();
    await engine.stop();
  }
};

/** Builds a key of a change: the workspace and its sequence number. */
const changeKey = (id: string, sequence: number): string => `${id}/${sequence}`;

const writeChanges = async (
  engine: Awaited<ReturnType<typeof startEngine>>,
  { changes, workspaces: count, poisonous }: DeliveryOptions,
  random: () => number,
) => {
  const workspaces = openWorkspaces(engine.database, Date.now);
  const images = await Promise.all(
    Array.from({ length: count }, async () => {
      const workspace = newWorkspace({ organization: 'acme', project: 'prj-x' }, { name: `w-${base58(8)}` });
      await workspaces.create(workspace, 4);
      return workspace;
    }),
  );
  const sequences = new Map(images.map(({ id }) => [id, 1]));
  const poison = new Set<string>();
  let left = changes - count;
  const every = Math.floor(left / (poisonous + 1));

  const transition = (image: Workspace, request: RequestContext): Transition => {
    const which = random();
    if (which < 0.4) return changeTags((tags) => addTags(tags.slice(-3), [base58(6)], Date.now()));
    return image.lock ? forceUnlock(request) : lock(request, { id: `lock-${base58(8)}`, reason: '', at: Date.now() });
  };

  /** Writes a change record with an unknown type, as a later version of the service might. */
  const writeUnknownChange = async (id: string): Promise<void> => {
    await engine.database.write({
      kind: 'update',
      key: keys.workspace(id),
      UpdateExpression: 'SET #c.#t = :type, #c.#i = :id ADD #s :one',
      ExpressionAttributeNames: { '#c': 'chg', '#t': 'type', '#i': 'id', '#s': 'seq' },
      ExpressionAttributeValues: { ':type': 'workspace.unheard-of', ':id': base58(8), ':one': 1 },
    });
  };

  const writer = async (own: readonly Workspace[]): Promise<void> => {
    for (let turn = 0; left > 0; turn++) {
      left -= 1;
      const isPoison = poison.size < poisonous && left % every === 0;
      const { id } = own[turn % own.length] as Workspace;
      const request: RequestContext = { id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } };
      const image = (await workspaces.find(id)) as Workspace;
      const sequence = image.sequence + 1;
      if (isPoison) poison.add(changeKey(id, sequence));
      await (isPoison ? writeUnknownChange(id) : workspaces.apply(image, transition(image, request), request));
      sequences.set(id, sequence);
    }
  };
  const shares = Array.from({ length: WRITERS }, (_, lane) => images.filter((_, index) => index % WRITERS === lane));
  await Promise.all(shares.map(writer));
  // A deletion is the last event of a workspace.
  const [first] = images;
  if (first !== undefined) {
    const request: RequestContext = { id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } };
    const deleted = await workspaces.apply(
      (await workspaces.find(first.id)) as Workspace,
      forceDelete(request, Date.now()),
      request,
    );
    sequences.set(first.id, deleted.sequence);
  }
  return { sequences, poison };
};

const findProblems = (
  received: readonly Received[],
  sequences: ReadonlyMap<string, number>,
  poison: ReadonlySet<string>,
  letters: readonly unknown[],
): string[] => {
  const findings: string[] = [];
  const known = new Map<string, Received>();
  for (const event of received) {
    const before = known.get(event.detail.id);
    if (before !== undefined && !isDeepStrictEqual(before, event))
      findings.push(`two different events have the id ${event.detail.id}`);
    known.set(event.detail.id, event);
  }
  const firsts = Map.groupBy(known.values(), ({ detail }) => String(detail.workspace.id));
  for (const [id, last] of sequences) {
    const wanted = Array.from({ length: last }, (_, index) => index + 1).filter(
      (sequence) => !poison.has(changeKey(id, sequence)),
    );
    const seen = (firsts.get(id) ?? []).map(({ detail }) => detail.sequence);
    if (!isDeepStrictEqual(seen, wanted))
      findings.push(`${id}: ${seen.length} of ${wanted.length} events, or not in order`);
  }
  const deadLetters = letters.map((letter) => JSON.stringify(letter));
  for (const place of poison) {
    const [id = '', sequence] = place.split('/');
    const isKept = deadLetters.some((letter) => letter.includes(id) && letter.includes(`"sequence":${sequence}`));
    if (!isKept) findings.push(`${place} was neither published nor sent to the dead-letter queue`);
  }
  findings.push(...[...known.values()].flatMap(({ detail }) => validateEvent(detail)).map((it) => JSON.stringify(it)));
  return findings;
};
