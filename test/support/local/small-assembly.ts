import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A small cloud assembly for tests, written without synthesis and bundling. */
export interface SmallAssembly {
  /** Functions by name: the code of `index.mjs`, and additional properties. */
  readonly functions: Readonly<Record<string, { readonly code: string; readonly properties?: object }>>;
  /** Names of functions by route key. */
  readonly routes?: Readonly<Record<string, string>>;
  readonly cors?: object;
  /** Properties of a table. Without them, the assembly has no table. */
  readonly table?: object;
  /** Further resources of the stack `small-api`. */
  readonly resources?: object;
}

/** Properties of a table named `things` with an index, a stream and a time-to-live attribute. */
export const thingsTable = {
  TableName: 'things',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'by', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'owner',
      KeySchema: [{ AttributeName: 'by', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] },
    },
  ],
  StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
};

/** Creates a folder that is removed after the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Creates a folder that is removed after all tests of a file or a group. */
export const removedAfterwards = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Writes an assembly to a folder. The table is in a separate stack, so that one stack imports a value of the other. */
export const writeAssembly = ({ functions, routes = {}, cors, table, resources }: SmallAssembly): string => {
  const folder = temporaryFolder();
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  const files: Record<string, object> = {};
  const api: Record<string, object> = {
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP', CorsConfiguration: cors } },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: '$default' } },
    ...resources,
  };
  for (const [name, { code, properties }] of Object.entries(functions)) {
    mkdirSync(join(folder, `asset.${name}`));
    writeFileSync(join(folder, `asset.${name}`, 'index.mjs'), code);
    files[name] = { source: { path: `asset.${name}` }, destinations: { here: { objectKey: `${name}.zip` } } };
    api[`${name}Function`] = {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: name,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of CloudFormation
        Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}-${AWS::Region}' }, S3Key: `${name}.zip` },
        Handler: 'index.handler',
        MemorySize: 256,
        // The longest: the 3 seconds of a function without a timeout may pass on a busy machine.
        Timeout: 900,
        ...properties,
      },
    };
    api[`${name}Integration`] = {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: { 'Fn::GetAtt': [`${name}Function`, 'Arn'] }, PayloadFormatVersion: '2.0' },
    };
  }
  for (const [index, [key, name]] of Object.entries(routes).entries())
    api[`Route${index}`] = {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: { RouteKey: key, Target: { 'Fn::Join': ['', ['integrations/', { Ref: `${name}Integration` }]] } },
    };

  write('data.template.json', {
    Resources: table ? { Things: { Type: 'AWS::DynamoDB::GlobalTable', Properties: table } } : {},
    Outputs: table ? { Table: { Value: { Ref: 'Things' }, Export: { Name: 'small-data:Table' } } } : {},
  });
  write('api.template.json', { Resources: api });
  write('api.assets.json', { files });
  const stack = (name: string) => ({
    type: 'aws:cloudformation:stack',
    properties: { templateFile: `${name}.template.json`, stackName: `small-${name}` },
  });
  write('manifest.json', {
    artifacts: {
      data: stack('data'),
      api: stack('api'),
      assets: { type: 'cdk:asset-manifest', properties: { file: 'api.assets.json' } },
    },
  });
  return folder;
};
