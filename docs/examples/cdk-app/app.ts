import { App, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { Holdfast } from 'holdfast-cdk';

const tags = { team: 'platform' };
const domainName = 'holdfast.example.com';

/** A stack of a platform team with two deployments of Holdfast: one in use, and one for trials of new settings. */
class PlatformStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const certificate = new Certificate(this, 'Certificate', {
      domainName,
      validation: CertificateValidation.fromDns(),
    });
    const customDomain = { name: domainName, certificateArn: certificate.certificateArn };
    const holdfast = new Holdfast(this, 'Holdfast', { customDomain, tags });
    new Holdfast(this, 'Trial', { name: 'holdfast-trial', edition: 'hosted', archiveDays: 30, tags });

    // Pipelines lock and unlock workspaces while they work.
    const pipeline = new Role(this, 'Pipeline', { assumedBy: new AccountPrincipal(this.account) });
    holdfast.grantAutomation(pipeline);

    // Runners read the variables of the workspaces that they work on, secrets included.
    const runner = new Role(this, 'Runner', { assumedBy: new AccountPrincipal(this.account) });
    holdfast.grantReadSecrets(runner, { workspaces: ['ws-2jPTvTDXBPFzPGbT'] });

    // Deleted workspaces are reported to a queue.
    const encrypted = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    const deadLetters = new Queue(this, 'DeadLetters', encrypted);
    Validations.of(deadLetters).acknowledge({
      id: 'Serverless::Serverless-SQSRedrivePolicy',
      reason: 'This queue is itself the dead-letter queue.',
    });
    const deletions = new Queue(this, 'Deletions', {
      ...encrypted,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
    new Rule(this, 'WorkspaceDeleted', {
      eventBus: holdfast.bus,
      eventPattern: { source: ['holdfast'], detailType: ['workspace.deleted'] },
      targets: [new SqsQueue(deletions, { deadLetterQueue: deadLetters })],
    });
  }
}

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
new PlatformStack(app, 'Platform', account && region ? { env: { account, region } } : {});
// The findings that Holdfast accepts are acknowledged in its own stacks.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
