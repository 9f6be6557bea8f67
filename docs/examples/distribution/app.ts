import { App, Aws, CfnOutput, Duration, Fn, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';

// Replace these values with those of your deployment of Holdfast.

/** The setting `name`. */
const name = 'holdfast';
/** Region of the deployment. */
const region = 'eu-west-1';
/** Host name in the output `ApiUrl`. */
const apiHost = 'a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com';
/** Host name of the distribution, which is also in the setting `publicUrl`. It is not the one in the setting `customDomain`. */
const publicHost = 'holdfast.example.com';
/** Certificate for `publicHost`, in us-east-1. */
const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/1';
/** Output `WebAclArn` of the stack `Firewall`, or the ARN of a web ACL of your own. */
const webAclArn = 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/WebAcl/1';
/** Requests that one address may send in five minutes. Several users behind one proxy share an address. */
const addressRate = 5_000;
/** Numbers of the secrets. The distribution sends the secret with the first one. */
const secretNumbers = [1];

/** Headers that Holdfast expects from the distribution. */
const SECRET_HEADER = 'x-holdfast-origin';
const ADDRESS_HEADER = 'x-holdfast-client-address';

/** Time after which a blocked client may try again, in seconds. AWS WAF counts again within half a minute. */
const RETRY_SECONDS = '30';

/** JSON:API error of a blocked request. AWS WAF sends it as `application/json`. */
const TOO_MANY_REQUESTS = JSON.stringify({
  errors: [{ status: '429', title: 'too many requests', detail: 'This address has sent too many requests.' }],
});

/** The web ACL, which blocks addresses that send too many requests before they reach the API and its throttle. */
class FirewallStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const visible = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      description: `Limits the requests of an address to ${name}`,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${this.stackName}-requests`),
      customResponseBodies: {
        TooManyRequests: { contentType: 'APPLICATION_JSON', content: TOO_MANY_REQUESTS },
      },
      rules: [
        {
          name: 'AddressRate',
          priority: 0,
          statement: {
            rateBasedStatement: { limit: addressRate, aggregateKeyType: 'IP', evaluationWindowSec: 300 },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: 'TooManyRequests',
                responseHeaders: [
                  { name: 'retry-after', value: RETRY_SECONDS },
                  // Clients that use go-tfe wait for this time.
                  { name: 'x-ratelimit-reset', value: RETRY_SECONDS },
                ],
              },
            },
          },
          visibilityConfig: visible(`${this.stackName}-address-rate`),
        },
      ],
    });
    new CfnOutput(this, 'WebAclArn', { description: 'Value of webAclArn in this app', value: webAcl.attrArn });
  }
}

/** Adds the address of the client. A header of that name in the request is replaced. */
const ADDRESS_CODE = `function handler(event) {
  event.request.headers['${ADDRESS_HEADER}'] = { value: event.viewer.ip };
  return event.request;
}`;

/** Statuses of errors that CloudFront caches for ten seconds unless their lifetime is set. */
const cachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** The distribution in front of the API, and the secrets with which it shows that a request comes from it. */
class DistributionStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const secrets = secretNumbers.map((number) => this.createSecret(number));
    const addAddress = new EdgeFunction(this, 'ClientAddress', {
      // Names are unique in an account, whatever the region.
      functionName: Fn.join('-', [name, 'client-address', Aws.REGION]),
      comment: 'Adds the address of the client',
      code: FunctionCode.fromInline(ADDRESS_CODE),
      runtime: FunctionRuntime.JS_2_0,
    });
    const behavior = {
      origin: new HttpOrigin(apiHost, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        // Longer than the 30 seconds of API Gateway.
        readTimeout: Duration.seconds(35),
        // The template contains a reference. CloudFormation resolves it when it deploys.
        customHeaders: { [SECRET_HEADER]: secrets[0]?.secretValue.unsafeUnwrap() ?? '' },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    } satisfies BehaviorOptions;
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Distribution of ${name}`,
      domainNames: [publicHost],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      defaultBehavior: {
        ...behavior,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // API Gateway rejects requests with the host name of the distribution.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        compress: false,
        functionAssociations: [{ function: addAddress, eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      // The names of these files of the console contain a hash of their content, and their responses may be cached for a year.
      additionalBehaviors: { '/assets/*': { ...behavior, cachePolicy: CachePolicy.CACHING_OPTIMIZED } },
      // A resource that did not exist a moment ago may exist now.
      errorResponses: cachedErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-CFR1', reason: 'The users of a deployment may be in any country.' },
      {
        id: 'AwsSolutions::AwsSolutions-CFR3',
        reason: 'The functions and API Gateway log every request. AWS WAF counts blocked requests in a metric.',
      },
    );
    new CfnOutput(this, 'DistributionDomainName', {
      description: `Target of the DNS record of ${publicHost}`,
      value: distribution.distributionDomainName,
    });
    new CfnOutput(this, 'OriginSecretArns', {
      description: 'Value of the setting originSecretArns of Holdfast',
      value: secrets.map(({ secretArn }) => secretArn).join(','),
    });
  }

  /** Creates a secret. The policies of the deployer of Holdfast allow reading secrets with this prefix. */
  private createSecret(number: number): Secret {
    const secret = new Secret(this, `Secret${number}`, {
      secretName: `${name}-distribution-${number}`,
      description: 'Header with which the distribution shows that a request comes from it',
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason: 'Holdfast must accept a new secret before the distribution sends it.',
    });
    return secret;
  }
}

const app = new App();
// The stacks for deployments in all regions are in us-east-1, so the name contains the region of the deployment.
new FirewallStack(app, 'Firewall', { stackName: `${name}-firewall-${region}`, env: { region: 'us-east-1' } });
new DistributionStack(app, 'Distribution', { stackName: `${name}-distribution`, env: { region } });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
