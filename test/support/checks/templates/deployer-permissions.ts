import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { deployerPolicies } from '../../../../infra/deploy/policies.ts';

/** Permissions that CloudFormation documents for a resource type and that the templates do not need. */
interface Unneeded {
  readonly types: RegExp;
  readonly permissions: RegExp;
  readonly reason: string;
}

const unneeded: readonly Unneeded[] = [
  {
    types: /^AWS::ApiGatewayV2::/,
    permissions: /^s3:|CertificateToDomain$|CertificateFromDomain$|^iam:PassRole$/,
    reason: 'The API is not imported from a file, requires no certificates of clients, and invokes functions only.',
  },
  {
    types: /^AWS::DynamoDB::/,
    permissions: /Replica$|AutoScaling$|Item$|Kinesis|Import|ResourcePolicy$|:(Query|Scan|ListAliases|RevokeGrant)$/,
    reason: 'A table has one replica, no provisioned capacity, and neither an import, nor Kinesis, nor a policy.',
  },
  {
    types: /^AWS::DynamoDB::/,
    permissions: /^(kinesis|logs|s3|cloudwatch|application-autoscaling):/,
    reason: 'These services are part of an import, of Kinesis and of provisioned capacity.',
  },
  {
    types: /^AWS::DynamoDB::Table$/,
    permissions: /^iam:CreateServiceLinkedRole$/,
    reason: 'The table of a hub has neither replicas nor Contributor Insights.',
  },
  {
    types: /^AWS::Events::/,
    permissions: /^kms:|^events:PutPermission$/,
    reason: 'Buses and archives have the key of AWS. The bus of a deployment has no policy.',
  },
  {
    types: /^AWS::IAM::/,
    permissions: /(User|Group)Policy$|:(Attach|Detach)RolePolicy$/,
    reason: 'Policies are not attached by the stacks, except to roles that contain them.',
  },
  { types: /^AWS::KMS::/, permissions: /:(Enable|Disable)Key$/, reason: 'The keys are enabled.' },
  {
    types: /^AWS::Lambda::/,
    permissions: /^(codedeploy|ec2|elasticfilesystem|kms|s3files):|^s3:GetObjectVersion$|CodeSigning|CapacityProvider$/,
    reason:
      'Functions have the key of AWS, and neither a network, nor files, nor signed code, nor gradual deployments.',
  },
  {
    types: /^AWS::Lambda::/,
    permissions: /:Put(RuntimeManagement|FunctionRecursion|FunctionScaling)Config$|RuntimeAlias$/,
    reason: 'Functions have the defaults of Lambda for these.',
  },
  {
    types: /^AWS::Lambda::Function$/,
    permissions: /:(GetLayerVersion|PublishVersion)$/,
    reason: 'Functions of a hub have neither layers nor versions.',
  },
  {
    types: /^AWS::Logs::LogGroup$/,
    permissions:
      /^(s3|firehose):|(DataProtection|Index|Resource)Policy$|LogDelivery$|BearerToken|DeletionProtection$|KmsKey$/,
    reason: 'Log groups have a retention period only.',
  },
  {
    types: /^AWS::Route53::/,
    permissions: /:ListHostedZones$/,
    reason: 'Records name their zone by its id.',
  },
  {
    types: /^AWS::S3::/,
    permissions:
      /^(iam|s3tables):|Object|Abac|Acl$|Analytics|Inventory|Metrics|Replication|Website|Accelerate|Logging|Tiering|Metadata/,
    reason: 'The bucket has a key, versions, a life cycle, CORS and notifications, and no other configuration.',
  },
  {
    types: /^AWS::S3::/,
    permissions: /:DeleteBucket(Cors|Encryption|Lifecycle)$/,
    reason: 'IAM has no such actions: those that set the configuration also allow its deletion.',
  },
  {
    types: /^AWS::SNS::/,
    permissions: /^iam:|DataProtectionPolicy$|SubscriptionAttributes$/,
    reason: 'The topic has e-mail subscriptions only, which are replaced when they change.',
  },
];

/** Schema of a resource type, with the permissions of CloudFormation for each operation. */
interface ResourceSchema {
  readonly typeName?: string;
  readonly handlers?: Readonly<Record<string, { readonly permissions?: readonly string[] }>>;
}

/** Reads which permissions CloudFormation needs for each resource type, from the schemas that cfn-lint contains. */
const readNeeds = (commands: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const library = join(commands, '../lib');
  const [python = ''] = readdirSync(library).filter((name) => name.startsWith('python3'));
  const folder = join(library, python, 'site-packages/cfnlint/data/schemas/resources');
  const needs = new Map<string, Set<string>>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { typeName, handlers = {} } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as ResourceSchema;
    if (typeName === undefined) continue;
    const permissions = needs.get(typeName) ?? new Set();
    for (const operation of ['create', 'read', 'update', 'delete'])
      for (const permission of handlers[operation]?.permissions ?? []) permissions.add(permission);
    needs.set(typeName, permissions);
  }
  return needs;
};

/**
 * Compares the policies of the deployer with the permissions that CloudFormation documents for the resource types of the
 * templates.
 *
 * @param commands the folder of the commands of the judges.
 * @returns a line for each permission that no policy contains, and for each exception without a permission.
 */
export const missingPermissions = (commands: string, templates: readonly string[]): readonly string[] => {
  const needs = readNeeds(commands);
  const unused = new Set(unneeded);
  const missing = new Set<string>();
  for (const path of templates) {
    const isHub = basename(path).endsWith('Hub.template.json');
    const statements = Object.values(deployerPolicies('holdfast', { isHub })).flatMap(({ Statement }) => Statement);
    const allowed = new Set(statements.flatMap(({ Action }) => Action.map((action) => action.toLowerCase())));
    const isAllowed = (permission: string): boolean => {
      const [start = '', ...rest] = permission.toLowerCase().split('*');
      return rest.length === 0 ? allowed.has(start) : [...allowed].some((action) => action.startsWith(start));
    };
    const { Resources } = JSON.parse(readFileSync(path, 'utf8')) as { Resources: Record<string, { Type: string }> };
    for (const type of new Set(Object.values(Resources).map(({ Type }) => Type)))
      for (const permission of needs.get(type) ?? []) {
        const exceptions = unneeded.filter(
          ({ types, permissions }) => types.test(type) && permissions.test(permission),
        );
        if (isAllowed(permission)) continue;
        for (const exception of exceptions) unused.delete(exception);
        if (exceptions.length === 0)
          missing.add(`the policies of ${isHub ? 'a hub' : 'a deployment'} lack ${permission} for ${type}`);
      }
  }
  return [
    ...missing,
    ...[...unused].map(({ reason }) => `deployer-permissions.ts has a needless exception: ${reason}`),
  ];
};
