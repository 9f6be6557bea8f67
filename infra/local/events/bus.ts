import { appendFileSync, createReadStream, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { base58 } from '../../../shared/lib/random.ts';
import { type ArchiveDefinition, DEFAULT_BUS, type EventDefinitions } from '../assembly/assembly-events.ts';
import { archiveArn, busArn, LOCAL_ACCOUNT, LOCAL_REGION, replayArn } from '../assembly/template.ts';
import type { Asynchronous } from '../lambda/asynchronous.ts';
import { type Input, type JsonService, jsonServiceFor, Refused } from '../service/aws-json.ts';
import { archiveFile } from '../service/data-folder.ts';

/** An event as rules and archives see it. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
  /** Of an event that an archive gives once more. */
  readonly 'replay-name'?: string;
}

/** The buses of the assembly and the default one, behind EventBridge's protocol. */
export interface Buses {
  /** An event that an AWS service would send by itself. It is on its way, and on disk, when this returns. */
  emit(source: string, detailType: string, resources: readonly string[], detail: object): void;
  readonly service: JsonService;
}

type BusesDefinition = Pick<EventDefinitions, 'buses' | 'archives' | 'rules'>;

const MOST_ENTRIES = 10;
const LARGEST_BATCH_BYTES = 256 * 1024;

export const openBuses = (
  { buses, archives, rules }: BusesDefinition,
  folder: string,
  { accept }: Pick<Asynchronous, 'accept'>,
): Buses => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const appenders = archives.map((archive) => openArchive(archive, folder));

  /** First into the archives, all at once: what was answered is there. Then on their way to functions. */
  const send = (sent: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    for (const append of appenders) append(sent);
    deliver(sent);
  };

  const deliver = (sent: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    for (const [bus, event] of sent)
      for (const rule of rules)
        if (rule.bus === bus && rule.matches(event))
          for (const { functionName, input } of rule.targets) accept(functionName, input(event));
  };

  const busAt = (given: unknown): string => {
    const found = buses.find((name) => (given ?? DEFAULT_BUS) === name || given === busArn(name));
    if (found === undefined) throw new Refused('ResourceNotFoundException', `Event bus ${given} does not exist.`);
    return found;
  };

  const putEvents = (input: Input): object => {
    const entries = input['Entries'];
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > MOST_ENTRIES)
      throw new Refused('ValidationException', `1 to ${MOST_ENTRIES} entries are needed`);
    const sizes = (entries as Input[]).reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (sizes > LARGEST_BATCH_BYTES)
      throw new Refused('ValidationException', 'Total size of the entries in the request is over the limit.');
    const taken: (readonly [string, BusEvent])[] = [];
    const results = (entries as Input[]).map((entry) => {
      const bus = busAt(entry['EventBusName']);
      const event = eventOf(entry);
      if ('ErrorCode' in event) return event;
      taken.push([bus, event]);
      return { EventId: event.id };
    });
    send(taken);
    return { FailedEntryCount: results.length - taken.length, Entries: results };
  };

  /** Gives what an archive has of a time to the rules of its bus once more; it is not archived again. */
  const startReplay = async (input: Input): Promise<object> => {
    const archive = archives.find(({ name }) => archiveArn(name) === input['EventSourceArn']);
    if (archive === undefined)
      throw new Refused('ResourceNotFoundException', `Archive ${input['EventSourceArn']} does not exist.`);
    const name = String(input['ReplayName'] ?? '');
    const [from, to] = [Number(input['EventStartTime']) * 1_000, Number(input['EventEndTime']) * 1_000];
    if (name === '' || !(from < to))
      throw new Refused('ValidationException', 'A name, and a start before the end, are needed.');
    for await (const event of archivedEvents(archiveFile(folder, archive.name))) {
      const time = Date.parse(event.time);
      if (time >= from && time <= to) deliver([[archive.bus, { ...event, 'replay-name': name }]]);
    }
    return { ReplayArn: replayArn(name), State: 'COMPLETED', ReplayStartTime: Date.now() / 1_000 };
  };

  return {
    emit: (source, detailType, resources, detail) => {
      send([[DEFAULT_BUS, { ...envelope(new Date()), 'detail-type': detailType, source, resources, detail }]]);
    },
    service: jsonServiceFor('AWSEvents', {
      PutEvents: putEvents,
      StartReplay: startReplay,
      ListArchives: () => ({
        Archives: archives.map(({ name, bus }) => ({
          ArchiveName: name,
          EventSourceArn: busArn(bus),
          State: 'ENABLED',
        })),
      }),
      ListEventBuses: () => ({ EventBuses: buses.map((Name) => ({ Name, Arn: busArn(Name) })) }),
    }),
  };
};

const envelope = (time: Date) => ({
  version: '0' as const,
  id: base58(22),
  account: LOCAL_ACCOUNT,
  time: time.toISOString(),
  region: LOCAL_REGION,
});

/** By EventBridge's own rule: 14 bytes for a time, and the texts. */
const sizeOf = ({ Time, Source, DetailType, Detail, Resources }: Input): number =>
  (Time === undefined ? 0 : 14) +
  [Source, DetailType, Detail, ...((Resources ?? []) as unknown[])].reduce<number>(
    (sum, text) => sum + Buffer.byteLength(String(text ?? '')),
    0,
  );

type EntryRefusal = { readonly ErrorCode: string; readonly ErrorMessage: string };

const eventOf = ({ Source, DetailType, Detail, Resources, Time }: Input): BusEvent | EntryRefusal => {
  const refuse = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  if (typeof Source !== 'string' || Source === '') return refuse('InvalidArgument', 'Parameter Source is not valid.');
  if (Source.startsWith('aws.')) return refuse('NotAuthorizedForSourceException', 'Not authorized for the source.');
  if (typeof DetailType !== 'string' || DetailType === '')
    return refuse('InvalidArgument', 'Parameter DetailType is not valid.');
  const detail = parseObject(Detail);
  if (detail === undefined) return refuse('MalformedDetail', 'Detail is malformed.');
  const time = typeof Time === 'number' ? new Date(Time * 1_000) : new Date();
  const resources = (Resources ?? []) as string[];
  return { ...envelope(time), 'detail-type': DetailType, source: Source, resources, detail };
};

const parseObject = (text: unknown): object | undefined => {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** All that an archive has, the oldest first; none where nothing was archived yet. */
async function* archivedEvents(file: string): AsyncGenerator<BusEvent> {
  if (!existsSync(file)) return;
  // Up to where it ends now: what is replayed may lead to events that are archived.
  const end = statSync(file).size - 1;
  if (end < 0) return;
  for await (const line of createInterface({ input: createReadStream(file, { end }) }))
    yield JSON.parse(line) as BusEvent;
}

/** An archive: one file that only grows, an event a line. */
const openArchive = ({ name, bus, matches }: ArchiveDefinition, folder: string) => {
  const file = archiveFile(folder, name);
  dropTornLine(file);
  return (sent: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    const lines = sent
      .filter(([on, event]) => on === bus && matches(event))
      .map(([, event]) => `${JSON.stringify(event)}\n`);
    if (lines.length > 0) appendFileSync(file, lines.join(''), { mode: 0o600 });
  };
};

/** A line that was being written when the process ended was not acknowledged, and would spoil the next. */
const dropTornLine = (file: string): void => {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    return;
  }
  const whole = content.lastIndexOf(0x0a) + 1;
  if (whole < content.length) truncateSync(file, whole);
};
