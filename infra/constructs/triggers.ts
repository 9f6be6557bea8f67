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
import { changeRecordFilter } from '../../shared/store/dynamodb/table-definition.ts';
import type { Automation } from '../settings/settings.ts';
import type { ServedBucket, ServedTable } from '../stacks/data-stack.ts';
import type { ServedBus, ServedQueue } from '../stacks/events-stack.ts';
import { acknowledge } from './acknowledge.ts';
import type { HoldfastFunction } from './function.ts';

/** A function of any name. */
type AnyFunction = Pick<HoldfastFunction<FunctionName>, 'function'>;

interface Sources {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;
}

/** Retries of an asynchronous invocation before the event is sent to the dead-letter queue. Lambda decides their delay. */
const RETRIES = 2;

/**
 * Returns methods that connect functions to sources of events other than the API. A function with asynchronous invocations
 * needs `sendsDeadLetters` in `permissions.ts`; a function that reads the stream also needs `readsStream`.
 *
 * @example
 * const triggers = triggersIn(this, configurationContext);
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

  const permit = (rule: Rule, { function: target }: AnyFunction): void => {
    new CfnPermission(rule, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'events.amazonaws.com',
      sourceArn: rule.ruleArn,
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
  ) => {
    const rule = new Rule(scope, id, {
      description,
      eventPattern,
      targets: [ruleTarget(target)],
      ...(isOnOwnBus && { eventBus: importBus(id) }),
    });
    permit(rule, target);
    sendFailuresToQueue(target);
  };

  return {
    /** Lets other functions invoke the function asynchronously. */
    onRequest: sendFailuresToQueue,

    /** Invokes the function with each event on the bus that matches the pattern. */
    onEvent: (id: string, target: AnyFunction, description: string, pattern: EventPattern): void =>
      onPattern(id, target, description, pattern, true),

    /** Invokes the function with commands on the bus, and with the commands of automations. */
    onCommand: (target: AnyFunction, automations: readonly Automation[]): void => {
      const addRule = (
        id: string,
        input: RuleTargetInput | undefined,
        when: Pick<RuleProps, 'schedule' | 'eventPattern' | 'eventBus'>,
      ) => permit(new Rule(scope, id, { ...when, targets: [ruleTarget(target, input)] }), target);
      sendFailuresToQueue(target);
      // The whole event, by which the function recognizes that nobody waits for the response.
      addRule('Commands', undefined, {
        eventPattern: { source: [COMMANDS], detailType: ['command'] },
        eventBus: importBus('Commands'),
      });
      for (const { name, schedule, on, command } of automations) {
        const when =
          schedule === undefined
            ? { eventPattern: toEventPattern(on), eventBus: importBus(`Automation-${name}`) }
            : { schedule: Schedule.expression(schedule) };
        addRule(`Automation-${name}`, commandInput(name, command), when);
      }
    },

    /** Invokes the function for each new object whose key has one of the prefixes. */
    onObject: (id: string, target: AnyFunction, description: string, prefixes: readonly string[]): void =>
      onPattern(id, target, description, {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.name] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
      }),

    /** Invokes the function with the change records in the stream, in order. The queue receives positions of failures. */
    onStream: (id: string, target: AnyFunction): void => {
      const mapping = new CfnEventSourceMapping(scope, id, {
        functionName: target.function.functionArn,
        eventSourceArn: table.streamArn,
        // From the oldest record, so that no change before the first deployment of the function is lost.
        startingPosition: 'TRIM_HORIZON',
        batchSize: STREAM_BATCH,
        filterCriteria: { filters: [{ pattern: JSON.stringify(changeRecordFilter) }] },
        functionResponseTypes: ['ReportBatchItemFailures'],
        bisectBatchOnFunctionError: true,
        maximumRetryAttempts: STREAM_TRIES,
        maximumRecordAgeInSeconds: STREAM_PATIENCE_SECONDS,
        destinationConfig: { onFailure: { destination: deadLetters.arn } },
      });
      // Lambda verifies the permission to read the stream when it creates the mapping.
      mapping.node.addDependency(target.function);
    },

    /** Invokes the function by a schedule. A failed invocation is not retried, because the next one follows. */
    onSchedule: (id: string, target: AnyFunction, description: string, schedule: Schedule): void => {
      const rule = new Rule(scope, id, {
        description,
        schedule,
        targets: [
          {
            bind: () => ({
              arn: target.function.functionArn,
              retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
            }),
          },
        ],
      });
      permit(rule, target);
      acknowledge(rule, {
        'Serverless::Serverless-EventBusDLQ':
          'The event contains only the time, and the next invocation does the same work.',
      });
    },
  };
};

/** Converts a pattern in the form of EventBridge to the form of the CDK. */
const toEventPattern = (on: Automation['on'] = {}): EventPattern => {
  const { 'detail-type': detailType, ...others } = on;
  return { ...others, ...(detailType !== undefined && { detailType }) } as EventPattern;
};

/** Creates a command with parts of the event. Its id contains the id of the event, so it is executed once per event. */
const commandInput = (name: string, command: Automation['command']): RuleTargetInput => {
  const parts = Object.entries(command).map(([key, value]) => [
    key,
    typeof value === 'string' && value.startsWith('$.') ? EventField.fromPath(value) : value,
  ]);
  return RuleTargetInput.fromObject({ ...Object.fromEntries(parts), id: `${name}:${EventField.eventId}` });
};
