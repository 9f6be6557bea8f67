import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import {
  type IndexName,
  indexes,
  indexNames,
  streamView,
  tableKeys,
  ttlAttribute,
} from '../shared/store/table-definition.ts';
import type { Settings } from './settings.ts';

/** The table that the functions work on, by what permissions, variables and alarms need of it. */
export interface ServedTable {
  readonly name: string;
  readonly arn: string;
  readonly keyArn: string;
}

const string = (name: string) => ({ name, type: AttributeType.STRING });

const index = (indexName: IndexName): GlobalSecondaryIndexPropsV2 => {
  const { partitionKey, sortKey, projected } = indexes[indexName];
  const keys = { indexName, partitionKey: string(partitionKey), sortKey: string(sortKey) };
  return projected.length === 0
    ? { ...keys, projectionType: ProjectionType.KEYS_ONLY }
    : { ...keys, projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projected] };
};

/** What holds data: the table, the key that encrypts it and the key of the secrets in it. Destroying the stack leaves them behind. */
export class DataStack extends Stack {
  readonly table: ServedTable;
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
      contributorInsightsSpecification: { enabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    // The construct names a key of one's own only when it knows the region; this app is made before there is one.
    (table.node.defaultChild as CfnGlobalTable).addPropertyOverride('Replicas.0.SSESpecification', {
      KMSMasterKeyId: key.keyArn,
    });

    // Exported whether they are used or not: CloudFormation refuses to take an export back in the same deployment in
    // which the other stacks stop using it, which is what switching to a restored table and back would be.
    this.exportValue(table.tableName);
    this.exportValue(table.tableArn);
    this.exportValue(key.keyArn);

    const restored = settings.restoredTableName;
    this.table =
      restored === undefined
        ? { name: table.tableName, arn: table.tableArn, keyArn: key.keyArn }
        : {
            name: restored,
            arn: this.formatArn({ service: 'dynamodb', resource: 'table', resourceName: restored }),
            keyArn: key.keyArn,
          };
  }
}
