import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ContributorInsightsMode,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  type IndexName,
  indexes,
  indexNames,
  streamView,
  tableKeys,
  ttlAttribute,
} from '../../shared/store/dynamodb/table-definition.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import type { Settings } from '../settings/settings.ts';

/** The table that the functions work on, by what permissions, variables and alarms need of it. */
export interface ServedTable {
  readonly name: string;
  readonly arn: string;
  readonly keyArn: string;
  readonly streamArn: string;
}

/** The bucket for what is too large for the table: states, their JSON form, readmes. */
export interface ServedBucket {
  readonly name: string;
  readonly arn: string;
  /** What the ARN is called between stacks, and by the checks. */
  readonly exportName: string;
  readonly keyArn: string;
}

/** Later than a snapshot of a list index is used: those of organizations that nobody lists any more go by themselves. */
const SNAPSHOT_DAYS = 7;

/** How long a replaced or deleted object can be brought back. */
const UNDO_DAYS = 30;

const string = (name: string) => ({ name, type: AttributeType.STRING });

const index = (indexName: IndexName): GlobalSecondaryIndexPropsV2 => {
  const { partitionKey, sortKey, projected } = indexes[indexName];
  const keys = { indexName, partitionKey: string(partitionKey), sortKey: string(sortKey) };
  return projected.length === 0
    ? { ...keys, projectionType: ProjectionType.KEYS_ONLY }
    : { ...keys, projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projected] };
};

/** What holds data: the table, the bucket, the keys of both and that of the secrets. Destroying the stack leaves them behind. */
export class DataStack extends Stack {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  /** ARN of the key that secrets are encrypted under before they reach the table. */
  readonly secretsKeyArn: string;

  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);

    const key = new Key(this, 'TableKey', {
      description: `Encrypts the table of ${settings.name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // A key of its own: whoever may read the table is not by that able to read the secrets in it.
    const secretsKey = new Key(this, 'SecretsKey', {
      description: `Encrypts the secrets in the table of ${settings.name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.secretsKeyArn = secretsKey.keyArn;
    const { maxReadRequestUnits, maxWriteRequestUnits } = settings;
    const table = new TableV2(this, 'Table', {
      partitionKey: string(tableKeys.partitionKey),
      sortKey: string(tableKeys.sortKey),
      globalSecondaryIndexes: indexNames.map(index),
      timeToLiveAttribute: ttlAttribute,
      dynamoStream: StreamViewType[streamView],
      billing: Billing.onDemand({
        ...(maxReadRequestUnits !== undefined && { maxReadRequestUnits }),
        ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
      }),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      // Of what is throttled alone: each rule is charged by the month, and so is each access that one matches.
      contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    const resource = table.node.defaultChild as CfnGlobalTable;
    // The construct names a key of one's own only when it knows the region; this app is made before there is one.
    resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
    // It has no say for one index either. This one has a handful of keys: there is nothing to find among them.
    const due = `Replicas.0.GlobalSecondaryIndexes.${indexNames.indexOf('due')}`;
    resource.addPropertyOverride(`${due}.ContributorInsightsSpecification`, { Enabled: false });
    resource.addPropertyDeletionOverride(`${due}.ContributorInsightsSpecification.Mode`);

    // Exported whether they are used or not: CloudFormation refuses to take an export back in the same deployment in
    // which the other stacks stop using it, which is what switching to a restored table and back would be.
    this.exportValue(table.tableName);
    this.exportValue(table.tableArn);
    this.exportValue(key.keyArn);
    const streamArn = table.tableStreamArn as string;
    this.exportValue(streamArn);

    const { restoredTableName, restoredTableStreamArn } = settings;
    this.table =
      restoredTableName === undefined || restoredTableStreamArn === undefined
        ? { name: table.tableName, arn: table.tableArn, keyArn: key.keyArn, streamArn }
        : {
            name: restoredTableName,
            arn: this.formatArn({ service: 'dynamodb', resource: 'table', resourceName: restoredTableName }),
            keyArn: key.keyArn,
            // Made when the stream is turned on, and in no way to be told from the table's name.
            streamArn: restoredTableStreamArn,
          };
    this.bucket = this.#createBucket(settings);
  }

  #createBucket(settings: Settings): ServedBucket {
    // A key of its own, as states hold secrets in the clear: whoever may read the table cannot by that read them.
    const key = new Key(this, 'BucketKey', {
      description: `Encrypts the bucket of ${settings.name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [
        {
          id: 'undo',
          noncurrentVersionExpiration: Duration.days(UNDO_DAYS),
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        {
          id: 'catalogues',
          prefix: 'catalogues/',
          expiration: Duration.days(SNAPSHOT_DAYS),
          noncurrentVersionExpiration: Duration.days(1),
        },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // The construct's own switch for this brings a function of its own, to do what one property does.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    acknowledge(bucket, {
      'AwsSolutions::AwsSolutions-S1':
        'Every object is reached through a function, which logs who asked for what; a bucket for logs is one more to guard.',
    });
    const { 'Fn::ImportValue': exportName } = this.resolve(this.exportValue(bucket.bucketArn));
    return { name: bucket.bucketName, arn: bucket.bucketArn, exportName, keyArn: key.keyArn };
  }
}
