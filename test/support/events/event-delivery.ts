import { isDeepStrictEqual } from 'node:util';
import { publishBatch } from '../../../functions/publish/publish.ts';
import { addTags } from '../../../shared/domain/tags/tag.ts';
import { changeTags } from '../../../shared/domain/transitions/change-tags.ts';
import { forceDelete } from '../../../shared/domain/transitions/delete-workspace.ts';
import { lock } from '../../../shared/domain/transitions/lock.ts';
import type { RequestContext, Transition } from '../../../shared/domain/transitions/transition.ts';
import { forceUnlock } from '../../../shared/domain/transitions/unlock.ts';
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
import { randomOf } from '../models/seeded-random.ts';
import { complaintsOf } from './event-schemas.ts';
import { type Received, startTestBus } from './test-bus.ts';

export interface DeliveryOptions {
  readonly changes: number;
  readonly workspaces: number;
  readonly seed: number;
  /** What fails of the publisher's calls, as a fraction of them. */
  readonly failing: number;
  /** How many of the changes no event can be made of. */
  readonly poisonous: number;
}

export interface Delivery {
  readonly changes: number;
  readonly invocations: number;
  readonly calls: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Events that the bus has, those that came twice among them. */
  readonly received: number;
  readonly duplicates: number;
  readonly deadLetters: number;
  readonly findings: readonly string[];
}

/** How many make changes side by side. */
const WRITERS = 8;
const kinds = ['throttled', 'broken', 'lost', 'partial', 'crash before a call', 'crash after a call'] as const;

/**
 * Makes changes of workspaces and publishes them from the table's own stream, while the bus refuses, breaks and loses
 * answers and the publisher crashes, and says what the bus has in the end.
 */
export const deliverChanges = async (options: DeliveryOptions): Promise<Delivery> => {
  const random = randomOf(options.seed);
  // The writers and the bus draw in whatever order they run: which calls fail must not hang on that.
  const draw = randomOf(options.seed + 1);
  const failures: Record<string, number> = {};
  let failed = 0;
  /** Every kind comes up before any comes again, so that a run of few calls meets them all. */
  const fate = (): (typeof kinds)[number] | undefined => {
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
    const refused = new Set(events.map((_, place) => place).filter(() => random() < 0.5));
    return kind === 'partial'
      ? { failing: (place) => (refused.has(place) ? 'ThrottlingException' : undefined) }
      : 'taken';
  });
  try {
    const stream = await followStream(engine);
    const real = openBus('holdfast', bus.client);
    /** The publisher's end, in the middle of what it does: nothing of it catches this. */
    const mortal: Bus = {
      send: async (entries) => {
        const kind = fate();
        if (kind === 'crash before a call') throw new Error(kind);
        next = kind;
        const outcomes = await real.send(entries);
        if (kind === 'crash after a call') throw new Error(kind);
        return outcomes;
      },
    };
    const handler = publishBatch({
      bus: mortal,
      deadLetters: openDeadLetters(bus.queueUrl, bus.client),
      clock: Date.now,
      logger: createLogger('publish'),
    });

    let isDone = false;
    const made = makeChanges(engine, options, random).finally(() => {
      isDone = true;
    });
    let invocations = 0;
    for (let last = false; !last; ) {
      last = isDone;
      invocations += (await deliver(handler, await stream.sinceLast())).invocations;
    }
    const { sequences, poison } = await made;
    return {
      changes: [...sequences.values()].reduce((sum, sequence) => sum + sequence, 0),
      invocations,
      calls: bus.calls(),
      failures,
      received: bus.received.length,
      duplicates: bus.received.length - new Set(bus.received.map(({ detail }) => detail.id)).size,
      deadLetters: bus.letters.length,
      findings: findingsOf(bus.received, sequences, poison, bus.letters),
    };
  } finally {
    await bus.stop();
    await engine.stop();
  }
};

/** Where an event that cannot be made stands: the workspace and its sequence number. */
const placeOf = (id: string, sequence: number): string => `${id}/${sequence}`;

const makeChanges = async (
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

  /** A change by a version of the service that is not known here. */
  const makePoison = async (id: string): Promise<void> => {
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
      if (isPoison) poison.add(placeOf(id, sequence));
      await (isPoison ? makePoison(id) : workspaces.apply(image, transition(image, request), request));
      sequences.set(id, sequence);
    }
  };
  const shares = Array.from({ length: WRITERS }, (_, lane) => images.filter((_, index) => index % WRITERS === lane));
  await Promise.all(shares.map(writer));
  // The end of a workspace is the last of its events.
  const [first] = images;
  if (first !== undefined) {
    const request: RequestContext = { id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } };
    const gone = await workspaces.apply(
      (await workspaces.find(first.id)) as Workspace,
      forceDelete(request, Date.now()),
      request,
    );
    sequences.set(first.id, gone.sequence);
  }
  return { sequences, poison };
};

const findingsOf = (
  received: readonly Received[],
  sequences: ReadonlyMap<string, number>,
  poison: ReadonlySet<string>,
  letters: readonly unknown[],
): string[] => {
  const findings: string[] = [];
  const known = new Map<string, Received>();
  for (const event of received) {
    const before = known.get(event.detail.id);
    if (before !== undefined && !isDeepStrictEqual(before, event)) findings.push(`${event.detail.id} is two events`);
    known.set(event.detail.id, event);
  }
  const firsts = Map.groupBy(known.values(), ({ detail }) => String(detail.workspace.id));
  for (const [id, last] of sequences) {
    const wanted = Array.from({ length: last }, (_, index) => index + 1).filter(
      (sequence) => !poison.has(placeOf(id, sequence)),
    );
    const seen = (firsts.get(id) ?? []).map(({ detail }) => detail.sequence);
    if (!isDeepStrictEqual(seen, wanted)) findings.push(`${id}: ${seen.length} of ${wanted.length}, or not in order`);
  }
  const buried = letters.map((letter) => JSON.stringify(letter));
  for (const place of poison) {
    const [id = '', sequence] = place.split('/');
    const isKept = buried.some((letter) => letter.includes(id) && letter.includes(`"sequence":${sequence}`));
    if (!isKept) findings.push(`${place} is neither sent nor among the dead letters`);
  }
  findings.push(...[...known.values()].flatMap(({ detail }) => complaintsOf(detail)).map((it) => JSON.stringify(it)));
  return findings;
};
