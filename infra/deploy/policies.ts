import { HUB_SUFFIX, type Partition } from '../settings/settings.ts';

/**
 * Least privileges for a deployment or a hub with the CDK: of the caller, who assumes the roles of the bootstrap stack, and of
 * the role with which CloudFormation creates the resources. A test compares them with the templates.
 */

/** Names of the resources of a deployment or a hub, in which an asterisk stands for any text. */
interface Names {
  /** Prefix of the names that the templates set. */
  readonly prefix: string;
  /** Returns the name of the stack with one part of a deployment. A hub has one stack. */
  readonly stack: (part: 'data' | 'api' | 'observability') => string;
  readonly parameters: string;
}

/** Actions of CloudFormation for resource types, and the resources by their names. */
interface TypeAccess {
  readonly types: readonly string[];
  /** Service, and actions without its prefix. */
  readonly service: string;
  readonly actions: readonly string[];
  /** Last part of the ARNs, after the account. */
  readonly resources: (names: Names) => readonly string[];
  readonly condition?: object;
  /** False where a hub does not need the actions, although its template contains one of the types. */
  readonly isForHub?: false;
}

const everything = (): readonly string[] => ['*'];

/** Characters that CloudFormation keeps at least of the name of a stack where a generated name would be too long for a service. */
const KEPT_OF_STACK = 24;

/** Builds the pattern of the names that CloudFormation generates in a stack, for services with short names. */
const generatedIn = (stack: string): string => {
  const [known = '', ...others] = stack.split('*');
  if (others.length > 0) return `${known}*`;
  return stack.length > KEPT_OF_STACK ? `${stack.slice(0, KEPT_OF_STACK)}*` : `${stack}-*`;
};

/** Permissions for the table, the bucket and the keys. */
const data: readonly TypeAccess[] = [
  {
    types: ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'],
    service: 'dynamodb',
    actions: [
      ...['CreateTable', 'DescribeTable', 'UpdateTable', 'DeleteTable'],
      ...['DescribeTimeToLive', 'UpdateTimeToLive', 'DescribeContinuousBackups', 'UpdateContinuousBackups'],
      ...['DescribeContributorInsights', 'UpdateContributorInsights', 'DescribeKinesisStreamingDestination'],
      ...['DescribeTableReplicaAutoScaling', 'GetResourcePolicy'],
      ...['ListTagsOfResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ stack }) => [`table/${stack('data')}-*`],
  },
  { types: ['AWS::DynamoDB::GlobalTable'], service: 'dynamodb', actions: ['DescribeLimits'], resources: everything },
  // CloudFormation reads these of tables that are billed by request, too.
  {
    types: ['AWS::DynamoDB::GlobalTable'],
    service: 'application-autoscaling',
    actions: ['DescribeScalableTargets', 'DescribeScalingPolicies', 'DescribeScheduledActions'],
    resources: everything,
  },
  // The first table with Contributor Insights in an account creates a role.
  {
    types: ['AWS::DynamoDB::GlobalTable'],
    service: 'iam',
    actions: ['CreateServiceLinkedRole'],
    resources: () =>
      ['contributorinsights', 'replication'].map((part) => `role/aws-service-role/${part}.dynamodb.amazonaws.com/*`),
  },
  // DynamoDB verifies that the creator of a table may use its key.
  {
    types: ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'],
    service: 'kms',
    actions: ['CreateGrant', 'Decrypt', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'],
    resources: () => ['key/*'],
    condition: { StringLike: { 'kms:ViaService': 'dynamodb.*' } },
  },
  { types: ['AWS::KMS::Key'], service: 'kms', actions: ['CreateKey'], resources: everything },
  {
    types: ['AWS::KMS::Key'],
    service: 'kms',
    actions: [
      ...['DescribeKey', 'GetKeyPolicy', 'PutKeyPolicy', 'UpdateKeyDescription', 'ScheduleKeyDeletion'],
      ...['EnableKeyRotation', 'DisableKeyRotation', 'GetKeyRotationStatus'],
      ...['ListResourceTags', 'TagResource', 'UntagResource'],
    ],
    resources: () => ['key/*'],
  },
  {
    types: ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'],
    service: 's3',
    actions: [
      ...['CreateBucket', 'DeleteBucket', 'GetBucketPolicy', 'PutBucketPolicy', 'DeleteBucketPolicy'],
      ...['GetBucketVersioning', 'PutBucketVersioning', 'GetEncryptionConfiguration', 'PutEncryptionConfiguration'],
      ...['GetLifecycleConfiguration', 'PutLifecycleConfiguration', 'GetBucketNotification', 'PutBucketNotification'],
      ...['GetBucketPublicAccessBlock', 'PutBucketPublicAccessBlock'],
      ...['GetBucketOwnershipControls', 'PutBucketOwnershipControls', 'GetBucketTagging', 'PutBucketTagging'],
      ...['GetBucketCORS', 'PutBucketCORS', 'ListBucket', 'ListTagsForResource', 'TagResource', 'UntagResource'],
      // CloudFormation reads these although the bucket has none of them.
      ...['GetBucketAbac', 'GetBucketAcl', 'GetBucketLogging', 'GetBucketMetadataTableConfiguration'],
      ...['GetBucketObjectLockConfiguration', 'GetBucketWebsite', 'GetAccelerateConfiguration'],
      ...['GetAnalyticsConfiguration', 'GetIntelligentTieringConfiguration', 'GetInventoryConfiguration'],
      ...['GetMetricsConfiguration', 'GetReplicationConfiguration'],
    ],
    resources: ({ stack }) => [`:::${generatedIn(stack('data'))}`],
  },
];

/** Permissions for the functions and the API. */
const api: readonly TypeAccess[] = [
  {
    types: [
      ...['Api', 'ApiMapping', 'DomainName', 'Integration', 'Route', 'Stage'].map(
        (type) => `AWS::ApiGatewayV2::${type}`,
      ),
    ],
    service: 'apigateway',
    actions: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TagResource', 'UntagResource'],
    resources: () => ['::/apis', '::/apis/*', '::/domainnames', '::/domainnames/*', '::/tags/*'],
  },
  // The delivery of the access log.
  {
    types: ['AWS::ApiGatewayV2::Stage'],
    service: 'logs',
    actions: [
      ...['CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery', 'ListLogDeliveries'],
      'PutResourcePolicy',
    ],
    resources: everything,
  },
  // These actions cannot be limited to log groups.
  {
    types: ['AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'],
    service: 'logs',
    actions: ['DescribeLogGroups', 'DescribeIndexPolicies', 'DescribeResourcePolicies'],
    resources: everything,
  },
  {
    types: ['AWS::ApiGatewayV2::DomainName', 'AWS::ApiGatewayV2::Stage'],
    service: 'iam',
    actions: ['CreateServiceLinkedRole'],
    resources: () => ['role/aws-service-role/ops.apigateway.amazonaws.com/*'],
  },
  {
    types: ['AWS::IAM::Role', 'AWS::IAM::Policy'],
    service: 'iam',
    actions: [
      ...['CreateRole', 'GetRole', 'UpdateRole', 'DeleteRole', 'UpdateRoleDescription', 'UpdateAssumeRolePolicy'],
      ...['PutRolePolicy', 'GetRolePolicy', 'DeleteRolePolicy', 'ListRolePolicies', 'ListAttachedRolePolicies'],
      ...['PutRolePermissionsBoundary', 'DeleteRolePermissionsBoundary', 'TagRole', 'UntagRole'],
    ],
    resources: ({ stack }) => [`role/${generatedIn(stack('api'))}`],
  },
  {
    types: ['AWS::Lambda::Function'],
    service: 'iam',
    actions: ['PassRole'],
    resources: ({ stack }) => [`role/${generatedIn(stack('api'))}`],
    condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
  },
  // The rule that forwards events to a hub has a role.
  {
    types: ['AWS::Events::Rule'],
    service: 'iam',
    actions: ['PassRole'],
    resources: ({ stack }) => [`role/${generatedIn(stack('api'))}`],
    condition: { StringEquals: { 'iam:PassedToService': 'events.amazonaws.com' } },
    isForHub: false,
  },
  {
    types: ['EventInvokeConfig', 'Function', 'Permission'].map((type) => `AWS::Lambda::${type}`),
    service: 'lambda',
    actions: [
      ...['CreateFunction', 'GetFunction', 'GetFunctionConfiguration', 'UpdateFunctionCode', 'DeleteFunction'],
      ...['UpdateFunctionConfiguration', 'GetFunctionCodeSigningConfig', 'GetFunctionRecursionConfig'],
      ...['GetRuntimeManagementConfig', 'PutFunctionConcurrency', 'DeleteFunctionConcurrency'],
      'GetFunctionScalingConfig',
      ...['AddPermission', 'RemovePermission', 'GetPolicy', 'PutFunctionEventInvokeConfig'],
      ...['GetFunctionEventInvokeConfig', 'UpdateFunctionEventInvokeConfig', 'DeleteFunctionEventInvokeConfig'],
      ...['ListTags', 'TagResource', 'UntagResource'],
    ],
    resources: ({ prefix }) => [`function:${prefix}-*`],
  },
  {
    types: ['AWS::Lambda::Alias', 'AWS::Lambda::Version'],
    service: 'lambda',
    actions: [
      ...['PublishVersion', 'ListVersionsByFunction', 'CreateAlias', 'GetAlias', 'UpdateAlias', 'DeleteAlias'],
      ...['PutProvisionedConcurrencyConfig', 'GetProvisionedConcurrencyConfig', 'DeleteProvisionedConcurrencyConfig'],
    ],
    resources: ({ prefix }) => [`function:${prefix}-*`],
  },
  {
    types: ['AWS::Lambda::LayerVersion'],
    service: 'lambda',
    actions: ['PublishLayerVersion', 'GetLayerVersion', 'DeleteLayerVersion'],
    resources: ({ prefix }) => [`layer:${prefix}-*`],
  },
  {
    types: ['AWS::Lambda::EventSourceMapping'],
    service: 'lambda',
    actions: [
      ...['CreateEventSourceMapping', 'GetEventSourceMapping', 'UpdateEventSourceMapping'],
      ...['DeleteEventSourceMapping', 'ListEventSourceMappings'],
    ],
    // These actions cannot be limited to the names of functions.
    resources: everything,
  },
  {
    types: ['AWS::Lambda::EventSourceMapping'],
    service: 'lambda',
    actions: ['TagResource', 'UntagResource', 'ListTags'],
    resources: () => ['event-source-mapping:*'],
  },
  // The code of the functions, which the CDK has uploaded.
  {
    types: ['AWS::Lambda::Function', 'AWS::Lambda::LayerVersion'],
    service: 's3',
    actions: ['GetObject'],
    resources: () => [':::cdk-*-assets-*'],
  },
  // CloudFormation reads the secrets of the setting `originSecretArns`. The example of a distribution gives them such names.
  {
    types: ['AWS::Lambda::Function'],
    service: 'secretsmanager',
    actions: ['GetSecretValue'],
    resources: ({ prefix }) => [`secret:${prefix}-distribution-*`],
    isForHub: false,
  },
  {
    types: ['AWS::Route53::RecordSet'],
    service: 'route53',
    actions: ['ChangeResourceRecordSets', 'GetHostedZone', 'ListResourceRecordSets', 'GetChange'],
    resources: () => [':::hostedzone/*', ':::change/*'],
  },
];

/** Permissions for events, logs, alarms and parameters. */
const operation: readonly TypeAccess[] = [
  {
    types: ['AWS::Events::Archive'],
    service: 'events',
    actions: ['CreateArchive', 'DescribeArchive', 'UpdateArchive', 'DeleteArchive'],
    resources: ({ prefix }) => [`archive/${prefix}`, `event-bus/${prefix}`],
  },
  {
    types: ['AWS::Events::EventBus', 'AWS::Events::Rule'],
    service: 'events',
    actions: [
      ...['CreateEventBus', 'DescribeEventBus', 'UpdateEventBus', 'DeleteEventBus', 'RemovePermission'],
      ...['PutRule', 'DescribeRule', 'DeleteRule', 'PutTargets', 'RemoveTargets', 'ListTargetsByRule'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ prefix, stack }) => [
      ...[`event-bus/${prefix}`, `rule/${prefix}-automation-*`, `rule/${prefix}/${prefix}-automation-*`],
      ...[`rule/${generatedIn(stack('api'))}`, `rule/${prefix}/${generatedIn(stack('api'))}`],
    ],
  },
  {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    service: 'sqs',
    actions: [
      ...['CreateQueue', 'GetQueueAttributes', 'SetQueueAttributes', 'GetQueueUrl', 'DeleteQueue'],
      ...['ListQueueTags', 'TagQueue', 'UntagQueue'],
    ],
    resources: ({ prefix }) => [`${prefix}-dead-letters`],
  },
  {
    types: ['AWS::SNS::Subscription', 'AWS::SNS::Topic', 'AWS::SNS::TopicPolicy'],
    service: 'sns',
    actions: [
      ...['CreateTopic', 'GetTopicAttributes', 'SetTopicAttributes', 'DeleteTopic', 'GetDataProtectionPolicy'],
      ...['Subscribe', 'ListSubscriptionsByTopic'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ stack }) => [`${stack('observability')}-*`],
  },
  // These actions cannot be limited to a topic.
  {
    types: ['AWS::SNS::Subscription'],
    service: 'sns',
    actions: ['Unsubscribe', 'GetSubscriptionAttributes'],
    resources: everything,
  },
  {
    types: ['AWS::CloudWatch::Alarm'],
    service: 'cloudwatch',
    actions: [
      ...['PutMetricAlarm', 'DescribeAlarms', 'DeleteAlarms'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ prefix }) => [`alarm:${prefix}-*`],
  },
  {
    types: ['AWS::CloudWatch::Dashboard'],
    service: 'cloudwatch',
    actions: [
      ...['PutDashboard', 'GetDashboard', 'DeleteDashboards'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ prefix }) => [`dashboard/${prefix}-*`],
  },
  {
    types: ['AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'],
    service: 'logs',
    actions: [
      ...['CreateLogGroup', 'DeleteLogGroup', 'PutRetentionPolicy', 'DeleteRetentionPolicy', 'GetDataProtectionPolicy'],
      ...['PutMetricFilter', 'DescribeMetricFilters', 'DeleteMetricFilter'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: ({ prefix }) => [`log-group:/aws/lambda/${prefix}-*`, `log-group:/aws/vendedlogs/${prefix}-*`],
  },
  {
    types: ['AWS::SSM::Parameter'],
    service: 'ssm',
    actions: [
      ...['PutParameter', 'GetParameter', 'GetParameters', 'DeleteParameter'],
      ...['AddTagsToResource', 'RemoveTagsFromResource', 'ListTagsForResource'],
    ],
    resources: ({ parameters }) => [`parameter/holdfast/${parameters}`],
  },
  // The version of the bootstrap stack, which every template reads.
  {
    types: ['AWS::SSM::Parameter'],
    service: 'ssm',
    actions: ['GetParameters', 'GetParameter'],
    resources: () => ['parameter/cdk-bootstrap/*'],
  },
];

/** Permissions that only a hub needs. */
const hub: readonly TypeAccess[] = [
  {
    types: ['AWS::Events::EventBusPolicy'],
    service: 'events',
    actions: ['PutPermission'],
    resources: ({ prefix }) => [`event-bus/${prefix}`],
  },
  {
    types: ['AWS::IAM::ManagedPolicy'],
    service: 'iam',
    actions: [
      ...['CreatePolicy', 'GetPolicy', 'DeletePolicy', 'CreatePolicyVersion', 'GetPolicyVersion'],
      ...['DeletePolicyVersion', 'ListPolicyVersions', 'ListEntitiesForPolicy', 'TagPolicy', 'UntagPolicy'],
    ],
    resources: ({ stack }) => [`policy/${generatedIn(stack('api'))}`],
  },
];

/** Types of the resources of a hub that deployments contain too, and the table. */
const hubTypes: ReadonlySet<string> = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::SSM::Parameter',
]);

/** The permissions of CloudFormation for a deployment, by the name of their policy. One policy would be too large for IAM. */
export const executionAccess: Readonly<Record<string, readonly TypeAccess[]>> = { data, api, operation };

/** The permissions of CloudFormation for a hub. */
export const hubAccess: Readonly<Record<string, readonly TypeAccess[]>> = {
  hub: [
    ...[...data, ...api, ...operation].filter(
      ({ types, isForHub = true }) => isForHub && types.some((type) => hubTypes.has(type)),
    ),
    ...hub,
  ],
};

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly {
    readonly Effect: 'Allow';
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
    readonly Condition?: object;
  }[];
}

/** Builds an ARN. The ARNs of some services have no account, and are written from the colons on. */
const buildArn = (partition: Partition, service: string, resource: string): string => {
  const prefix = `arn:${partition}:${service}`;
  if (resource === '*') return '*';
  if (resource.startsWith(':::')) return prefix + resource;
  if (resource.startsWith('::')) return `${prefix}:*${resource}`;
  const region = service === 'iam' || resource.startsWith('dashboard/') ? '' : '*';
  return `${prefix}:${region}:*:${resource}`;
};

/** Options of the policies, besides the name of what they are for. */
interface PolicyOptions {
  /** Whether the policies are for a hub of the name, rather than for a deployment. The default is false. */
  readonly isHub?: boolean;
  /** Partition of the regions. The default is `aws`. */
  readonly partition?: Partition;
}

/**
 * Builds the policies of a deployment or a hub: `caller` for who runs the CDK, and the others for the execution role of
 * CloudFormation.
 * @param name the setting `name`, or the beginning of several names and an asterisk.
 * @throws RangeError for text of another form.
 * @example
 * deployerPolicies('holdfast-*'); // for holdfast-test, holdfast-prod, …
 */
export const deployerPolicies = (
  name: string,
  { isHub = false, partition = 'aws' }: PolicyOptions = {},
): Readonly<Record<string, PolicyDocument>> => {
  if (!/^[a-z][a-z0-9-]{0,29}\*?$/.test(name))
    throw new RangeError(`${name} is neither a setting name nor the beginning of one and an asterisk, like holdfast-*`);
  const prefix = isHub ? `${name}-${HUB_SUFFIX}` : name;
  const names: Names = {
    prefix,
    stack: (part) => (isHub ? prefix : `${name}-${part}`),
    parameters: isHub ? `${name}/${HUB_SUFFIX}-*` : `${name}/*`,
  };
  const access = Object.entries(isHub ? hubAccess : executionAccess);
  return {
    caller: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['sts:AssumeRole'],
          Resource: ['deploy', 'file-publishing', 'lookup'].map((role) =>
            buildArn(partition, 'iam', `role/cdk-*-${role}-role-*`),
          ),
        },
      ],
    },
    ...Object.fromEntries(
      access.map(([policy, statements]) => [
        `cloudformation-${policy}`,
        {
          Version: '2012-10-17' as const,
          Statement: statements.map(({ service, actions, resources, condition }) => ({
            Effect: 'Allow' as const,
            Action: actions.map((action) => `${service}:${action}`),
            Resource: resources(names).map((resource) => buildArn(partition, service, resource)),
            ...(condition !== undefined && { Condition: condition }),
          })),
        },
      ]),
    ),
  };
};
