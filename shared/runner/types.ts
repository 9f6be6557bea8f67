/** The public types of the runner library. They import nothing, so that they can be copied into the package as they are. */

/** A variable that is in force for a workspace, with its value (RUNNER-2). */
export interface EffectiveVariable {
  readonly id: string;
  /** Input of the infrastructure tool, or variable of its environment. */
  readonly category: 'infra' | 'env';
  readonly key: string;
  /** Plain value: decrypted if it is sensitive, or read from AWS if the variable has a value reference. */
  readonly value: string;
  /** Whether the value is an expression. It has no effect on variables of the category `env`. */
  readonly hcl: boolean;
  /** Whether the value must not be shown: the variable is sensitive, or its value comes from AWS. */
  readonly sensitive: boolean;
  /** Id of the variable set that has the variable; absent for a variable of the workspace itself. */
  readonly variableSet?: string;
  /** Value reference from which the value was read. */
  readonly reference?: string;
}

/** The variables in force for a workspace. */
export interface EffectiveVariables {
  readonly workspace: {
    readonly id: string;
    readonly name: string;
    readonly organization: string;
    /** Id of the project. */
    readonly project: string;
  };
  /** One variable for each category and key, in the order of category and key. */
  readonly variables: readonly EffectiveVariable[];
}

/** Part of a client of SSM, such as `new SSM()` of `@aws-sdk/client-ssm`. */
export interface ParameterClient {
  readonly getParameter: (input: { Name: string; WithDecryption: boolean }) => Promise<{
    readonly Parameter?: { readonly Value?: string | undefined } | undefined;
  }>;
}

/** Part of a client of Secrets Manager, such as `new SecretsManager()` of `@aws-sdk/client-secrets-manager`. */
export interface SecretClient {
  readonly getSecretValue: (input: { SecretId: string }) => Promise<{ readonly SecretString?: string | undefined }>;
}

/** Settings of the clients of DynamoDB and KMS. They default to the settings of the AWS SDK. */
export interface AwsSettings {
  readonly region?: string;
  /** Other endpoints than the public ones, such as endpoints of a VPC. */
  readonly endpoints?: { readonly dynamodb?: string; readonly kms?: string };
  readonly credentials?: () => Promise<{
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    readonly expiration?: Date;
  }>;
}

/** Resources that the library reads. */
export interface RunnerOptions {
  /** Name of the table: the SSM parameter `/holdfast/<name>/table-name` of the deployment. */
  readonly tableName: string;
  /** ARN of the key of secrets: the SSM parameter `/holdfast/<name>/secrets-key-arn`. */
  readonly secretsKeyArn: string;
  /** ARNs of keys of secrets in another account or region, from which the deployment was moved. */
  readonly formerSecretsKeyArns?: readonly string[];
  readonly aws?: AwsSettings;
  /**
   * Creates the client that reads parameters. Without it, a variable in force that names a parameter is an error.
   * @param region region in the ARN of the parameter; undefined for `ssm:/path`, which is in the region of the runner.
   */
  readonly parameters?: (region: string | undefined) => ParameterClient;
  /**
   * Creates the client that reads secrets of Secrets Manager. Without it, a variable in force that names a secret is an
   * error.
   */
  readonly secrets?: (region: string) => SecretClient;
}

/**
 * Reads the variables that are in force for a workspace, with their values (RUNNER-1).
 * @param workspace id of the workspace.
 * @throws RunnerError
 */
export type ReadVariables = (workspace: string) => Promise<EffectiveVariables>;

/** Reasons why variables cannot be read (RUNNER-4). */
export type RunnerErrorCode =
  | 'workspace-not-found'
  | 'access-denied'
  | 'reference-not-allowed'
  | 'reference-not-readable'
  | 'decryption-failed'
  | 'unavailable';
