import { base58 } from '../../../shared/lib/random.ts';
import { compilePattern, type Matches } from '../events/event-pattern.ts';
import { type NextTime, parseSchedule } from '../events/schedule-expression.ts';
import { messageOf, PlainError } from '../gateway/plain-error.ts';
import {
  busArn,
  functionArn,
  LOCAL_ACCOUNT,
  LOCAL_REGION,
  type Located,
  queueArn,
  type Resolver,
  streamArn,
} from './template.ts';

/** A function that is invoked again and again. */
export interface ScheduleDefinition {
  readonly functionName: string;
  readonly next: NextTime;
  /** What it is invoked with, as JSON. */
  readonly event: () => string;
}

/** What of a bus goes to which functions. */
export interface RuleDefinition {
  readonly bus: string;
  readonly matches: Matches;
  readonly targets: readonly {
    readonly functionName: string;
    /** What the function is invoked with, as JSON, for an event. */
    readonly input: (event: object) => string;
  }[];
}

export interface ArchiveDefinition {
  readonly name: string;
  readonly bus: string;
  readonly matches: Matches;
}

export interface QueueDefinition {
  readonly name: string;
  readonly retentionSeconds: number;
  readonly visibilitySeconds: number;
}

/** A function that follows the stream of a table: `AWS::Lambda::EventSourceMapping`. */
export interface StreamDefinition {
  readonly functionName: string;
  readonly table: string;
  readonly batchSize: number;
  /** A record is read when it matches any of them, or there are none. */
  readonly filters: readonly Matches[];
  readonly bisects: boolean;
  readonly reportsFailures: boolean;
  /** After the first one; undefined is for ever. */
  readonly retries: number | undefined;
  readonly patienceMillis: number | undefined;
  /** The queue that is told which records were given up. */
  readonly failures: string | undefined;
}

/** What becomes of events that a function is invoked with and fails on: `AWS::Lambda::EventInvokeConfig`. */
export interface AsynchronousDefinition {
  readonly retries: number;
  readonly patienceMillis: number;
  /** The queue for what was given up. */
  readonly failures: string | undefined;
}

/** What Lambda does for functions that nothing is said about. */
export const usualAsynchronous: AsynchronousDefinition = {
  retries: 2,
  patienceMillis: 6 * 3_600_000,
  failures: undefined,
};

/** All of an assembly that has to do with events. */
export interface EventDefinitions {
  readonly buckets: readonly string[];
  readonly queues: readonly QueueDefinition[];
  readonly buses: readonly string[];
  readonly archives: readonly ArchiveDefinition[];
  readonly rules: readonly RuleDefinition[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly streams: readonly StreamDefinition[];
  /** By the name of the function. */
  readonly asynchronous: ReadonlyMap<string, AsynchronousDefinition>;
}

/** The bus that every account has, and that AWS services send their own events to. */
export const DEFAULT_BUS = 'default';

/** What SQS does where the template says nothing. */
const queueDefaults = { retentionSeconds: 4 * 24 * 3_600, visibilitySeconds: 30 };
/** What an event source mapping does where the template says nothing. */
const STREAM_BATCH = 100;

/** @throws PlainError naming what cannot be served here. */
export const readEvents = (
  resolver: Resolver,
  ofType: (...types: readonly string[]) => Located[],
  functionNames: readonly string[],
): EventDefinitions => {
  const named = (type: string) => ofType(type).map(({ stack, id }) => resolver.nameOf(stack, id));
  const buses = [DEFAULT_BUS, ...named('AWS::Events::EventBus')];
  const queues = ofType('AWS::SQS::Queue').map((queue): QueueDefinition => {
    const { MessageRetentionPeriod, VisibilityTimeout } = propertiesOf(resolver, queue);
    return {
      name: resolver.nameOf(queue.stack, queue.id),
      retentionSeconds: Number(MessageRetentionPeriod ?? queueDefaults.retentionSeconds),
      visibilitySeconds: Number(VisibilityTimeout ?? queueDefaults.visibilitySeconds),
    };
  });
  const tables = ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').map(({ stack, id }) =>
    resolver.nameOf(stack, id),
  );

  const functionAt = (arn: unknown, who: string): string => {
    const found = functionNames.find((name) => arn === name || arn === functionArn(name));
    if (!found) throw new PlainError(`${who} leads to ${arn}, which is not a function of the assembly`);
    return found;
  };
  const queueAt = (arn: unknown, who: string): string | undefined => {
    if (arn === undefined) return undefined;
    const found = queues.find(({ name }) => arn === queueArn(name));
    if (!found) throw new PlainError(`${who} leaves failures to ${arn}, which is not a queue of the assembly`);
    return found.name;
  };
  const busAt = (given: unknown, who: string): string => {
    const found = buses.find((name) => (given ?? DEFAULT_BUS) === name || given === busArn(name));
    if (!found) throw new PlainError(`${who} is on ${given}, which is not a bus of the assembly`);
    return found;
  };
  const patternOf = (pattern: unknown, who: string): Matches => {
    try {
      return compilePattern(pattern);
    } catch (error) {
      throw new PlainError(`The pattern of ${who} cannot be served here: ${messageOf(error)}`);
    }
  };

  const archives = ofType('AWS::Events::Archive').map((archive): ArchiveDefinition => {
    const { SourceArn, EventPattern = {} } = propertiesOf(resolver, archive);
    const who = `The archive ${archive.id}`;
    return {
      name: resolver.nameOf(archive.stack, archive.id),
      bus: busAt(SourceArn, who),
      matches: patternOf(EventPattern, who),
    };
  });

  const schedules: ScheduleDefinition[] = [];
  const rules: RuleDefinition[] = [];
  for (const rule of ofType('AWS::Events::Rule')) {
    const properties = propertiesOf(resolver, rule);
    const who = `The rule ${rule.id}`;
    if (properties['State'] === 'DISABLED') continue;
    const targets = ((properties['Targets'] ?? []) as readonly Target[]).map((target) => ({
      functionName: functionAt(target.Arn, who),
      input: inputOf(target, who),
    }));
    const { ScheduleExpression: expression, EventPattern: pattern } = properties;
    if ((expression === undefined) === (pattern === undefined))
      throw new PlainError(`${who} needs either a pattern or a schedule to be served here`);
    if (pattern !== undefined)
      rules.push({ bus: busAt(properties['EventBusName'], who), matches: patternOf(pattern, who), targets });
    else
      for (const { functionName, input } of targets)
        schedules.push({ functionName, next: nextTime(expression, who), event: () => input(scheduledEvent(rule.id)) });
  }

  const streams = ofType('AWS::Lambda::EventSourceMapping').map((mapping): StreamDefinition => {
    const given = propertiesOf(resolver, mapping);
    const who = `The event source mapping ${mapping.id}`;
    const table = tables.find((name) => streamArn(name) === given['EventSourceArn']);
    if (table === undefined)
      throw new PlainError(`${who} reads ${given['EventSourceArn']}, which is not the stream of a table`);
    const filters = (given['FilterCriteria'] as { Filters?: { Pattern: string }[] } | undefined)?.Filters ?? [];
    const limited = (value: unknown) => (value === undefined || Number(value) < 0 ? undefined : Number(value));
    const patience = limited(given['MaximumRecordAgeInSeconds']);
    return {
      functionName: functionAt(given['FunctionName'], who),
      table,
      batchSize: Number(given['BatchSize'] ?? STREAM_BATCH),
      filters: filters.map(({ Pattern }) => patternOf(JSON.parse(Pattern), who)),
      bisects: given['BisectBatchOnFunctionError'] === true,
      reportsFailures: ((given['FunctionResponseTypes'] ?? []) as string[]).includes('ReportBatchItemFailures'),
      retries: limited(given['MaximumRetryAttempts']),
      patienceMillis: patience === undefined ? undefined : patience * 1_000,
      failures: queueAt(destinationOf(given), who),
    };
  });

  const asynchronous = new Map(
    ofType('AWS::Lambda::EventInvokeConfig').map((config): [string, AsynchronousDefinition] => {
      const given = propertiesOf(resolver, config);
      const who = `The configuration ${config.id}`;
      const seconds = given['MaximumEventAgeInSeconds'];
      return [
        functionAt(given['FunctionName'], who),
        {
          retries: Number(given['MaximumRetryAttempts'] ?? usualAsynchronous.retries),
          patienceMillis: seconds === undefined ? usualAsynchronous.patienceMillis : Number(seconds) * 1_000,
          failures: queueAt(destinationOf(given), who),
        },
      ];
    }),
  );
  return { buckets: named('AWS::S3::Bucket'), queues, buses, archives, rules, schedules, streams, asynchronous };
};

const propertiesOf = (resolver: Resolver, { stack, Properties = {} }: Located) =>
  resolver.value(stack, Properties) as Readonly<Record<string, unknown>>;

const destinationOf = (properties: Readonly<Record<string, unknown>>): unknown =>
  (properties['DestinationConfig'] as { OnFailure?: { Destination?: unknown } } | undefined)?.OnFailure?.Destination;

const nextTime = (expression: unknown, who: string): NextTime => {
  try {
    return parseSchedule(String(expression));
  } catch (error) {
    throw new PlainError(`${who} has no schedule that is served here: ${messageOf(error)}`);
  }
};

/** A target of a rule, in the spelling of the template. */
interface Target {
  readonly Arn: string;
  readonly Input?: string;
  readonly InputPath?: string;
  readonly InputTransformer?: {
    readonly InputTemplate: string;
    readonly InputPathsMap?: Readonly<Record<string, string>>;
  };
}

const inputOf = ({ Input, InputPath, InputTransformer }: Target, who: string): ((event: object) => string) => {
  if (Input !== undefined) return () => Input;
  if (InputPath !== undefined) {
    const read = pathOf(InputPath, who);
    return (event) => JSON.stringify(read(event)) ?? 'null';
  }
  if (InputTransformer === undefined) return (event) => JSON.stringify(event);
  const { InputTemplate, InputPathsMap = {} } = InputTransformer;
  const paths = new Map(Object.entries(InputPathsMap).map(([name, path]) => [name, pathOf(path, who)]));
  const filled = (text: string, event: object, spell: (value: unknown) => string): string =>
    text.replaceAll(/<([\w.-]+)>/g, (whole, name: string) => {
      const read = paths.get(name);
      return read === undefined ? whole : spell(read(event) ?? '');
    });
  return (event) =>
    // What stands in a text of the template becomes a part of it, what stands by itself is JSON of its own.
    InputTemplate.replaceAll(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
      part.startsWith('"')
        ? filled(part, event, (value) => JSON.stringify(asText(value)).slice(1, -1))
        : filled(part, event, (value) => JSON.stringify(value)),
    );
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `$.detail.name`: fields by name, which is all that rules here use. */
const pathOf = (path: string, who: string): ((event: object) => unknown) => {
  if (!/^\$(\.[\w-]+)*$/.test(path)) throw new PlainError(`${who} has the path ${path}, which is not served here`);
  const names = path.split('.').slice(1);
  return (event) =>
    names.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], event);
};

/** What EventBridge sends on a schedule. */
const scheduledEvent = (rule: string): object => ({
  version: '0',
  id: base58(16),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: LOCAL_ACCOUNT,
  time: new Date().toISOString(),
  region: LOCAL_REGION,
  resources: [`arn:aws:events:${LOCAL_REGION}:${LOCAL_ACCOUNT}:rule/${rule}`],
  detail: {},
});
