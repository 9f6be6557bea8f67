import { Stack } from 'aws-cdk-lib';
import {
  EventBus,
  EventField,
  type EventPattern,
  type IRuleTarget,
  Rule,
  type RuleProps,
  RuleTargetInput,
  Schedule,
} from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnEventSourceMapping, CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { COMMANDS } from '../../shared/events/sources.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { STREAM_BATCH, STREAM_PATIENCE_SECONDS, STREAM_TRIES } from '../../shared/runtime/stream.ts';
import { type Automation, automationRuleName, type Settings } from '../settings/settings.ts';
import { acknowledge } from './acknowledge.ts';
import type { FunctionResources, HoldfastFunction } from './function.ts';

/** A function of any name. */
type AnyFunction = Pick<HoldfastFunction<FunctionName>, 'function'>;

/** The resources whose events invoke functions, and the queue for events that cannot be handled. */
type Sources = Pick<FunctionResources, 'table' | 'bucket' | 'bus' | 'deadLetters'>;

interface StreamOptions {
  /** Filters of records, in the syntax of Lambda. */
  readonly filters: readonly object[];
  /** Number of batches of one shard that are handled at the same time; 1 by default. */
  readonly parallelism?: number;
}

/** Retries of an asynchronous invocation before the event is sent to the dead-letter queue. Lambda decides their delay. */
const RETRIES = 2;

/** Lets EventBridge invoke the function for one source. */
const permitSource = (owner: Construct, id: string, { function: target }: AnyFunction, sourceArn: string): void => {
  new CfnPermission(owner, id, {
    action: 'lambda:InvokeFunction',
    functionName: target.functionArn,
    principal: 'events.amazonaws.com',
    sourceArn,
  });
};

const permit = (rule: Rule, target: AnyFunction): void => permitSource(rule, 'Permission', target, rule.ruleArn);

/** Creates the mapping of a stream to a function. */
const mapStream = (
  scope: Construct,
  id: string,
  target: AnyFunction,
  { filters, parallelism }: StreamOptions,
  { table, deadLetters }: Pick<Sources, 'table' | 'deadLetters'>,
): void => {
  const mapping = new CfnEventSourceMapping(scope, id, {
    functionName: target.function.functionArn,
    eventSourceArn: table.streamArn,
    // From the oldest record, so that no change before the first deployment of the function is lost.
    startingPosition: 'TRIM_HORIZON',
    batchSize: STREAM_BATCH,
    filterCriteria: { filters: filters.map((filter) => ({ pattern: JSON.stringify(filter) })) },
    ...(parallelism !== undefined && { parallelizationFactor: parallelism }),
    functionResponseTypes: ['ReportBatchItemFailures'],
    bisectBatchOnFunctionError: true,
    maximumRetryAttempts: STREAM_TRIES,
    maximumRecordAgeInSeconds: STREAM_PATIENCE_SECONDS,
    destinationConfig: { onFailure: { destination: deadLetters.arn } },
  });
  // Lambda verifies the permission to read the stream when it creates the mapping.
  mapping.node.addDependency(target.function);
};

/** Creates the rule of a schedule. */
const invokeBySchedule = (
  scope: Construct,
  id: string,
  target: AnyFunction,
  rule: Required<Pick<RuleProps, 'description' | 'schedule' | 'enabled'>>,
): void => {
  const invocations = new CfnEventInvokeConfig(target.function, 'Asynchronous', {
    functionName: target.function.functionName,
    qualifier: '$LATEST',
    maximumRetryAttempts: 0,
  });
  const created = new Rule(scope, id, {
    ...rule,
    targets: [
      {
        bind: () => ({
          arn: target.function.functionArn,
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        }),
      },
    ],
  });
  permit(created, target);
  const reason = 'The event contains only the time, and the next invocation does the same work.';
  acknowledge(created, { 'Serverless::Serverless-EventBusDLQ': reason });
  acknowledge(invocations, { 'Serverless::Serverless-LambdaAsyncFailureDestination': reason });
};

/**
 * Returns methods that connect functions to sources of events other than the API. A function with asynchronous invocations
 * needs `sendsDeadLetters` in `permissions.ts`; a function that reads the stream also needs `readsStream`.
 * @example
 * const triggers = triggersIn(this, resources);
 * triggers.onSchedule('CleanupSchedule', cleanup, 'Finishes deletions', Schedule.rate(Duration.minutes(1)));
 */
export const triggersIn = (scope: Construct, { table, bucket, bus, deadLetters }: Sources) => {
  const configured = new Set<string>();

  /** Configures asynchronous invocations: Lambda retries them, then sends the event and the error to the queue. */
  const sendFailuresToQueue = ({ function: target }: AnyFunction): void => {
    if (configured.has(target.node.path)) return;
    configured.add(target.node.path);
    new CfnEventInvokeConfig(target, 'Asynchronous', {
      functionName: target.functionName,
      qualifier: '$LATEST',
      maximumRetryAttempts: RETRIES,
      destinationConfig: { onFailure: { destination: deadLetters.arn } },
    });
  };

  /** Creates the target of a rule. Events that EventBridge cannot deliver to Lambda are sent to the queue too. */
  const ruleTarget = ({ function: target }: AnyFunction, input?: RuleTargetInput): IRuleTarget => ({
    bind: () => ({ arn: target.functionArn, deadLetterConfig: { arn: deadLetters.arn }, ...(input && { input }) }),
  });

  const importBus = (id: string) => EventBus.fromEventBusName(scope, `${id}Bus`, bus.name);

  const onPattern = (
    id: string,
    target: AnyFunction,
    description: string,
    eventPattern: EventPattern,
    isOnOwnBus = false,
  ): Rule => {
    const rule = new Rule(scope, id, {
      description,
      eventPattern,
      targets: [ruleTarget(target)],
      ...(isOnOwnBus && { eventBus: importBus(id) }),
    });
    permit(rule, target);
    sendFailuresToQueue(target);
    return rule;
  };

  return {
    /** Lets other functions invoke the function asynchronously. */
    onRequest: sendFailuresToQueue,

    /** Invokes the function with each event on the bus that matches the pattern. @returns the rule. */
    onEvent: (id: string, target: AnyFunction, description: string, pattern: EventPattern): Rule =>
      onPattern(id, target, description, pattern, true),

    /** Invokes the function with commands on the bus, and with the commands of automations. */
    onCommand: (target: AnyFunction, settings: Pick<Settings, 'name' | 'automations'>): void => {
      sendFailuresToQueue(target);
      // The whole event, by which the function recognizes that nobody waits for the response.
      const commands = new Rule(scope, 'Commands', {
        eventPattern: { source: [COMMANDS], detailType: ['command'] },
        eventBus: importBus('Commands'),
        targets: [ruleTarget(target)],
      });
      permit(commands, target);
      for (const automation of settings.automations) {
        const { name, schedule, on, command } = automation;
        const id = `Automation-${name}`;
        new Rule(scope, id, {
          ruleName: automationRuleName(settings, automation),
          ...(schedule === undefined
            ? { eventPattern: toEventPattern(on), eventBus: importBus(id) }
            : { schedule: Schedule.expression(schedule) }),
          targets: [ruleTarget(target, commandInput(name, command))],
        });
      }
      // The policy of a function has at most 20 KB, so the rules of automations share two permissions.
      const permitRules = (id: string, folder: string, isUsed: boolean): void => {
        if (!isUsed) return;
        const resourceName = `${folder}${automationRuleName(settings, { name: '*' })}`;
        const rules = Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName });
        permitSource(target.function, id, target, rules);
      };
      permitRules('ScheduledAutomations', '', settings.automations.some(isScheduled));
      permitRules('OtherAutomations', `${bus.name}/`, !settings.automations.every(isScheduled));
    },

    /** Invokes the function for each new object whose key has one of the prefixes. */
    onObject: (id: string, target: AnyFunction, description: string, prefixes: readonly string[]): void =>
      void onPattern(id, target, description, {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.name] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
      }),

    /**
     * Invokes the function with the records of the stream that match one of the filters, in order for each item. The queue
     * receives positions of failures.
     */
    onStream: (id: string, target: AnyFunction, options: StreamOptions): void =>
      mapStream(scope, id, target, options, { table, deadLetters }),

    /** Invokes the function by a schedule. A failed invocation is not retried, because the next one follows. */
    onSchedule: (id: string, target: AnyFunction, description: string, schedule: Schedule, enabled = true): void =>
      invokeBySchedule(scope, id, target, { description, schedule, enabled }),
  };
};

const isScheduled = ({ schedule }: Automation): boolean => schedule !== undefined;

/** Converts a pattern in the form of EventBridge to the form of the CDK. */
const toEventPattern = (on: Automation['on'] = {}): EventPattern => {
  const { 'detail-type': detailType, ...others } = on;
  return { ...others, ...(detailType !== undefined && { detailType }) } as EventPattern;
};

/** Replaces texts such as `$.detail.workspace.id`, at any depth, by that part of the event. */
const withPartsOfEvent = (value: unknown): unknown => {
  if (typeof value === 'string') return value.startsWith('$.') ? EventField.fromPath(value) : value;
  if (Array.isArray(value)) return value.map(withPartsOfEvent);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withPartsOfEvent(part)]));
};

/** Creates a command with parts of the event. Its id contains the id of the event, so it is executed once per event. */
const commandInput = (name: string, command: Automation['command']): RuleTargetInput =>
  RuleTargetInput.fromObject({ ...(withPartsOfEvent(command) as object), id: `${name}:${EventField.eventId}` });
