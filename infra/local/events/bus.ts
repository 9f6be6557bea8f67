import { appendFileSync, createReadStream, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { base58 } from '../../../shared/lib/random.ts';
import { isObject } from '../../settings/is-object.ts';
import { type ArchiveDefinition, DEFAULT_BUS, type EventDefinitions } from '../assembly/event-resources.ts';
import { archiveArn, busArn, LOCAL_ACCOUNT, LOCAL_REGION, replayArn } from '../common/arns.ts';
import { AwsError, createJsonService, type Input } from '../http/aws-service.ts';
import type { AsyncInvoker } from '../lambda/async-invoker.ts';

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
  /** Only in events that were replayed from an archive. */
  readonly 'replay-name'?: string;
}

export type Buses = ReturnType<typeof openBuses>;

type BusesDefinition = Pick<EventDefinitions, 'buses' | 'archives' | 'rules'>;

const MAX_ENTRIES = 10;
const MAX_REQUEST_BYTES = 256 * 1024;

/**
 * Opens the buses of the assembly.
 * @param folder the folder of the archives.
 */
export const openBuses = (
  { buses, archives, rules }: BusesDefinition,
  folder: string,
  { accept }: Pick<AsyncInvoker, 'accept'>,
) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const appendToArchives = archives.map((archive) => openArchive(archive, folder));

  /** Archives events before they are delivered, so that every event of a successful response is in the archive. */
  const send = (events: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    for (const append of appendToArchives) append(events);
    deliver(events);
  };

  const deliver = (events: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    for (const [bus, event] of events)
      for (const rule of rules)
        if (rule.bus === bus && rule.matches(event))
          for (const { functionName, input } of rule.targets) accept(functionName, input(event));
  };

  const findBus = (nameOrArn: unknown): string => {
    const found = buses.find((name) => (nameOrArn ?? DEFAULT_BUS) === name || nameOrArn === busArn(name));
    if (found === undefined) throw new AwsError('ResourceNotFoundException', `Event bus ${nameOrArn} does not exist.`);
    return found;
  };

  const putEvents = (input: Input): object => {
    const entries = input['Entries'];
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ENTRIES)
      throw new AwsError('ValidationException', `The request must contain 1 to ${MAX_ENTRIES} entries`);
    const bytes = (entries as Input[]).reduce((sum, entry) => sum + entryBytes(entry), 0);
    if (bytes > MAX_REQUEST_BYTES)
      throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
    const accepted: (readonly [string, BusEvent])[] = [];
    const results = (entries as Input[]).map((entry) => {
      const bus = findBus(entry['EventBusName']);
      const event = createBusEvent(entry);
      if ('ErrorCode' in event) return event;
      accepted.push([bus, event]);
      return { EventId: event.id };
    });
    send(accepted);
    return { FailedEntryCount: results.length - accepted.length, Entries: results };
  };

  /** Delivers archived events of a period to the rules of the bus again. Replayed events are not archived. */
  const startReplay = async (input: Input): Promise<object> => {
    const archive = archives.find(({ name }) => archiveArn(name) === input['EventSourceArn']);
    if (archive === undefined)
      throw new AwsError('ResourceNotFoundException', `Archive ${input['EventSourceArn']} does not exist.`);
    const name = String(input['ReplayName'] ?? '');
    const [from, to] = [Number(input['EventStartTime']) * 1_000, Number(input['EventEndTime']) * 1_000];
    if (name === '' || !(from < to))
      throw new AwsError(
        'ValidationException',
        'ReplayName is required, and EventStartTime must be before EventEndTime.',
      );
    for await (const event of readArchive(archiveFile(folder, archive.name))) {
      const time = Date.parse(event.time);
      if (time >= from && time <= to) deliver([[archive.bus, { ...event, 'replay-name': name }]]);
    }
    return { ReplayArn: replayArn(name), State: 'COMPLETED', ReplayStartTime: Date.now() / 1_000 };
  };

  return {
    /** Sends an event of an AWS service to the default bus. The event is on disk when the call returns. */
    emit: (source: string, detailType: string, resources: readonly string[], detail: object): void => {
      send([[DEFAULT_BUS, { ...envelope(new Date()), 'detail-type': detailType, source, resources, detail }]]);
    },
    service: createJsonService('AWSEvents', {
      PutEvents: putEvents,
      StartReplay: startReplay,
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

/** Computes the size of an entry by the rule of EventBridge: 14 bytes for the time, and the bytes of each text. */
const entryBytes = ({ Time, Source, DetailType, Detail, Resources }: Input): number =>
  (Time === undefined ? 0 : 14) +
  [Source, DetailType, Detail, ...((Resources ?? []) as unknown[])].reduce<number>(
    (sum, text) => sum + Buffer.byteLength(String(text ?? '')),
    0,
  );

type EntryError = { readonly ErrorCode: string; readonly ErrorMessage: string };

const createBusEvent = ({ Source, DetailType, Detail, Resources, Time }: Input): BusEvent | EntryError => {
  const error = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  if (typeof Source !== 'string' || Source === '') return error('InvalidArgument', 'Parameter Source is not valid.');
  if (Source.startsWith('aws.')) return error('NotAuthorizedForSourceException', 'Not authorized for the source.');
  if (typeof DetailType !== 'string' || DetailType === '')
    return error('InvalidArgument', 'Parameter DetailType is not valid.');
  const detail = parseObject(Detail);
  if (detail === undefined) return error('MalformedDetail', 'Detail is malformed.');
  const time = typeof Time === 'number' ? new Date(Time * 1_000) : new Date();
  const resources = (Resources ?? []) as string[];
  return { ...envelope(time), 'detail-type': DetailType, source: Source, resources, detail };
};

const parseObject = (text: unknown): object | undefined => {
  try {
    const value: unknown = JSON.parse(String(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** An archive is a file with one event as JSON on each line. */
const EXTENSION = '.jsonl';

/** Builds the path of the file of an archive. */
const archiveFile = (folder: string, archive: string): string => join(folder, archive + EXTENSION);

/** Selects the files of archives, sorted by name. */
export const filterArchiveFiles = (names: readonly string[]): string[] =>
  names.filter((name) => name.endsWith(EXTENSION)).sort();

/** Reads the events of an archive, the oldest first. */
async function* readArchive(file: string): AsyncGenerator<BusEvent> {
  if (!existsSync(file)) return;
  // Only up to the present end, because replayed events may cause new events that are archived.
  const end = statSync(file).size - 1;
  if (end < 0) return;
  for await (const line of createInterface({ input: createReadStream(file, { end }) }))
    yield JSON.parse(line) as BusEvent;
}

/** Opens an archive. @returns a function that appends the events that match the pattern of the archive. */
const openArchive = ({ name, bus, matches }: ArchiveDefinition, folder: string) => {
  const file = archiveFile(folder, name);
  truncateIncompleteLine(file);
  return (events: readonly (readonly [bus: string, event: BusEvent])[]): void => {
    const lines = events
      .filter(([eventBus, event]) => eventBus === bus && matches(event))
      .map(([, event]) => `${JSON.stringify(event)}\n`);
    if (lines.length > 0) appendFileSync(file, lines.join(''), { mode: 0o600 });
  };
};

/**
 * Removes an incomplete last line. It was written when the process ended, its event was not acknowledged, and it would
 * corrupt the next line.
 */
const truncateIncompleteLine = (file: string): void => {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    return;
  }
  const completeBytes = content.lastIndexOf(0x0a) + 1;
  if (completeBytes < content.length) truncateSync(file, completeBytes);
};
