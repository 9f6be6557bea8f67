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

/** Attempts after the first one, at Lambda's own pace, before an event goes to the dead-letter queue. */
const RETRIES = 2;

/**
 * What invokes functions beside the API, each in one line. A function that is invoked with events needs
 * `sendsDeadLetters` in `permissions.ts`, one that reads the stream `readsStream` as well.
 */
export const triggersIn = (scope: Construct, { table, bucket, bus, deadLetters }: Sources) => {
  const asynchronous = new Set<string>();

  /** Lambda itself retries what it was given, then hands the event with the error to the queue. */
  const catchFailures = ({ function: target }: AnyFunction): void => {
    if (asynchronous.has(target.node.path)) return;
    asynchronous.add(target.node.path);
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

  /** The queue also gets what EventBridge could not hand to Lambda. */
  const delivered = ({ function: target }: AnyFunction, input?: RuleTargetInput): IRuleTarget => ({
    bind: () => ({ arn: target.functionArn, deadLetterConfig: { arn: deadLetters.arn }, ...(input && { input }) }),
  });

  const ourBus = (id: string) => EventBus.fromEventBusName(scope, `${id}Bus`, bus.name);

  const onPattern = (
    id: string,
    target: AnyFunction,
    description: string,
    eventPattern: EventPattern,
    isOurs = false,
  ) => {
    const rule = new Rule(scope, id, {
      description,
      eventPattern,
      targets: [delivered(target)],
      ...(isOurs && { eventBus: ourBus(id) }),
    });
    permit(rule, target);
    catchFailures(target);
  };

  return {
    /** Other functions, which do not wait for it. */
    onRequest: catchFailures,

    /** Each event of the bus that the pattern matches. */
    onEvent: (id: string, target: AnyFunction, description: string, pattern: EventPattern): void =>
      onPattern(id, target, description, pattern, true),

    /** Commands that are put on the bus, and those that are to be made at a time or when something happens. */
    onCommand: (target: AnyFunction, automations: readonly Automation[]): void => {
      const make = (
        id: string,
        input: RuleTargetInput,
        when: Pick<RuleProps, 'schedule' | 'eventPattern' | 'eventBus'>,
      ) => permit(new Rule(scope, id, { ...when, targets: [delivered(target, input)] }), target);
      catchFailures(target);
      make('Commands', RuleTargetInput.fromEventPath('$.detail'), {
        eventPattern: { source: [COMMANDS], detailType: ['command'] },
        eventBus: ourBus('Commands'),
      });
      for (const { name, schedule, on, command } of automations) {
        const when =
          schedule === undefined
            ? { eventPattern: patternOf(on), eventBus: ourBus(`Automation-${name}`) }
            : { schedule: Schedule.expression(schedule) };
        make(`Automation-${name}`, commandInput(name, command), when);
      }
    },

    /** Each object that is written below one of the prefixes. */
    onObject: (id: string, target: AnyFunction, description: string, prefixes: readonly string[]): void =>
      onPattern(id, target, description, {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.name] }, object: { key: prefixes.map((prefix) => ({ prefix })) } },
      }),

    /** Each announced change of a workspace, in order. The queue gets the position of what the function cannot take. */
    onStream: (id: string, target: AnyFunction): void => {
      const mapping = new CfnEventSourceMapping(scope, id, {
        functionName: target.function.functionArn,
        eventSourceArn: table.streamArn,
        // Nothing that happened before the first deployment of the function is lost.
        startingPosition: 'TRIM_HORIZON',
        batchSize: STREAM_BATCH,
        filterCriteria: { filters: [{ pattern: JSON.stringify(changeRecordFilter) }] },
        functionResponseTypes: ['ReportBatchItemFailures'],
        bisectBatchOnFunctionError: true,
        maximumRetryAttempts: STREAM_TRIES,
        maximumRecordAgeInSeconds: STREAM_PATIENCE_SECONDS,
        destinationConfig: { onFailure: { destination: deadLetters.arn } },
      });
      // Lambda looks at once whether the role may read the stream.
      mapping.node.addDependency(target.function);
    },

    /** Again and again; a run that fails is followed by the next. */
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
          'The event says nothing but that the time has come: none is worth keeping.',
      });
    },
  };
};

/** Commands on the bus come from here. */
const COMMANDS = 'holdfast.commands';

/** EventBridge's own spelling of a pattern, as the CDK has it. */
const patternOf = (on: Automation['on'] = {}): EventPattern => {
  const { 'detail-type': detailType, ...others } = on;
  return { ...others, ...(detailType !== undefined && { detailType }) } as EventPattern;
};

/** A command with the parts of the event that it asks for; the event's id makes its own, so that it is made once. */
const commandInput = (name: string, command: Automation['command']): RuleTargetInput => {
  const parts = Object.entries(command).map(([key, value]) => [
    key,
    typeof value === 'string' && value.startsWith('$.') ? EventField.fromPath(value) : value,
  ]);
  return RuleTargetInput.fromObject({ ...Object.fromEntries(parts), id: `${name}:${EventField.eventId}` });
};
