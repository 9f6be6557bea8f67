import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventBusPolicy, CfnRule, EventBus } from 'aws-cdk-lib/aws-events';
import {
  AccountPrincipal,
  type IPrincipal,
  ManagedPolicy,
  OrganizationPrincipal,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventInvokeConfig, CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { forwardedEvents } from '../../shared/events/sources.ts';
import { type FunctionName, hubFunctionNames, type Variables } from '../../shared/runtime/environment.ts';
import { tableKeys, ttlAttribute } from '../../shared/store/dynamodb/table-definition.ts';
import { hubIndexes, hubIndexNames } from '../../shared/store/hub/hub-table.ts';
import type { Bundles } from '../build/bundle.ts';
import { createDeadLetters } from '../constructs/dead-letters.ts';
import { deployedName, HoldfastFunction, type HubResources } from '../constructs/function.ts';
import { publishValues } from '../constructs/published-values.ts';
import { HUB_SUFFIX } from '../settings/settings.ts';
import { alarmTopic, createAlarm } from '../stacks/observability-stack.ts';
import { type HubSettings, hubAlarms } from './hub-definitions.ts';

interface HubStackProps extends StackProps {
  readonly settings: HubSettings;
  readonly bundles: Bundles;
}

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The hub: a bus that members send events to, the table with the workspaces of all members, and the functions that write
 * and read it (docs/reference/hub.md). The table contains copies only, so it is deleted with the stack.
 */
export class HubStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, ...props }: HubStackProps) {
    super(scope, id, props);
    const name = `${settings.name}-${HUB_SUFFIX}`;
    const bus = this.#createBus(name, settings);
    const queue = createDeadLetters(this, name);
    const resources: HubResources = {
      table: this.#createTable(name),
      deadLetters: { name: queue.queueName, url: queue.queueUrl, arn: queue.queueArn },
    };
    const create = <F extends FunctionName>(functionName: F, environment: Variables<F>) =>
      new HoldfastFunction(this, functionName, {
        name: functionName,
        code: bundles[functionName].directory,
        environment,
        resources,
        settings,
      }).function;
    const receiver = create('hub-receiver', { HUB_TABLE_NAME: resources.table.name, DEAD_LETTERS_URL: queue.queueUrl });
    const reader = create('hub-reader', { HUB_TABLE_NAME: resources.table.name });

    const rule = new CfnRule(this, 'Rule', {
      description: 'Receives events of workspaces from members',
      eventBusName: bus.eventBusName,
      eventPattern: forwardedEvents,
      targets: [{ id: 'Receiver', arn: receiver.functionArn, deadLetterConfig: { arn: queue.queueArn } }],
    });
    new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: receiver.functionArn,
      principal: 'events.amazonaws.com',
      sourceArn: rule.attrArn,
    });
    new CfnEventInvokeConfig(this, 'Asynchronous', {
      functionName: receiver.functionName,
      qualifier: '$LATEST',
      maximumRetryAttempts: 2,
      destinationConfig: { onFailure: { destination: queue.queueArn } },
    });

    const readers = new ManagedPolicy(this, 'Readers', {
      description: `Allows queries to the hub ${name}`,
      statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [reader.functionArn] })],
    });
    this.#createAlarms(name, settings, queue);
    publishValues(this, settings, {
      'hub-bus-arn': bus.eventBusArn,
      'hub-reader-function-name': reader.functionName,
      'hub-readers-policy-arn': readers.managedPolicyArn,
      'hub-dead-letters-url': queue.queueUrl,
    });
  }

  /** Creates the bus. Only the accounts or the AWS organization in the settings may send events to it. */
  #createBus(name: string, { memberAccounts, memberOrganization }: HubSettings): EventBus {
    const bus = new EventBus(this, 'Bus', {
      eventBusName: name,
      description: 'Events of deployments in other accounts',
    });
    const allow = (sid: string, principals: IPrincipal[]): void => {
      const statement = new PolicyStatement({
        sid,
        principals,
        actions: ['events:PutEvents'],
        resources: [bus.eventBusArn],
      });
      new CfnEventBusPolicy(this, sid, {
        eventBusName: bus.eventBusName,
        statementId: sid,
        statement: statement.toStatementJson(),
      });
    };
    const accounts = [...new Set(memberAccounts)].sort();
    if (accounts.length > 0) {
      allow(
        'MemberAccounts',
        accounts.map((account) => new AccountPrincipal(account)),
      );
    }
    if (memberOrganization !== undefined) allow('MemberOrganization', [new OrganizationPrincipal(memberOrganization)]);
    return bus;
  }

  #createTable(name: string): HubResources['table'] {
    const key = new Key(this, 'Key', {
      description: `Encrypts the table of ${name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const table = new Table(this, 'Table', {
      partitionKey: stringAttribute(tableKeys.partitionKey),
      sortKey: stringAttribute(tableKeys.sortKey),
      timeToLiveAttribute: ttlAttribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const indexName of hubIndexNames) {
      const { partitionKey, sortKey } = hubIndexes[indexName];
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: stringAttribute(partitionKey),
        sortKey: stringAttribute(sortKey),
        projectionType: ProjectionType.ALL,
      });
    }
    return { name: table.tableName, arn: table.tableArn, keyArn: key.keyArn };
  }

  #createAlarms(name: string, settings: HubSettings, queue: Queue): void {
    const topic = alarmTopic(this, { ...settings, name });
    const period = Duration.minutes(5);
    for (const subject of hubFunctionNames) {
      const metric = new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Errors',
        dimensionsMap: { FunctionName: deployedName(settings, subject) },
        statistic: 'Sum',
        period,
      });
      const description = hubAlarms[`${subject}-errors`];
      createAlarm(this, settings.name, topic, '<function>-errors', { subject, metric, description, above: 0 });
    }
    const metric = queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period });
    const description = hubAlarms['hub-dead-letters'];
    createAlarm(this, name, topic, 'dead-letters', { metric, description, above: 0 });
  }
}
