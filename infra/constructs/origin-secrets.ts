import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';
import { acknowledge } from './acknowledge.ts';

const LENGTH = 48;

/**
 * Secrets with which the distribution shows that a request comes from it. Secrets Manager generates them. Templates contain
 * dynamic references only, which CloudFormation resolves when it deploys.
 *
 * The setting `originSecret` numbers them. The secret with that number is sent, and the functions also accept the one before,
 * so a deployment with the next number replaces the secret without a rejected request.
 */
export class OriginSecrets extends Construct {
  /** Dynamic reference to the secret that the distribution sends. */
  readonly sent: string;
  /** Dynamic references to the secrets that functions accept, separated by commas. */
  readonly accepted: string;

  constructor(scope: Construct, id: string, { name, originSecret: number }: Pick<Settings, 'name' | 'originSecret'>) {
    super(scope, id);
    const references = [number, number - 1]
      .filter((one) => one > 0)
      .map((one) => {
        const secret = new Secret(this, `Secret${one}`, {
          secretName: `${name}-origin-${one}`,
          description: 'Header with which the distribution shows that a request comes from it',
          generateSecretString: { excludePunctuation: true, passwordLength: LENGTH },
          removalPolicy: RemovalPolicy.DESTROY,
        });
        acknowledge(secret, {
          'AwsSolutions::AwsSolutions-SMG4':
            'A rotation must deploy the functions before the distribution. The setting originSecret does both.',
        });
        // CloudFormation does not remove the export of the previous secret while the distribution still imports it.
        Stack.of(this).exportValue(secret.secretArn);
        return secret.secretValue.unsafeUnwrap();
      });
    this.sent = references[0] ?? '';
    this.accepted = references.join(',');
  }
}
