/**
 * Least privileges for a deployment with the CDK: of the caller, who assumes the roles of the bootstrap stack, and of the
 * role with which CloudFormation creates the resources. A test compares them with the templates.
 */

/** Actions of CloudFormation for resource types, and the resources by the name of the deployment. */
interface TypeAccess {
  readonly types: readonly string[];
  /** Service, and actions without its prefix. */
  readonly service: string;
  readonly actions: readonly string[];
  /** Last part of the ARNs, after the account. */
  readonly resources: (name: string) => readonly string[];
  readonly condition?: object;
}

const everything = (): readonly string[] => ['*'];

/** Characters that CloudFormation keeps at least of the name of a stack where a generated name would be too long for a service. */
const KEPT_OF_STACK = 24;

/** Builds the pattern of the names that CloudFormation generates in a stack of a deployment, for services with short names. */
const generatedIn = (part: string, name: string): string => {
  const stack = `${name}-${part}`;
  if (name.endsWith('*')) return name;
  return stack.length > KEPT_OF_STACK ? `${stack.slice(0, KEPT_OF_STACK)}*` : `${stack}-*`;
};

/** Permissions for the table, the bucket and the keys. */
const data: readonly TypeAccess[] = [
  {
    types: ['AWS::DynamoDB::GlobalTable'],
    service: 'dynamodb',
    actions: [
      ...['CreateTable', 'DescribeTable', 'UpdateTable', 'DeleteTable'],
      ...['DescribeTimeToLive', 'UpdateTimeToLive', 'DescribeContinuousBackups', 'UpdateContinuousBackups'],
      ...['DescribeContributorInsights', 'UpdateContributorInsights', 'DescribeKinesisStreamingDestination'],
      ...['DescribeTableReplicaAutoScaling', 'GetResourcePolicy'],
      ...['ListTagsOfResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`table/${name}-data-*`],
  },
  { types: ['AWS::DynamoDB::GlobalTable'], service: 'dynamodb', actions: ['DescribeLimits'], resources: everything },
  // DynamoDB verifies that the creator of a table may use its key.
  {
    types: ['AWS::DynamoDB::GlobalTable'],
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
      ...['GetBucketCORS', 'PutBucketCORS'],
    ],
    resources: (name) => [`:::${generatedIn('data', name)}`],
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
  // The delivery of the access log, and descriptions that cannot be limited to log groups.
  {
    types: ['AWS::ApiGatewayV2::Stage', 'AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'],
    service: 'logs',
    actions: [
      ...['CreateLogDelivery', 'GetLogDelivery', 'UpdateLogDelivery', 'DeleteLogDelivery', 'ListLogDeliveries'],
      ...['PutResourcePolicy', 'DescribeResourcePolicies', 'DescribeLogGroups', 'DescribeIndexPolicies'],
    ],
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
    resources: (name) => [`role/${generatedIn('api', name)}`],
  },
  {
    types: ['AWS::Lambda::Function'],
    service: 'iam',
    actions: ['PassRole'],
    resources: (name) => [`role/${generatedIn('api', name)}`],
    condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
  },
  // The rule that forwards events to a hub has a role.
  {
    types: ['AWS::Events::Rule'],
    service: 'iam',
    actions: ['PassRole'],
    resources: (name) => [`role/${generatedIn('api', name)}`],
    condition: { StringEquals: { 'iam:PassedToService': 'events.amazonaws.com' } },
  },
  {
    types: [
      ...['Alias', 'EventInvokeConfig', 'Function', 'Permission', 'Version'].map((type) => `AWS::Lambda::${type}`),
    ],
    service: 'lambda',
    actions: [
      ...['CreateFunction', 'GetFunction', 'GetFunctionConfiguration', 'UpdateFunctionCode', 'DeleteFunction'],
      ...['UpdateFunctionConfiguration', 'GetFunctionCodeSigningConfig', 'GetFunctionRecursionConfig'],
      ...['GetRuntimeManagementConfig', 'PutFunctionConcurrency', 'DeleteFunctionConcurrency'],
      ...['PublishVersion', 'ListVersionsByFunction', 'CreateAlias', 'GetAlias', 'UpdateAlias', 'DeleteAlias'],
      ...['PutProvisionedConcurrencyConfig', 'GetProvisionedConcurrencyConfig', 'DeleteProvisionedConcurrencyConfig'],
      ...['AddPermission', 'RemovePermission', 'GetPolicy', 'PutFunctionEventInvokeConfig'],
      ...['GetFunctionEventInvokeConfig', 'UpdateFunctionEventInvokeConfig', 'DeleteFunctionEventInvokeConfig'],
      ...['ListTags', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`function:${name}-*`],
  },
  {
    types: ['AWS::Lambda::LayerVersion'],
    service: 'lambda',
    actions: ['PublishLayerVersion', 'GetLayerVersion', 'DeleteLayerVersion'],
    resources: (name) => [`layer:${name}-*`],
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
    types: ['AWS::Events::Archive', 'AWS::Events::EventBus', 'AWS::Events::Rule'],
    service: 'events',
    actions: [
      ...['CreateEventBus', 'DescribeEventBus', 'UpdateEventBus', 'DeleteEventBus'],
      ...['CreateArchive', 'DescribeArchive', 'UpdateArchive', 'DeleteArchive'],
      ...['PutRule', 'DescribeRule', 'DeleteRule', 'PutTargets', 'RemoveTargets', 'ListTargetsByRule'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [
      ...[`event-bus/${name}`, `archive/${name}`, `rule/${name}-automation-*`, `rule/${name}/${name}-automation-*`],
      ...[`rule/${generatedIn('api', name)}`, `rule/${name}/${generatedIn('api', name)}`],
    ],
  },
  {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    service: 'sqs',
    actions: [
      ...['CreateQueue', 'GetQueueAttributes', 'SetQueueAttributes', 'GetQueueUrl', 'DeleteQueue'],
      ...['ListQueueTags', 'TagQueue', 'UntagQueue'],
    ],
    resources: (name) => [`${name}-dead-letters`],
  },
  {
    types: ['AWS::SNS::Subscription', 'AWS::SNS::Topic', 'AWS::SNS::TopicPolicy'],
    service: 'sns',
    actions: [
      ...['CreateTopic', 'GetTopicAttributes', 'SetTopicAttributes', 'DeleteTopic', 'GetDataProtectionPolicy'],
      ...['Subscribe', 'ListSubscriptionsByTopic'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`${name}-observability-*`],
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
    resources: (name) => [`alarm:${name}-*`],
  },
  {
    types: ['AWS::CloudWatch::Dashboard'],
    service: 'cloudwatch',
    actions: [
      ...['PutDashboard', 'GetDashboard', 'DeleteDashboards'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`dashboard/${name}-*`],
  },
  {
    types: ['AWS::Logs::LogGroup', 'AWS::Logs::MetricFilter'],
    service: 'logs',
    actions: [
      ...['CreateLogGroup', 'DeleteLogGroup', 'PutRetentionPolicy', 'DeleteRetentionPolicy', 'GetDataProtectionPolicy'],
      ...['PutMetricFilter', 'DescribeMetricFilters', 'DeleteMetricFilter'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`log-group:/aws/lambda/${name}-*`, `log-group:/aws/vendedlogs/${name}-*`],
  },
  {
    types: ['AWS::SSM::Parameter'],
    service: 'ssm',
    actions: [
      ...['PutParameter', 'GetParameter', 'GetParameters', 'DeleteParameter'],
      ...['AddTagsToResource', 'RemoveTagsFromResource', 'ListTagsForResource'],
    ],
    resources: (name) => [`parameter/holdfast/${name}/*`],
  },
  // The version of the bootstrap stack, which every template reads.
  {
    types: ['AWS::SSM::Parameter'],
    service: 'ssm',
    actions: ['GetParameters', 'GetParameter'],
    resources: () => ['parameter/cdk-bootstrap/*'],
  },
];

/** Permissions for the distribution, its web ACL and its secret. */
const distribution: readonly TypeAccess[] = [
  {
    types: ['AWS::CloudFront::Distribution'],
    service: 'cloudfront',
    actions: [
      ...['CreateDistribution', 'GetDistribution', 'GetDistributionConfig', 'UpdateDistribution', 'DeleteDistribution'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: () => ['distribution/*'],
  },
  {
    types: ['AWS::CloudFront::Function'],
    service: 'cloudfront',
    actions: [
      ...['CreateFunction', 'DescribeFunction', 'GetFunction', 'UpdateFunction', 'PublishFunction', 'DeleteFunction'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: (name) => [`function/${name}-client-address-*`],
  },
  {
    types: ['AWS::WAFv2::WebACL'],
    service: 'wafv2',
    actions: [
      ...['CreateWebACL', 'GetWebACL', 'UpdateWebACL', 'DeleteWebACL'],
      ...['ListTagsForResource', 'TagResource', 'UntagResource'],
    ],
    resources: () => ['global/webacl/*'],
  },
  {
    types: ['AWS::SecretsManager::Secret'],
    service: 'secretsmanager',
    // CloudFormation reads the secret where a template refers to it.
    actions: [
      'CreateSecret',
      'DescribeSecret',
      'GetSecretValue',
      'UpdateSecret',
      'DeleteSecret',
      'TagResource',
      'UntagResource',
    ],
    resources: (name) => [`secret:${name}-origin-*`],
  },
  {
    types: ['AWS::SecretsManager::Secret'],
    service: 'secretsmanager',
    actions: ['GetRandomPassword'],
    resources: everything,
  },
];

/** The permissions of CloudFormation, by the name of their policy. One policy would be too large for IAM. */
export const executionAccess: Readonly<Record<string, readonly TypeAccess[]>> = { data, api, operation, distribution };

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly {
    readonly Effect: 'Allow';
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
    readonly Condition?: object;
  }[];
}

/** Services whose resources have no region in their ARNs. */
const globalServices: ReadonlySet<string> = new Set(['iam', 'cloudfront']);

/** Builds an ARN. The ARNs of some services have no account, and are written from the colons on. */
const arn = (service: string, resource: string): string => {
  if (resource === '*') return '*';
  if (resource.startsWith(':::')) return `arn:aws:${service}${resource}`;
  if (resource.startsWith('::')) return `arn:aws:${service}:*${resource}`;
  const region = globalServices.has(service) || resource.startsWith('dashboard/') ? '' : '*';
  return `arn:aws:${service}:${region}:*:${resource}`;
};

/**
 * Builds the policies of a deployment: `caller` for who runs `npm run deploy`, and the others for the execution role of
 * CloudFormation.
 * @param name the setting `name`, or the beginning of several names and an asterisk.
 * @throws RangeError for text of another form.
 * @example
 * deployerPolicies('holdfast-*'); // for holdfast-test, holdfast-prod, …
 */
export const deployerPolicies = (name: string): Readonly<Record<string, PolicyDocument>> => {
  if (!/^[a-z][a-z0-9-]{0,29}\*?$/.test(name))
    throw new RangeError(`${name} is neither a setting name nor the beginning of one and an asterisk, like holdfast-*`);
  return policiesOf(name);
};

const policiesOf = (name: string): Readonly<Record<string, PolicyDocument>> => ({
  caller: {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['sts:AssumeRole'],
        Resource: ['deploy', 'file-publishing', 'lookup'].map((role) => `arn:aws:iam::*:role/cdk-*-${role}-role-*`),
      },
    ],
  },
  ...Object.fromEntries(
    Object.entries(executionAccess).map(([policy, access]) => [
      `cloudformation-${policy}`,
      {
        Version: '2012-10-17' as const,
        Statement: access.map(({ service, actions, resources, condition }) => ({
          Effect: 'Allow' as const,
          Action: actions.map((action) => `${service}:${action}`),
          Resource: resources(name).map((resource) => arn(service, resource)),
          ...(condition !== undefined && { Condition: condition }),
        })),
      },
    ]),
  ),
});
