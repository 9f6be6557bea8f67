import { base58 } from '../../../shared/lib/random.ts';
import { messageFrom, PlainError } from '../../command-line.ts';
import { busArn, functionArn, LOCAL_ACCOUNT, LOCAL_REGION, queueArn, streamArn } from '../common/arns.ts';
import { compilePattern, type Matches } from './event-pattern.ts';
import { type NextTime, parseSchedule } from './schedule-expression.ts';
import type { LocatedResource, Resolver } from './template.ts';

/** A function that is invoked by a schedule: a rule with `ScheduleExpression`. */
export interface ScheduleDefinition {
  readonly functionName: string;
  readonly next: NextTime;
  /** Creates the event for an invocation, as JSON. */
  readonly event: () => string;
}

export interface RuleDefinition {
  readonly bus: string;
  readonly matches: Matches;
  readonly targets: readonly {
    readonly functionName: string;
    /** Converts an event of the bus to the event for the function, as JSON. */
    readonly input: (event: object) => string;
  }[];
}

/** An archive of a bus: `AWS::Events::Archive`. */
export type ArchiveDefinition = EventDefinitions['archives'][number];
/** A queue: `AWS::SQS::Queue`. */
export type QueueDefinition = EventDefinitions['queues'][number];
/** A function that reads the stream of a table: `AWS::Lambda::EventSourceMapping`. */
export type StreamDefinition = Readonly<ReturnType<typeof readStream>>;

/** Retries and failure destination of the asynchronous invocations of a function: `AWS::Lambda::EventInvokeConfig`. */
export interface AsyncInvokeConfig {
  readonly retries: number;
  readonly maxAgeMillis: number;
  /** The queue that receives the events that could not be handled. */
  readonly failureQueue: string | undefined;
}

/** Behavior of Lambda for a function without `AWS::Lambda::EventInvokeConfig`. */
export const defaultAsyncInvokeConfig: AsyncInvokeConfig = {
  retries: 2,
  maxAgeMillis: 6 * 3_600_000,
  failureQueue: undefined,
};

/** The resources of an assembly that create, keep or deliver events. */
export type EventDefinitions = ReturnType<typeof readEventResources>;

/** The bus that every account has. AWS services send their own events to it. */
export const DEFAULT_BUS = 'default';

/** Defaults of SQS for a queue. */
const queueDefaults = { retentionSeconds: 4 * 24 * 3_600, visibilitySeconds: 30 };
/** Default of Lambda for the batch size of an event source mapping. */
const DEFAULT_STREAM_BATCH_SIZE = 100;

interface Named {
  readonly name: string;
}

/** Creates the functions that find a function, a queue or a bus of the assembly by its name or ARN. */
const createReferences = ({ functions, queues, buses }: Record<'functions' | 'queues' | 'buses', readonly Named[]>) => {
  const find = (resources: readonly Named[], toArn: (name: string) => string, nameOrArn: unknown, problem: string) => {
    const found = resources.find(({ name }) => nameOrArn === name || nameOrArn === toArn(name));
    if (!found) throw new PlainError(problem);
    return found.name;
  };
  return {
    functionByArn: (arn: unknown, resource: string): string =>
      find(functions, functionArn, arn, `${resource} invokes ${arn}, which is not a function of the assembly`),
    queueByArn: (arn: unknown, resource: string): string | undefined =>
      arn === undefined
        ? undefined
        : find(queues, queueArn, arn, `${resource} sends failures to ${arn}, which is not a queue of the assembly`),
    findBus: (nameOrArn: unknown, resource: string): string =>
      find(
        buses,
        busArn,
        nameOrArn ?? DEFAULT_BUS,
        `${resource} uses ${nameOrArn}, which is not a bus of the assembly`,
      ),
  };
};

/** Runs a compilation. @throws PlainError naming the property that it does not support. */
const requireSupport = <T>(property: string, compile: () => T): T => {
  try {
    return compile();
  } catch (error) {
    throw new PlainError(`${property} that is not supported: ${messageFrom(error)}`);
  }
};

const compile = (pattern: unknown, resource: string): Matches =>
  requireSupport(`${resource} has a pattern`, () => compilePattern(pattern));

const readStream = (
  id: string,
  properties: Readonly<Record<string, unknown>>,
  tables: readonly Named[],
  { functionByArn, queueByArn }: ReturnType<typeof createReferences>,
) => {
  const label = `The event source mapping ${id}`;
  const table =
    tables.find(({ name }) => streamArn(name) === properties['EventSourceArn'])?.name ??
    // A restored table is in no template.
    /^arn:aws:dynamodb:[^:]*:\d+:table\/([^/]+)\/stream\//.exec(String(properties['EventSourceArn']))?.[1];
  if (table === undefined)
    throw new PlainError(`${label} reads ${properties['EventSourceArn']}, which is not the stream of a table`);
  const filters = (properties['FilterCriteria'] as { Filters?: { Pattern: string }[] } | undefined)?.Filters ?? [];
  /** @returns undefined for no limit. */
  const toLimit = (value: unknown) => (value === undefined || Number(value) < 0 ? undefined : Number(value));
  const maxAgeSeconds = toLimit(properties['MaximumRecordAgeInSeconds']);
  return {
    functionName: functionByArn(properties['FunctionName'], label),
    table,
    batchSize: Number(properties['BatchSize'] ?? DEFAULT_STREAM_BATCH_SIZE),
    /** A record is passed to the function when it matches one of the filters. Without filters, every record is passed. */
    filters: filters.map(({ Pattern }) => compile(JSON.parse(Pattern), label)),
    bisectsOnError: properties['BisectBatchOnFunctionError'] === true,
    reportsFailures: ((properties['FunctionResponseTypes'] ?? []) as string[]).includes('ReportBatchItemFailures'),
    /** Attempts after the first one. */
    retries: toLimit(properties['MaximumRetryAttempts']),
    /** Age at which a record is discarded. */
    maxAgeMillis: maxAgeSeconds === undefined ? undefined : maxAgeSeconds * 1_000,
    /** The queue that receives the positions of discarded records. */
    failureQueue: queueByArn(failureDestination(properties), label),
  };
};

/**
 * Reads the event resources of an assembly.
 * @param findByType returns the resources of the given types.
 * @throws PlainError naming a resource that the local service does not support.
 */
export const readEventResources = (
  resolver: Resolver,
  findByType: (type: string) => LocatedResource[],
  functions: readonly Named[],
  tables: readonly Named[],
) => {
  const namesByType = (type: string) => findByType(type).map(({ stack, id }) => resolver.physicalName(stack, id));
  const buses = [DEFAULT_BUS, ...namesByType('AWS::Events::EventBus')];
  const queues = findByType('AWS::SQS::Queue').map((queue) => {
    const { MessageRetentionPeriod, VisibilityTimeout } = resolveProperties(resolver, queue);
    return {
      name: resolver.physicalName(queue.stack, queue.id),
      retentionSeconds: Number(MessageRetentionPeriod ?? queueDefaults.retentionSeconds),
      visibilitySeconds: Number(VisibilityTimeout ?? queueDefaults.visibilitySeconds),
    };
  });
  const references = createReferences({ functions, queues, buses: buses.map((name) => ({ name })) });
  const { functionByArn, queueByArn, findBus } = references;

  const archives = findByType('AWS::Events::Archive').map((archive) => {
    const { SourceArn, EventPattern = {} } = resolveProperties(resolver, archive);
    const label = `The archive ${archive.id}`;
    return {
      name: resolver.physicalName(archive.stack, archive.id),
      bus: findBus(SourceArn, label),
      matches: compile(EventPattern, label),
    };
  });

  const schedules: ScheduleDefinition[] = [];
  const rules: RuleDefinition[] = [];
  for (const rule of findByType('AWS::Events::Rule')) {
    const properties = resolveProperties(resolver, rule);
    const label = `The rule ${rule.id}`;
    if (properties['State'] === 'DISABLED') continue;
    const targets = ((properties['Targets'] ?? []) as readonly Target[]).map((target) => ({
      functionName: functionByArn(target.Arn, label),
      input: compileInput(target, label),
    }));
    const { ScheduleExpression: expression, EventPattern: pattern } = properties;
    if ((expression === undefined) === (pattern === undefined))
      throw new PlainError(`${label} must have either a pattern or a schedule`);
    if (pattern !== undefined)
      rules.push({ bus: findBus(properties['EventBusName'], label), matches: compile(pattern, label), targets });
    else
      for (const { functionName, input } of targets)
        schedules.push({
          functionName,
          next: requireSupport(`${label} has a schedule`, () => parseSchedule(String(expression))),
          event: () => input(scheduledEvent(rule.id)),
        });
  }

  const streams = findByType('AWS::Lambda::EventSourceMapping').map((mapping) =>
    readStream(mapping.id, resolveProperties(resolver, mapping), tables, references),
  );

  /** By the name of the function. */
  const asyncInvokeConfigs = new Map(
    findByType('AWS::Lambda::EventInvokeConfig').map((config): [string, AsyncInvokeConfig] => {
      const properties = resolveProperties(resolver, config);
      const label = `The invocation configuration ${config.id}`;
      const seconds = properties['MaximumEventAgeInSeconds'];
      return [
        functionByArn(properties['FunctionName'], label),
        {
          retries: Number(properties['MaximumRetryAttempts'] ?? defaultAsyncInvokeConfig.retries),
          maxAgeMillis: seconds === undefined ? defaultAsyncInvokeConfig.maxAgeMillis : Number(seconds) * 1_000,
          failureQueue: queueByArn(failureDestination(properties), label),
        },
      ];
    }),
  );
  return {
    buckets: namesByType('AWS::S3::Bucket'),
    queues,
    buses,
    archives,
    rules,
    schedules,
    streams,
    asyncInvokeConfigs,
  };
};

const resolveProperties = (resolver: Resolver, { stack, Properties = {} }: LocatedResource) =>
  resolver.value(stack, Properties) as Readonly<Record<string, unknown>>;

const failureDestination = (properties: Readonly<Record<string, unknown>>): unknown =>
  (properties['DestinationConfig'] as { OnFailure?: { Destination?: unknown } } | undefined)?.OnFailure?.Destination;

interface Target {
  readonly Arn: string;
  readonly Input?: string;
  readonly InputPath?: string;
  readonly InputTransformer?: {
    readonly InputTemplate: string;
    readonly InputPathsMap?: Readonly<Record<string, string>>;
  };
}

const compileInput = (
  { Input, InputPath, InputTransformer }: Target,
  resource: string,
): ((event: object) => string) => {
  if (Input !== undefined) return () => Input;
  if (InputPath !== undefined) {
    const read = compilePath(InputPath, resource);
    return (event) => JSON.stringify(read(event)) ?? 'null';
  }
  if (InputTransformer === undefined) return (event) => JSON.stringify(event);
  const { InputTemplate, InputPathsMap = {} } = InputTransformer;
  const paths = new Map(Object.entries(InputPathsMap).map(([name, path]) => [name, compilePath(path, resource)]));
  const substitute = (text: string, event: object, format: (value: unknown) => string): string =>
    text.replaceAll(/<([\w.-]+)>/g, (whole, name: string) => {
      const read = paths.get(name);
      return read === undefined ? whole : format(read(event) ?? '');
    });
  return (event) =>
    // A placeholder inside a string of the template becomes a part of the string. Any other placeholder becomes JSON.
    InputTemplate.replaceAll(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) =>
      part.startsWith('"')
        ? substitute(part, event, (value) => JSON.stringify(toText(value)).slice(1, -1))
        : substitute(part, event, (value) => JSON.stringify(value)),
    );
};

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Compiles a path like `$.detail.name`. Other JSON path expressions are not supported. */
const compilePath = (path: string, resource: string): ((event: object) => unknown) => {
  if (!/^\$(\.[\w-]+)*$/.test(path)) throw new PlainError(`${resource} has the path ${path}, which is not supported`);
  const names = path.split('.').slice(1);
  return (event) =>
    names.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], event);
};

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
