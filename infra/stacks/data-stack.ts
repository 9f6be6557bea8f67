import { Aws, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
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
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  type IndexName,
  indexes,
  indexNames,
  JOB_DAYS,
  streamView,
  tableKeys,
  ttlAttribute,
} from '../../shared/store/dynamodb/table-definition.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { JOB_REPORTS, SNAPSHOTS } from '../constructs/permissions.ts';
import { publishValues } from '../constructs/published-values.ts';
import type { Adopted, Settings } from '../settings/settings.ts';

/** The table of the functions, with the attributes that permissions, variables and alarms need. */
export interface ServedTable {
  readonly name: string;
  readonly arn: string;
  readonly keyArn: string;
  readonly streamArn: string;
  /** The table that this one replaces after a restore. */
  readonly replaced?: Pick<ServedTable, 'name' | 'arn'>;
}

/** The bucket for content that is too large for the table: states, JSON states, README files, snapshots. */
export interface ServedBucket {
  readonly name: string;
  readonly arn: string;
  /** The ARN as findings of cdk-nag show it: the name of its export, or the ARN itself. */
  readonly nameInFindings: string;
  readonly keyArn: string;
}

/** The data of a deployment: created by the data stack, or adopted from an earlier one. */
interface ServedData {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  readonly secretsKeyArn: string;
  readonly fingerprintsKeyArn: string;
}

/** Days after which snapshots of list indexes expire. Snapshots of organizations in use are replaced earlier. */
const SNAPSHOT_DAYS = 7;

/** Days for which a replaced or deleted object can be restored. */
const UNDO_DAYS = 30;

/** A resource with data is retained when it is removed or replaced, but not when the deployment that creates it fails. */
const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

type MaximumThroughput = Pick<GlobalSecondaryIndexPropsV2, 'maxReadRequestUnits' | 'maxWriteRequestUnits'>;

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

const index = (indexName: IndexName, throughput: MaximumThroughput): GlobalSecondaryIndexPropsV2 => {
  const { partitionKey, sortKey, projected } = indexes[indexName];
  const keys = {
    indexName,
    partitionKey: stringAttribute(partitionKey),
    sortKey: stringAttribute(sortKey),
    ...throughput,
  };
  return projected.length === 0
    ? { ...keys, projectionType: ProjectionType.KEYS_ONLY }
    : { ...keys, projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projected] };
};

/**
 * Returns the origins of the web console. Without a host name of its own, the API is created after the bucket, so that
 * its origin is not known yet: the rule then covers the API endpoints of the region. A page needs a presigned URL in any
 * case, and only the console can request one with the token of its user.
 */
const consoleOrigins = ({ console, publicUrl, customDomain }: Settings): string[] =>
  console
    ? [
        ...(publicUrl === undefined ? [] : [publicUrl]),
        `https://${customDomain?.name ?? `*.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`}`,
      ]
    : [];

/**
 * The stack with all data: the table, the bucket, and the KMS keys. Destroying the stack retains these resources, and the
 * setting `adopt` uses them again.
 */
export class DataStack extends Stack implements ServedData {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  /** ARN of the key that encrypts secrets before they are written to the table. */
  readonly secretsKeyArn: string;
  /** ARN of the key under which fingerprints of values are computed. */
  readonly fingerprintsKeyArn: string;

  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);
    const data = settings.adopt === undefined ? this.#create(settings) : this.#adopt(settings.adopt);
    this.bucket = data.bucket;
    this.secretsKeyArn = data.secretsKeyArn;
    this.fingerprintsKeyArn = data.fingerprintsKeyArn;
    const { restoredTable } = settings;
    this.table =
      restoredTable === undefined
        ? data.table
        : {
            ...this.#tableInAccount(restoredTable.name),
            keyArn: data.table.keyArn,
            // The ARN contains the time when the stream was turned on, so it cannot be computed from the name.
            streamArn: restoredTable.streamArn,
            replaced:
              restoredTable.replaces === undefined
                ? { name: data.table.name, arn: data.table.arn }
                : this.#tableInAccount(restoredTable.replaces),
          };
    publishValues(this, settings, {
      'bucket-name': data.bucket.name,
      'table-key-arn': data.table.keyArn,
      'bucket-key-arn': data.bucket.keyArn,
      'secrets-key-arn': data.secretsKeyArn,
      'fingerprints-key-arn': data.fingerprintsKeyArn,
    });
  }

  #tableInAccount(name: string): Pick<ServedTable, 'name' | 'arn'> {
    return { name, arn: this.formatArn({ service: 'dynamodb', resource: 'table', resourceName: name }) };
  }

  /** Uses the retained resources of an earlier deployment. The stack does not manage them. */
  #adopt(adopted: Adopted): ServedData {
    const arn = `arn:${this.partition}:s3:::${adopted.bucketName}`;
    return {
      table: {
        ...this.#tableInAccount(adopted.tableName),
        keyArn: adopted.tableKeyArn,
        streamArn: adopted.tableStreamArn,
      },
      bucket: {
        name: adopted.bucketName,
        arn,
        nameInFindings: `arn:<AWS::Partition>:s3:::${adopted.bucketName}`,
        keyArn: adopted.bucketKeyArn,
      },
      secretsKeyArn: adopted.secretsKeyArn,
      fingerprintsKeyArn: adopted.fingerprintsKeyArn,
    };
  }

  #create(settings: Settings): ServedData {
    const key = this.#createKey('TableKey', `Encrypts the table of ${settings.name}`);
    // A separate key, so that permission to read the table does not include permission to decrypt secrets.
    const secretsKey = this.#createKey('SecretsKey', `Encrypts the secrets in the table of ${settings.name}`);
    // KMS does not rotate HMAC keys, and a key for encryption cannot compute an HMAC.
    const fingerprintsKey = new Key(this, 'FingerprintsKey', {
      description: `Computes fingerprints of values in the table of ${settings.name}`,
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy: KEPT,
    });
    const { read, write } = settings.maxRequestUnits ?? {};
    // An index has its own maximum, and lists read an index.
    const throughput: MaximumThroughput = {
      ...(read !== undefined && { maxReadRequestUnits: read }),
      ...(write !== undefined && { maxWriteRequestUnits: write }),
    };
    const table = new TableV2(this, 'Table', {
      partitionKey: stringAttribute(tableKeys.partitionKey),
      sortKey: stringAttribute(tableKeys.sortKey),
      globalSecondaryIndexes: indexNames.map((name) => index(name, throughput)),
      timeToLiveAttribute: ttlAttribute,
      dynamoStream: StreamViewType[streamView],
      billing: Billing.onDemand(throughput),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      // Only for throttled keys, because AWS charges for each rule and for each matching access.
      contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
      deletionProtection: true,
      removalPolicy: KEPT,
    });

    const resource = table.node.defaultChild as CfnGlobalTable;
    // The construct accepts a customer managed key only if the region is known, which it is not in this app.
    resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
    // The construct cannot configure one index. Contributor Insights is of no use for this index with its few keys.
    const due = `Replicas.0.GlobalSecondaryIndexes.${indexNames.indexOf('due')}`;
    resource.addPropertyOverride(`${due}.ContributorInsightsSpecification`, { Enabled: false });
    resource.addPropertyDeletionOverride(`${due}.ContributorInsightsSpecification.Mode`);

    // Exported even if they are not used. Switching to a restored table would otherwise remove exports in the same
    // deployment in which the other stacks stop using them, which CloudFormation rejects.
    this.exportValue(table.tableName);
    this.exportValue(table.tableArn);
    this.exportValue(key.keyArn);
    const streamArn = table.tableStreamArn as string;
    this.exportValue(streamArn);

    return {
      table: { name: table.tableName, arn: table.tableArn, keyArn: key.keyArn, streamArn },
      bucket: this.#createBucket(settings),
      secretsKeyArn: secretsKey.keyArn,
      fingerprintsKeyArn: fingerprintsKey.keyArn,
    };
  }

  #createKey(id: string, description: string): Key {
    return new Key(this, id, { description, enableKeyRotation: true, removalPolicy: KEPT });
  }

  #createBucket(settings: Settings): ServedBucket {
    // A separate key, because states contain secrets in plaintext: permission to read the table is not enough to read them.
    const key = this.#createKey('BucketKey', `Encrypts the bucket of ${settings.name}`);
    const allowedOrigins = consoleOrigins(settings);
    const bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      bucketKeyEnabled: true,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      ...(allowedOrigins.length > 0 && { cors: [{ allowedMethods: [HttpMethods.GET], allowedOrigins }] }),
      lifecycleRules: [
        {
          id: 'undo',
          noncurrentVersionExpiration: Duration.days(UNDO_DAYS),
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        {
          id: 'catalogues',
          prefix: SNAPSHOTS,
          expiration: Duration.days(SNAPSHOT_DAYS),
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          id: 'bulk-jobs',
          prefix: JOB_REPORTS,
          expiration: Duration.days(JOB_DAYS + 1),
          noncurrentVersionExpiration: Duration.days(1),
        },
      ],
      removalPolicy: KEPT,
    });
    // A retained bucket would otherwise lose its policy, and with it the requirement of TLS.
    bucket.policy?.applyRemovalPolicy(KEPT);
    // The property of the construct for this would deploy a Lambda function to set the same configuration.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    acknowledge(bucket, {
      'AwsSolutions::AwsSolutions-S1':
        'Every access goes through a function that logs the request. A bucket for access logs would need protection too.',
    });
    const { 'Fn::ImportValue': nameInFindings } = this.resolve(this.exportValue(bucket.bucketArn));
    return { name: bucket.bucketName, arn: bucket.bucketArn, nameInFindings, keyArn: key.keyArn };
  }
}
